# SPDX-License-Identifier: MIT
"""The explorer in headless Chromium: no request, no complaint; clicks, frames and keys are linked.

What stands on the page is compared with the data in it.
"""

from pathlib import Path

import pytest
from tests.browser import Browser
from tests.report.exploring import embedded, large_study

from pocin.report.explore import explorer
from pocin.study.points import points

RINGS = "[...document.querySelectorAll('.linked')].map((f) => f.querySelectorAll('.ring').length)"
NAME = "document.getElementById('name').textContent"
BUDGET = "document.getElementById('choose').elements.budget.value"
COUNT = "document.getElementById('count').textContent"
PLACE = """(() => { const r = document.querySelectorAll('.linked')[0].querySelector('.ring')
    .getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()"""
SHOWN = """[...document.querySelectorAll('.linked')].map((f) =>
    [...f.querySelectorAll('.every .dot')]
    .reduce((n, dot) => n + dot.getAttribute('d').split('z').length - 1, 0))"""
MARKED = SHOWN.replace(".every", ".few")


@pytest.fixture(scope="session")
def page(study_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("browsed") / "page.html"
    path.write_text(explorer(points(study_folder), "small"), "utf-8")
    return path


@pytest.fixture(scope="session")
def data(page: Path) -> dict:
    return embedded(page.read_text("utf-8"))


@pytest.fixture(autouse=True)
def silent(browser: Browser):
    """Every test fails on a request or a complaint, whatever it does."""
    yield
    assert browser.asked == []
    assert browser.complaints == []


def label(data: dict, i: int) -> set[str]:
    """Return the values that a point's name tells."""
    return {dial["values"][dial["at"][i]] for dial in data["dials"]} - {"default", "none"}


def chosen(browser: Browser, data: dict) -> int:
    """Return which point is chosen: what is printed must be its command."""
    draw = browser.run("document.getElementById('draw').textContent")
    repeat = browser.run("document.getElementById('repeat').textContent")
    found = [
        i
        for i, line in enumerate(data["draw"])
        if draw == line and repeat == f"{line} {data['repeat'][i]}"
    ]
    assert len(found) == 1
    name = browser.run(NAME)
    assert all(value in name for value in label(data, found[0]))
    return found[0]


def click(browser: Browser, x: float, y: float, to: tuple[float, float] | None = None) -> None:
    """Click a place on the screen, or drag from it to another."""

    def send(kind: str, at: tuple[float, float]) -> None:
        given = {"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1}
        held = {"buttons": 1} if kind == "mouseMoved" else {}
        browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", given | held)

    send("mousePressed", (x, y))
    if to is not None:
        send("mouseMoved", ((x + to[0]) / 2, (y + to[1]) / 2))
        send("mouseMoved", to)
    send("mouseReleased", to or (x, y))


@pytest.mark.parametrize("size", [(390, 844), (1280, 1000)], ids=["phone", "desk"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_it_opens_and_fits(
    browser: Browser,
    page: Path,
    size: tuple[int, int],
    dark: bool,  # noqa: FBT001
) -> None:
    browser.open(page, wide=size[0], high=size[1], dark=dark)
    wide = browser.run("document.documentElement.scrollWidth")
    assert wide <= browser.run("document.documentElement.clientWidth")
    ground = browser.run("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") is not dark
    assert browser.run(RINGS) == [1, 1, 1]


def test_a_click_chooses_a_point_in_every_chart(browser: Browser, page: Path, data: dict) -> None:
    browser.open(page, wide=1280, high=1400)
    browser.keys(".linked svg", "\ue011")  # Home
    first, place = chosen(browser, data), browser.run(PLACE)
    browser.keys(".linked svg", "\ue010")  # End
    last = chosen(browser, data)
    assert last != first
    click(browser, *place)
    assert chosen(browser, data) == first
    assert browser.run(RINGS) == [1, 1, 1]
    rows = browser.run("document.querySelectorAll('#rows .now').length")
    assert rows == 1
    budget = int(browser.run(BUDGET))
    informed = data["hits"][budget]["informed"]["v"][first]
    wanted = 100 * data["hits"][budget]["obfuscated"]["v"][first] / informed
    said = browser.run(
        "[...document.querySelectorAll('#figures tr')].map((r) => r.textContent)"
        ".find((t) => t.startsWith('released file'))"
    )
    assert said.startswith(f"released file{wanted:.3g}")
    assert said.endswith(str(data["hits"][budget]["obfuscated"]["n"][first]))
    assert f"{wanted:.3g}" in browser.run("document.getElementById('bars').ariaLabel")


def test_a_filter_leaves_what_it_names(browser: Browser, page: Path, data: dict) -> None:
    browser.open(page, wide=1280, high=1400)
    case = next(dial for dial in data["dials"] if dial["name"] == "case")
    k = case["values"].index("siouxfalls")
    mine = [i for i, at in enumerate(case["at"]) if at == k]
    measured = [i for i in mine if data["means"]["gap_size"]["v"][i] is not None]
    browser.find(f"input[name='f-case'][value='{k}']").click()
    assert browser.run(COUNT) == (
        f"{len(mine)} of {len(data['runs'])} settings shown, network siouxfalls."
    )
    assert browser.run(SHOWN)[2] == len(measured) < len(mine)
    assert browser.run("document.querySelectorAll('#rows tr').length") == len(mine)
    assert chosen(browser, data) in mine
    browser.find("button[type='reset']").click()
    browser.wait(f"{COUNT}.startsWith('{len(data['runs'])} of')")
    assert browser.run("document.querySelectorAll('input:checked').length") == 0


def test_the_first_view_shows_what_differs(browser: Browser, page: Path, data: dict) -> None:
    browser.open(page)
    privacy = browser.run("document.getElementById('choose').elements.privacy.value")
    assert len(set(data["means"][privacy]["v"])) > 1
    assert data["budgets"][int(browser.run(BUDGET))] == "10%"  # of roads, too


def test_filters_that_leave_nothing_say_so(browser: Browser, page: Path, data: dict) -> None:
    browser.open(page)
    dials = {dial["name"]: dial for dial in data["dials"]}
    for name, value in (("case", "siouxfalls"), ("policy", "unit")):
        k = dials[name]["values"].index(value)
        browser.find(f"input[name='f-{name}'][value='{k}']").click()
    assert browser.run(COUNT).startswith("No setting is left")
    assert browser.run("document.getElementById('chosen').hidden")
    assert browser.run(RINGS) == [0, 0, 0]


def test_a_frame_marks_the_same_in_every_chart(browser: Browser, page: Path, data: dict) -> None:
    browser.open(page, wide=1280, high=1400)
    box = browser.run(
        "(() => { const r = document.querySelectorAll('.linked svg')[2].getBoundingClientRect();"
        "return [r.x, r.y, r.right, r.bottom]; })()"
    )
    click(browser, box[0] + 2, box[1] + 2, (box[0] + (box[2] - box[0]) / 2, box[3] - 2))
    marked = browser.run(MARKED)
    all_shown = browser.run(SHOWN)
    assert 0 < marked[2] < all_shown[2]
    assert marked[1] == marked[2]
    assert f"{marked[2]} of them marked" in browser.run(COUNT)
    assert browser.run("document.querySelectorAll('#rows tr').length") == marked[2]
    browser.keys(".linked svg", "\ue00c")  # Escape
    assert browser.run(MARKED) == [0, 0, 0]
    assert browser.run(COUNT) == f"{len(data['runs'])} of {len(data['runs'])} settings shown."


def test_keys_step_and_are_said(browser: Browser, page: Path, data: dict) -> None:
    browser.open(page, wide=1280, high=1400)
    browser.keys(".linked svg", "\ue011")
    seen = [chosen(browser, data)]
    for _ in range(20):
        browser.keys(".linked svg", "\ue014")  # right
        now = chosen(browser, data)
        if now == seen[-1]:
            break
        seen.append(now)
        said = browser.run("document.getElementById('live').textContent")
        assert all(value in said for value in label(data, now))
    drawn = browser.run(SHOWN)[0]
    assert len(seen) == len(set(seen)) == drawn  # every point is reached, once


def test_the_table_sorts_and_chooses(browser: Browser, page: Path, data: dict) -> None:
    browser.open(page, wide=1280, high=1400)
    browser.find("[data-sort='fidelity']").click()
    order = browser.run(
        "[...document.querySelectorAll('[data-point]')].map((b) => Number(b.dataset.point))"
    )
    gaps = [data["means"]["gap_size"]["v"][i] for i in order]
    known = [gap for gap in gaps if gap is not None]
    assert known == sorted(known)
    assert gaps[: len(known)] == known  # what has no figure comes last
    browser.find(f"[data-point='{order[1]}']").click()
    assert chosen(browser, data) == order[1]
    assert browser.run("document.activeElement.dataset.point") == str(order[1])


def test_other_attackers_and_measures(browser: Browser, page: Path, data: dict) -> None:
    browser.open(page, wide=1280, high=1400)
    for name, value in (("attacker", "held"), ("as", "amount"), ("fidelity", "distance")):
        browser.run(
            f"(() => {{ const s = document.getElementById('choose').elements['{name}'];"
            f"s.value = '{value}'; s.dispatchEvent(new Event('change', {{bubbles: true}})); }})()"
        )
    head = browser.run("document.getElementById('head').textContent")
    assert "$/h or %" in head or "% or $/h" in head
    i = chosen(browser, data)
    budget = data["hits"][int(browser.run(BUDGET))]
    ways = [budget[role]["v"][i] for role in ("obfuscated", "residual", "public")]
    said = browser.run("document.querySelector('#rows .now').lastChild.textContent")
    worst = max(way for way in ways if way is not None)
    assert float(said.split(" ± ")[0].replace(",", "")) == pytest.approx(worst, rel=0.006)


def test_ten_thousand_settings_stay_fluid(browser: Browser, tmp_path: Path) -> None:
    folder = large_study(tmp_path / "large")
    found = points(folder)
    assert (len(found.points), found.unfinished) == (10_000, None)
    path = tmp_path / "page.html"
    path.write_text(explorer(found, "large"), "utf-8")
    assert path.stat().st_size < 5_000_000
    browser.open(path, wide=1280, high=1400)
    assert browser.run(SHOWN) == [10_000, 10_000, 10_000]
    # Few elements, whatever the number of points: a series is one path.
    assert browser.run("document.querySelectorAll('.linked *').length") < 300
    assert browser.run("document.querySelectorAll('#rows tr').length") == 25
    spent = browser.driver.execute_script(
        "const form = document.getElementById('choose'), from = performance.now();"
        "form.dispatchEvent(new Event('change')); return performance.now() - from;"
    )
    assert spent < 5_000  # 0.2 to 0.4 s where measured, on a busy machine
