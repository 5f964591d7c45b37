# SPDX-License-Identifier: MIT
"""The page: every table and figure that the results allow, and what they say beside the paper."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from pocin.output import PUBLIC_MODE
from pocin.study.blocks import Said, Section, Table
from pocin.study.extras import needs
from pocin.study.results import Results
from pocin.study.store import STAMP
from pocin.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pocin.study.grid import Study

PAGE = "paper"
_CSS = """
body { font: 16px/1.5 Georgia, serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; font: 13px/1.4 system-ui, sans-serif; margin: 1rem 0; }
caption { text-align: left; padding: .3rem 0; font-weight: 600; }
td, th { padding: .15rem .6rem; border-bottom: 1px solid #d5d9de; text-align: right; }
td:first-child, th:first-child { text-align: left; }
.words td { text-align: left; vertical-align: top; }
figure { margin: 1rem 0; } img { max-width: 100%; } figcaption { font-size: 14px; color: #444; }
.wide { overflow-x: auto; }
"""


_HEAD = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width"><style>{css}</style>
<h1>{title}</h1>
"""


def page(output: Path, folder: Path, study: Study) -> tuple[Path, ...]:
    """Write the tables, the figures and the page; return where the page is."""
    needs("study", "matplotlib")
    sections = [_about(study), *_sections(Results(folder, study))]
    sections.insert(1, _summary(sections))
    for section in sections:
        for block in section.blocks:
            for _ in block.write(output):
                pass
    title = "The paper's study, done again"
    files = {f"{PAGE}.md": _markdown(title, sections), f"{PAGE}.html": _html(title, sections)}
    for name, text in files.items():
        (output / name).write_text(text, encoding="utf-8")
        (output / name).chmod(PUBLIC_MODE)
    return tuple(output / name for name in files)


def _sections(results: Results) -> Iterator[Section]:
    """Yield the parts that the results allow."""
    from pocin.study.paper import costs, feasibility, generators, phase1, roads, streets

    made = (
        phase1.section(results.study),
        feasibility.section(results),
        costs.dispatch(results),
        costs.costs(results),
        generators.section(results),
        roads.weights(results),
        roads.weights(results, "annarbor-weights"),
        streets.section(results),
        costs.timed(results),
    )
    yield from (section for section in made if section is not None)


def _about(study: Study) -> Section:
    """Say what the page is of."""
    cases = [[case, _short(source)] for case, source in study.sources.items()]
    said = [Said(f"Made by pocin {VERSION}. {STAMP}")]
    if study.absent:
        said.append(Said(f"Not here, and left out: {', '.join(study.absent)}."))
    table = Table("networks", "Networks of this study", ["name", "found as"], cases)
    return Section("What this is", [*said, table])


def _short(source: str) -> str:
    """Return the last two parts of a place."""
    return "/".join(source.replace("\\", "/").split("/")[-2:])


def _summary(sections: list[Section]) -> Section:
    """Gather every sentence that agrees or does not."""
    said = [
        (section.title, block)
        for section in sections
        for block in section.blocks
        if isinstance(block, Said) and block.agrees is not None
    ]
    agree = sum(block.agrees is True for _, block in said)
    rows = [["yes" if block.agrees else "NO", title, block.sentence] for title, block in said]
    table = Table("agreement", "Where this agrees with the paper, and where not",
                  ["agrees", "on", "what is found"], rows)  # fmt: skip
    head = Said(f"{agree} of {len(said)} findings are as in the paper; the others are marked NO.")
    return Section("In short", [head, table])


def _markdown(title: str, sections: list[Section]) -> str:
    """Return the page as Markdown."""
    parts = [f"# {title}\n"]
    for section in sections:
        parts += [f"## {section.title}\n", *(block.markdown() for block in section.blocks)]
    return "\n".join(parts)


def _html(title: str, sections: list[Section]) -> str:
    """Return the page as HTML; its figures stand beside it."""
    parts = [_HEAD.format(title=escape(title), css=_CSS)]
    for section in sections:
        parts.append(f"<h2>{escape(section.title)}</h2>\n")
        for block in section.blocks:
            html = block.html()
            parts.append(f'<div class="wide">{html}</div>\n' if isinstance(block, Table) else html)
    return "".join([*parts, "</html>\n"])
