# SPDX-License-Identifier: MIT
"""A small local page for curators who do not like terminals.

Three processes: the *vault* reads the real network, says what everybody may see of it, and draws
the release; the *bench* tries parameters on surrogates and is given nothing else; the page's own
process gets from both what it shows, so that it holds no secret that a page could let out.
"""
