# SPDX-License-Identifier: MIT
"""A curator's way through the page in headless Chromium: no request elsewhere, no complaint."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser import Browser, chromium
from tests.studio.conftest import studio_at


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return a headless Chromium; tests that need one skip where there is none."""
    with chromium() as found:
        yield found


def elsewhere(browser: Browser, url: str) -> list[str]:
    """Return what was asked for from anywhere but the studio."""
    return [asked for asked in browser.asked if not asked.startswith(url)]


def visit(browser: Browser, url: str) -> None:
    """Open the page; what another page left in the logs is forgotten."""
    browser.driver.get("about:blank")
    assert isinstance(browser.asked + browser.complaints, list)
    browser.driver.get(url)
    step(browser, "document.documentElement.dataset.ready")


def slide(browser: Browser, name: str, at: int) -> None:
    """Move a slider."""
    browser.driver.execute_script(
        f"const i = document.querySelector('input[name={name}]'); i.value = {at};"
        "i.dispatchEvent(new Event('input', {bubbles: true}));"
    )


def step(browser: Browser, condition: str) -> None:
    """Wait, also on a busy machine."""
    browser.wait(condition, seconds=40)


def shown(browser: Browser, selector: str) -> Any:
    """Return whether an element is seen."""
    return browser.find(selector).is_displayed()


def test_from_choice_to_download(browser: Browser, tmp_path: Path) -> None:
    with studio_at(tmp_path) as studio:
        url = studio.server.url
        browser.screen(1200, 900)
        visit(browser, url)
        assert not shown(browser, "#draw")
        browser.run("document.getElementById('case').value = 'ieee14'")
        browser.find("#open").click()
        step(browser, "document.documentElement.dataset.preview === '5'")
        assert "epsilon 2" in browser.find("#plan").text
        assert "5 of 5" in browser.find("#preview").text
        assert not browser.find("#go").is_enabled()  # nobody was asked yet

        before = browser.find("#preview").text
        slide(browser, "epsilon", 0)
        slide(browser, "beta", 3)
        assert "2 %" in browser.find("#controls").text
        step(browser, "document.querySelector('#plan').textContent.includes('epsilon 0.2')")
        step(browser, "document.documentElement.dataset.preview === '5'")
        assert browser.find("#preview").text != before

        browser.find("#sure").click()
        browser.find("#go").click()
        step(browser, "document.documentElement.dataset.release === 'running'")
        step(browser, "document.documentElement.dataset.release === 'ended'")
        told = browser.find("#outcome").text
        # the system's draws may fail: then there is no file, and the spend stands all the same
        assert ("faithful as promised" in told) is not ("No faithful release" in told)
        assert (tmp_path / "released.m").exists() == ("faithful as promised" in told)
        step(browser, "document.querySelector('#spend').textContent.includes('in 1 spend')")
        assert "Spent on this network so far: 0.2 (" in browser.find("#spend").text
        assert not browser.find("#go").is_enabled()  # one tick is for one release
        wide = browser.run("document.documentElement.scrollWidth")
        assert wide <= browser.run("document.documentElement.clientWidth")
        assert elsewhere(browser, url) == []
        assert browser.complaints == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_on_a_phone_nothing_is_wider_than_the_screen(
    browser: Browser,
    running: Any,
    dark: bool,  # noqa: FBT001
) -> None:
    browser.screen(390, 844, dark=dark)
    visit(browser, running.server.url)
    browser.run("document.getElementById('case').value = 'siouxfalls'")
    browser.find("#open").click()
    step(browser, "document.documentElement.dataset.preview === '5'")
    wide = browser.run("document.documentElement.scrollWidth")
    assert wide <= browser.run("document.documentElement.clientWidth")
    ground = browser.run("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") is not dark
    assert elsewhere(browser, running.server.url) == []
    assert browser.complaints == []


def test_what_is_wrong_stands_on_the_page(browser: Browser, running: Any) -> None:
    browser.screen(1200, 900)
    visit(browser, running.server.url)
    browser.run("document.getElementById('case').value = ''")
    browser.driver.execute_script(
        "document.getElementById('case').dispatchEvent(new Event('change'))"
    )
    browser.keys("#path", "nowhere.m\n")
    step(browser, "!document.querySelector('#open-says').hidden")
    assert "there is no such file" in browser.find("#open-says").text
    assert not shown(browser, "#draw")
    assert browser.complaints == []
