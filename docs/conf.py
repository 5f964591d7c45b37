# SPDX-License-Identifier: MIT
"""The site: ``make docs``. Pages are Markdown; those outside docs/ are included, not copied."""

import ast
import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
_HATCH = _PROJECT["tool"]["hatch"]["version"]
_VERSION = re.search(_HATCH["pattern"], (ROOT / _HATCH["path"]).read_text("utf-8"))

project = "pocin"
author = "The pocin developers"
project_copyright = author
release = _VERSION["version"] if _VERSION else ""
html_title = f"pocin {release}"

extensions = ["myst_parser"]
myst_heading_anchors = 3
exclude_patterns = ["tutorial/*.py"]
suppress_warnings = ["misc.highlighting_failure"]
html_theme = "furo"
html_show_sourcelink = False
html_copy_source = False

# Pages link to files of the repository as they stand there; on the site some are pages.
INCLUDED = {
    "ARCHITECTURE.md": "architecture.md",
    "BENCHMARKS.md": "benchmarks.md",
    "SECURITY.md": "security.md",
}


def _links(text: str) -> str:
    """Point links to included files at their pages, and those from them back into docs/."""
    for name, page in INCLUDED.items():
        text = re.sub(rf"\]\((?:\.\./)?{re.escape(name)}", f"]({page}", text)
    return re.sub(r"\]\(docs/", "](", text)


def _page(_app: Any, name: str, source: list[str]) -> None:
    source[0] = _links(source[0])
    if name in PAGES:
        source[0] += PAGES[name]()


def _commands() -> str:
    """Return the help of every command, as the program tells it."""
    from pocin.cli import parser

    said = parser().generate_docs(output_format="markdown", recursive=True)
    return said[said.index("## pocin ") :]


def _modules() -> str:
    """Return every module with the first line of its docstring, a table a folder."""
    package, parts = ROOT / "src" / "pocin", []
    for folder in (package, *sorted(path for path in package.rglob("*") if path.is_dir())):
        rows = []
        for path in sorted(folder.glob("*.py")):
            said = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
            first = said.partition("\n")[0].replace("|", "\\|")
            rows.append(f"| `{path.stem}` | {first} |")
        if rows:
            where = folder.relative_to(package.parent).as_posix()
            parts += [f"\n## `{where}/`\n", "| module | what it is |", "|---|---|", *rows]
    return "\n".join(parts) + "\n"


PAGES = {"commands": _commands, "modules": _modules}


def _included(_app: Any, _path: Any, _parent: str, source: list[str]) -> None:
    source[0] = _links(source[0])


def setup(app: Any) -> None:
    """Hook in."""
    app.connect("source-read", _page)
    app.connect("include-read", _included)
