# SPDX-License-Identifier: MIT
"""The pages in headless Chromium: no request, no complaint, and everything can be used."""

import base64
import json
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from tests.browser import Browser

from pocin.report.page import public_page
from pocin.report.private import curator_page
from pocin.report.released import read_released

ATTACK = {
    "budgets": [
        {
            "k": 1,
            "budget": "10%",
            "rankings": {
                "random": {"damage": 10.0, "se": 1.0, "share": 0.2, "share_se": 0.01},
                "public": {"damage": 20.0, "se": 0.0, "share": 0.3, "share_se": 0.0},
                "obfuscated": {"damage": 30.0, "se": 2.0, "share": 0.5, "share_se": 0.1},
                "residual": {"damage": 15.0, "se": None, "share": 0.4, "share_se": None},
                "informed": {"damage": 60.0, "se": 0.0, "share": 1.0, "share_se": 0.0},
            },
        }
    ]
}
AUDIT = {"findings": [{"gate": "exact", "passed": True, "sentence": "all is well", "figures": {}}]}
SIZES = {"phone": (390, 844), "desk": (1200, 900)}


@pytest.fixture(scope="session")
def pages(releases: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    (folder / "attack.json").write_text(json.dumps(ATTACK))
    (folder / "audit.json").write_text(json.dumps(AUDIT))
    more = {"attack": folder / "attack.json", "audit": folder / "audit.json"}
    made = {name: read_released(path) for name, path in releases.items()}
    texts = {
        "power": curator_page([made["ieee14"]], **more),
        "roads": curator_page([made["siouxfalls"]]),
        "both": curator_page(list(made.values()), **more),
        "public": public_page([made["ieee14"]]),
    }
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, "utf-8")
    return {name: folder / f"{name}.html" for name in texts}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["power", "roads", "both", "public"])
def test_a_page_asks_for_nothing_and_fits(
    browser: Browser,
    pages: dict[str, Path],
    name: str,
    size: str,
    dark: bool,  # noqa: FBT001
) -> None:
    browser.open(pages[name], wide=SIZES[size][0], high=SIZES[size][1], dark=dark)
    assert browser.asked == []
    assert browser.complaints == []
    wide = browser.run("document.documentElement.scrollWidth")
    assert wide <= browser.run("document.documentElement.clientWidth")
    ground = browser.run("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") is not dark


def test_a_request_would_be_seen(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        "<!doctype html><html data-ready='1'><script>fetch('http://127.0.0.1:9/x')"
        ".catch(() => console.error('no'))</script></html>"
    )
    browser.open(page)
    browser.wait("true")
    assert any("127.0.0.1" in url for url in browser.asked)
    assert browser.complaints


def test_the_policy_of_the_page_stops_what_is_not_its_own(
    browser: Browser, pages: dict[str, Path], tmp_path: Path
) -> None:
    text = pages["public"].read_text("utf-8")
    page = tmp_path / "page.html"
    page.write_text(text.replace("</main>", "<script>window.bad = 1</script></main>"), "utf-8")
    browser.open(page)
    assert browser.run("window.bad") is None
    assert browser.complaints


def test_the_three_sentences_stand_on_the_first_screen(
    browser: Browser, pages: dict[str, Path]
) -> None:
    browser.open(pages["power"])
    bottoms = browser.run(
        "[...document.querySelectorAll('.card')].map((c) => c.getBoundingClientRect().bottom)"
    )
    assert len(bottoms) == 3
    assert max(bottoms) <= 900


def test_the_button_changes_light_and_dark(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["power"])
    grounds = []
    for _ in range(2):
        browser.find("#theme").click()
        grounds.append(browser.run("getComputedStyle(document.body).backgroundColor"))
    assert grounds == ["rgb(17, 21, 27)", "rgb(255, 255, 255)"]
    assert browser.find("#theme").get_attribute("aria-pressed") == "false"


@pytest.mark.parametrize("name", ["power", "roads"])
def test_the_map_answers_to_keys(browser: Browser, pages: dict[str, Path], name: str) -> None:
    browser.open(pages[name])
    data = browser.run("JSON.parse(document.getElementById('map-0').textContent)")
    largest = data["ids"][max(range(len(data["total"])), key=lambda i: data["total"][i])]
    browser.keys(".view", "n")
    said = browser.run("document.querySelector('.live').textContent")
    assert said.startswith(f"{data['word']} {largest}")
    assert "really here" in said
    assert not browser.run("document.querySelector('.tip').hidden")
    before = browser.run("document.querySelector('.world').getAttribute('transform')")
    browser.keys(".view", "+")
    after = browser.run("document.querySelector('.world').getAttribute('transform')")
    browser.keys(".view", "0")
    assert before != after
    assert before == browser.run("document.querySelector('.world').getAttribute('transform')")


