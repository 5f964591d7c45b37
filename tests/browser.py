# SPDX-License-Identifier: MIT
"""A headless Chromium for tests of pages: whatever it asks a network for, or complains of, fails.

Debian has it as the packages chromium and chromium-driver.
"""

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
BROWSERS, DRIVERS = ("chromium", "chromium-browser", "google-chrome"), ("chromedriver",)
LOCAL = ("file:", "data:", "blob:", "about:", "chrome:", "devtools:")


class Browser:
    """Chromium with a page open; ``asked`` and ``complaints`` are since the last look."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, path: Path, *, wide: int = 1200, high: int = 900, dark: bool = False) -> None:
        """Open a file as on a screen of this size, and wait until its script is through."""
        self.screen(wide, high, dark=dark)
        self.driver.get(path.resolve().as_uri())
        self.wait("document.documentElement.dataset.ready")

    def screen(self, wide: int, high: int, *, dark: bool = False) -> None:
        """Change the screen."""
        size = {"width": wide, "height": high, "deviceScaleFactor": 1, "mobile": wide < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        wish = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [wish]})

    def run(self, script: str) -> Any:
        """Return the value of an expression on the page."""
        return self.driver.execute_script(f"return {script}")

    def wait(self, condition: str, seconds: float = 20) -> None:
        """Wait until an expression is true."""
        from selenium.webdriver.support.ui import WebDriverWait

        WebDriverWait(self.driver, seconds, 0.05).until(lambda _: self.run(condition))

    def find(self, selector: str) -> Any:
        """Return an element."""
        return self.driver.find_element("css selector", selector)

    def keys(self, selector: str, *keys: str) -> None:
        """Press keys on an element."""
        self.find(selector).send_keys(*keys)

    @property
    def asked(self) -> list[str]:
        """What was asked for from anywhere but this disk."""
        events = [
            json.loads(row["message"])["message"] for row in self.driver.get_log("performance")
        ]
        urls = [
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        ]
        return [url for url in urls if not url.startswith(LOCAL)]

    @property
    def complaints(self) -> list[str]:
        """What the console holds."""
        return [row["message"] for row in self.driver.get_log("browser")]


def installed(*names: str) -> str | None:
    """Return the first of some programs that is installed."""
    return next((found for name in names if (found := shutil.which(name))), None)


def missing() -> str | None:
    """Say why there can be no browser here."""
    for names in (BROWSERS, DRIVERS):
        if installed(*names) is None:
            return f"no {names[0]} is installed (Debian: apt-get install chromium chromium-driver)"
    return None


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start a browser with a profile of its own, and end it."""
    reason = missing()
    if reason:
        pytest.skip(reason)
    webdriver = pytest.importorskip("selenium.webdriver")
    service = pytest.importorskip("selenium.webdriver.chrome.service")
    options = webdriver.ChromeOptions()
    options.binary_location = installed(*BROWSERS)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        driver = webdriver.Chrome(options=options, service=service.Service(installed(*DRIVERS)))
        try:
            yield Browser(driver)
        finally:
            driver.quit()
