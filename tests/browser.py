"""A real browser and a real explorer: Debian's chromium without a window, `w2gm explore` in its own process."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
COMMAND = [sys.executable, "-c", "from w2gm.cli import main; main()", "explore"]
OPTIONS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--window-size=1280,900",
]  # fmt: skip
PATIENCE = 60  # seconds: a machine that is busy with other things is slow, not wrong

Value = TypeVar("Value")


@contextmanager
def explorer(*models: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """(address, process) of an explorer of these models; it is interrupted at the end if it still runs."""
    process = subprocess.Popen(
        [*COMMAND, *map(str, models), "--no-browser", "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        yield json.loads(line)["address"], process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)


class Browser:
    """A page of the explorer, seen and used as a person does; everything waits until it is there."""

    def __init__(self, driver: webdriver.Chrome, address: str) -> None:
        self.driver = driver
        self.address = address

    def open(self, place: str = "") -> None:
        self.driver.get(self.address + place)
        self.settled()

    def settled(self) -> None:
        """Wait until nothing on the page is still being asked for."""
        self.until(lambda: bool(self.all("h1")) and not self.all("[aria-busy]"), "the page to settle")

    def until(self, condition: Callable[[], Value], what: str) -> Value:
        """The first true value of the condition."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                if value := condition():
                    return value
            except StaleElementReferenceException:
                pass  # the page was drawn anew in between
            time.sleep(0.02)
        pytest.fail(f"waited {PATIENCE} s in vain for {what}; the page says: {self.text('body')[:500]}")

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        return self.until(lambda: self.all(selector), selector)[0]

    def text(self, selector: str) -> str:
        return self.one(selector).text

    def texts(self, selector: str) -> list[str]:
        return self.until(lambda: [element.text for element in self.all(selector)], selector)

    def heading(self, expected: str) -> None:
        self.until(lambda: self.text("h1") == expected, f"the heading {expected!r}")
        self.settled()

    def place(self) -> str:
        return self.driver.current_url.removeprefix(self.address)

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)  # type: ignore[no-untyped-call]

    def look(self, *, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Another size of the window, or other colours of the system."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})

    def complaints(self) -> list[str]:
        """Errors on the console since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]

    def elsewhere(self) -> list[str]:
        """Requests since the last call that went anywhere but to the explorer."""
        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] in ("Network.requestWillBeSent", "Network.webSocketCreated"):
                url = message["params"].get("request", message["params"])["url"]
                if not url.startswith((self.address, "about:", "chrome:")):
                    found.append(url)
        return found


@contextmanager
def browser(address: str) -> Iterator[Browser]:
    """A browser with a profile of its own; without one the test is skipped."""
    if not CHROMIUM or not DRIVER:
        pytest.skip("LOUD: no chromium and chromedriver here, the pages are NOT tested; apt install chromium-driver")
    with tempfile.TemporaryDirectory() as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for option in [*OPTIONS, f"--user-data-dir={profile}"]:
            options.add_argument(option)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        # The driver is named, so that Selenium looks for none on the net.
        driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER, log_output=os.devnull))
        try:
            yield Browser(driver, address)
        finally:
            driver.quit()