def test_the_map_answers_to_the_pointer(browser: Browser, pages: dict[str, Path]) -> None:
    from selenium.webdriver import ActionChains

    browser.open(pages["power"])
    site = browser.find(".sites circle")
    ActionChains(browser.driver).move_to_element(site).perform()
    assert browser.run("document.querySelector('.tip').textContent").startswith("bus ")
    browser.find("[data-zoom=in]").click()
    assert "scale(1.6)" in browser.run("document.querySelector('.world').getAttribute('transform')")


def test_a_mark_is_found_by_its_id(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["power"])
    browser.keys("[data-find]", "2\n")
    assert browser.run("document.querySelector('.live').textContent").startswith("bus 2\n")
    browser.find("[data-find]").clear()
    browser.keys("[data-find]", "9999\n")
    assert not browser.run("document.querySelector('[data-find]').validity.valid")


def test_every_printed_sheet_is_marked(
    browser: Browser, pages: dict[str, Path], tmp_path: Path
) -> None:
    reader = shutil.which("pdftotext")
    if reader is None:
        pytest.skip("pdftotext is not installed (Debian: apt-get install poppler-utils)")
    for name, mark in (("power", "Not for publication."), ("public", "Public: made from")):
        browser.open(pages[name], dark=True)
        printed = browser.driver.execute_cdp_cmd("Page.printToPDF", {})["data"]
        (tmp_path / "page.pdf").write_bytes(base64.b64decode(printed))
        told = subprocess.run(
            [reader, tmp_path / "page.pdf", "-"], capture_output=True, text=True, check=True
        ).stdout
        sheets = told.removesuffix("\f").split("\f")
        assert len(sheets) > 2
        assert all(mark in " ".join(sheet.split()) for sheet in sheets)


def test_moves_are_hidden_on_request(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["power"])
    assert browser.run("document.querySelectorAll('.moves path').length") > 0
    browser.find("[data-moves]").click()
    assert browser.run("getComputedStyle(document.querySelector('.moves')).display") == "none"


def test_every_control_has_a_name_and_can_be_reached(
    browser: Browser, pages: dict[str, Path]
) -> None:
    browser.open(pages["both"])
    nameless = browser.run(
        "[...document.querySelectorAll('button, a, [tabindex], svg[role=img]')].filter((e) => "
        "!(e.getAttribute('aria-label') || e.textContent.trim())).length"
    )
    assert nameless == 0
    twice = browser.run(
        "(() => { const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);"
        " return ids.filter((id, i) => ids.indexOf(id) !== i); })()"
    )
    assert twice == []


@pytest.mark.parametrize("name", ["power", "both", "public"])
def test_headings_begin_at_one_and_skip_no_level(
    browser: Browser, pages: dict[str, Path], name: str
) -> None:
    browser.open(pages[name])
    levels = browser.run(
        "[...document.querySelectorAll('h1, h2, h3, h4')].map((h) => Number(h.tagName[1]))"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))


# WCAG's contrast of every text against the ground behind it.
CONTRAST = """
(() => {
  const channel = (c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length && (c.length < 4 || c[3] > 0)) return c;
    }
    return [255, 255, 255];
  };
  const unseen = "script, style, title, .live, .skip, [hidden]";
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walk.nextNode());) {
    const e = node.parentElement, style = getComputedStyle(e);
    if (!node.textContent.trim() || e.closest(unseen)) continue;
    const ink = parse(e.namespaceURI.endsWith("svg") ? style.fill : style.color);
    const pair = [light(ink), light(ground(e))];
    const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    if (ratio < 4.5) found.push([node.textContent.trim().slice(0, 40), ratio.toFixed(2)]);
  }
  return found;
})()
"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["power", "public"])
def test_every_text_has_contrast_aa(
    browser: Browser,
    pages: dict[str, Path],
    name: str,
    dark: bool,  # noqa: FBT001
) -> None:
    browser.open(pages[name], dark=dark)
    browser.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert browser.run(CONTRAST.strip()) == []


def test_ten_thousand_buses_are_small_and_quick(
    browser: Browser, large: Path, tmp_path: Path
) -> None:
    page = tmp_path / "large.html"
    page.write_text(curator_page([read_released(large)]), "utf-8")
    assert page.stat().st_size < 5_000_000
    browser.open(page)
    assert browser.run("Number(document.documentElement.dataset.ready)") < 3000
    browser.keys(".view", "+", "n")
    assert browser.run("document.querySelector('.live').textContent").startswith("bus ")
    drawn = browser.run(
        "(() => { const c = document.querySelector('canvas'); const d = c.getContext('2d')"
        ".getImageData(0, 0, c.width, c.height).data; const seen = new Set();"
        " for (let i = 0; i < d.length; i += 4) seen.add(d[i] * 65536 + d[i + 1] * 256 + d[i + 2]);"
        " return seen.size; })()"
    )
    assert drawn > 20
    assert browser.asked == []
    assert browser.complaints == []
