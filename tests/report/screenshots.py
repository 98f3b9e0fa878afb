# SPDX-License-Identifier: MIT
"""Makes the pictures of docs/report.md from a page: python3 screenshots.py PAGE FOLDER NAME…"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

SWITCHES = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)

# What is shown of a page, in which colours and in which room, and what is done first.
PICTURES = {
    "kernels": (
        "kernels",
        "light",
        (1280, 860),
        "document.querySelectorAll('#kernel-table tr.data')[2].click(); scrollTo(0, 0)",
    ),
    "details": (
        "details",
        "light",
        (1280, 560),
        "document.querySelectorAll('#kernel-table tr.data')[2].click()",
    ),
    "map": ("map", "light", (1280, 760), ""),
    "map_dark": (
        "map",
        "dark",
        (1280, 760),
        (
            "[...document.querySelectorAll('#map-controls label')].find(one => one.textContent === "
            "'TFLOP/s').click()"
        ),
    ),
    "roofline": ("roofline", "dark", (1280, 760), ""),
    "comparison": ("comparison", "light", (1280, 1000), ""),
    "narrow": ("map", "light", (420, 860), ""),
}


def main(page: Path, folder: Path, names: list[str]) -> None:
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    with tempfile.TemporaryDirectory() as home:
        for switch in (*SWITCHES, f"--user-data-dir={home}"):
            options.add_argument(switch)
        driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        for name in names:
            place, colours, (width, height), script = PICTURES[name]
            driver.execute_cdp_cmd(
                "Emulation.setEmulatedMedia",
                {"features": [{"name": "prefers-color-scheme", "value": colours}]},
            )
            driver.execute_cdp_cmd(
                "Emulation.setDeviceMetricsOverride",
                {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
            )
            driver.get(page.resolve().as_uri())
            driver.execute_script(script)
            top = 0 if name == "kernels" else 56
            driver.execute_script(
                "if (arguments[1]) scrollTo(0, "
                "document.getElementById(arguments[0]).getBoundingClientRect().top + scrollY - "
                "arguments[1])",
                place,
                top,
            )
            time.sleep(1)
            driver.save_screenshot(str(folder / f"{name}.png"))
        driver.quit()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
