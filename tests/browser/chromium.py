# SPDX-License-Identifier: MIT
"""Debian's Chromium for tests of pages: the sealed root has it, and on a machine without it such
tests are skipped unless CK_NEEDS_BROWSER is set.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

_SWITCHES = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--window-size=1400,1000",
)
_CHROMIUM, _CHROMEDRIVER = shutil.which("chromium"), shutil.which("chromedriver")

needs_browser = pytest.mark.skipif(
    not (_CHROMIUM and _CHROMEDRIVER) and not os.environ.get("CK_NEEDS_BROWSER"),
    reason="there is no chromium with its driver on this machine",
)


@contextlib.contextmanager
def chromium(home: Path) -> Iterator[webdriver.Chrome]:
    """A browser without a window, whose profile lies in `home`."""
    assert _CHROMIUM and _CHROMEDRIVER
    options = webdriver.ChromeOptions()
    options.binary_location = _CHROMIUM
    for switch in (*_SWITCHES, f"--user-data-dir={home}"):
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(
        options=options, service=Service(_CHROMEDRIVER, env={**os.environ, "HOME": str(home)})
    )
    try:
        yield driver
    finally:
        driver.quit()
