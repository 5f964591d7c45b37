#!/bin/sh
# SPDX-License-Identifier: MIT
# Make .venv hold what requirements/dev.txt pins, and this project; nothing to do if it does already.
#
# The stamp is written last, so an interrupted install is never taken for a finished one. The mark
# is written first: a .venv that still carries it is made afresh, any other usable one is kept.
# PYTHON names the interpreter; without it the newest of python3.14 ... python3.11 is taken.
set -eu

lock=requirements/dev.txt
venv=.venv
stamp=$venv/.pocin-ready
mark=$venv/.pocin-installing
python=$venv/bin/python

unset PYTHONHOME PYTHONPATH
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_USER=0 PIP_REQUIRE_VIRTUALENV=0

say() { printf '%s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }
can() { "$1" -c "$2" </dev/null >/dev/null 2>&1; }
new_enough() { can "$1" 'import sys; sys.exit(sys.version_info < (3, 11))'; }
version() { "$1" -c 'import platform; print(platform.python_version())' </dev/null 2>/dev/null; }
state() { pwd; cksum <"$lock"; cksum <pyproject.toml; }

# A .venv of another folder (a copy or a move) has that folder's path in its scripts.
usable() {
    [ ! -e "$mark" ] && [ -e "$venv/pyvenv.cfg" ] && new_enough "$python" || return 1
    can "$python" 'import pip._internal' || return 1
    [ ! -e "$stamp" ] || [ "$(head -n 1 "$stamp")" = "$(pwd)" ] || return 1
    [ -z "${PYTHON:-}" ] || [ "$(version "$PYTHON")" = "$(version "$python")" ]
}

# Print the interpreter to use; first choice is one that brings pip into a new environment.
choose() {
    if [ -n "${PYTHON:-}" ]; then
        new_enough "$PYTHON" && { echo "$PYTHON"; return; }
        found=$(version "$PYTHON") || fail "PYTHON=$PYTHON cannot be run."
        fail "pocin needs Python 3.11 or newer; PYTHON=$PYTHON is Python $found."
    fi
    older=
    for need in 'import venv, ensurepip' 'import venv'; do
        for name in python3.14 python3.13 python3.12 python3.11 python3 python; do
            found=$(version "$name") || continue
            new_enough "$name" || { older="$found"; continue; }
            can "$name" "$need" && { echo "$name"; return; }
        done
    done
    remedy="Install one, or name it: make PYTHON=/path/to/python3.12 test"
    [ -z "$older" ] || fail "pocin needs Python 3.11 or newer, and only Python $older was found. $remedy"
    fail "pocin needs Python 3.11 or newer with its venv module, and none was found. $remedy"
}

# Debian's Python may lack ensurepip; the pip beside it can then put pip into the environment.
create() {
    base=$(choose)
    say "Making .venv with Python $(version "$base")."
    rm -rf "$venv"
    mkdir "$venv"
    echo $$ >"$mark"
    if can "$base" 'import ensurepip'; then
        "$base" -m venv "$venv"
    else
        "$base" -m venv --without-pip "$venv"
        "$base" -m pip --python "$python" install --quiet pip
    fi
}

waited=0
while [ -e "$mark" ] && kill -0 "$(cat "$mark")" 2>/dev/null; do
    [ "$waited" -gt 0 ] || say "Another make is setting up .venv; waiting for it."
    [ "$waited" -lt 600 ] || fail "It did not end in ten minutes; remove .venv and try again."
    sleep 1
    waited=$((waited + 1))
done

if usable; then
    [ "$(cat "$stamp" 2>/dev/null)" != "$(state)" ] || exit 0
else
    create
fi
echo $$ >"$mark"
rm -f "$stamp"
say "Installing the pinned packages into .venv (a minute or two the first time)."
"$python" -m pip install --quiet --require-hashes --requirement "$lock"
"$python" -m pip install --quiet --no-deps --no-build-isolation --editable .
state >"$stamp"
rm -f "$mark"
