# SPDX-License-Identifier: MIT
"""The page in Chromium: what a reader presses, types and sees. No time of a clock is asserted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ckdispatch.report.document import compose
from ckdispatch.report.page import render, write
from made_up import content, more, write_set
from report_support import SPECS
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from tests.browser.chromium import chromium, needs_browser

pytestmark = needs_browser

EVIL = (
    "<img src=x onerror=\"document.title='evil'\"></script><script>document.title='evil'</script>"
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    with chromium(tmp_path_factory.mktemp("chromium")) as driver:
        yield driver


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page with everything, one of 2,000 kernels, and one whose names mean harm."""
    folder = tmp_path_factory.mktemp("pages")
    some = SPECS[:24]
    now = write_set(folder / "now", "few", some, salt="new")
    then = write_set(folder / "then", "few", SPECS[2:26])
    many = write_set(
        folder / "many", "many", [(spec, gpus[:1]) for spec, gpus in more(SPECS, 2000)]
    )
    evil = write_set(folder / "evil", "evil", some[:4])
    document = json.loads(evil.read_text())
    for kernel in document["kernels"]:
        kernel["name"] += EVIL
        kernel["spec"]["pipeline"] = EVIL
    document["set"] = EVIL
    evil.write_text(json.dumps(document))
    made = {
        "few": content([now], [then]),
        "many": content([many]),
        "evil": content([evil], titles=(EVIL,)),
    }
    for name, one in made.items():
        write(render(compose(one)), folder / f"{name}.html")
    return {name: folder / f"{name}.html" for name in made}


@pytest.fixture
def opened(browser: webdriver.Chrome, pages: dict[str, Path]) -> Iterator[Any]:
    def open_page(name: str = "few") -> webdriver.Chrome:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
        browser.get(f"file://{pages[name]}")
        WebDriverWait(browser, 60).until(
            lambda driver: (
                driver.execute_script("return document.documentElement.dataset.ready") == "true"
            )
        )
        return browser

    yield open_page
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []


def texts(driver: webdriver.Chrome, selector: str) -> list[str]:
    return [
        str(one)
        for one in driver.execute_script(
            "return [...document.querySelectorAll(arguments[0])].map(one => one.textContent)",
            selector,
        )
    ]


def count(driver: webdriver.Chrome) -> int:
    return int(texts(driver, "#count b")[0].replace(",", ""))


def settled(driver: webdriver.Chrome, wanted: Any) -> None:
    WebDriverWait(driver, 30).until(lambda _: wanted())


def filtered(driver: webdriver.Chrome, label: str) -> Select:
    return Select(
        driver.find_element(
            By.XPATH,
            f"//form[@id='filters']//label[starts-with(normalize-space(text()), '{label}')]/select",
        )
    )


def head(driver: webdriver.Chrome, title: str) -> Any:
    return driver.find_element(
        By.XPATH, f"//div[@id='kernel-table']//th//button[starts-with(., '{title}')]"
    )


def test_filters_leave_what_passes_all_of_them(opened: Any) -> None:
    driver = opened()
    every = count(driver)
    filtered(driver, "pipeline").select_by_visible_text("mem")
    some = count(driver)
    assert 0 < some < every
    driver.find_element(By.CSS_SELECTOR, "#filters input[type=search]").send_keys(
        "INTERWAVE 128x32"
    )
    settled(driver, lambda: 0 < count(driver) < some)
    driver.find_element(By.CSS_SELECTOR, "#filters input[type=search]").send_keys(
        " nothing-has-this"
    )
    settled(driver, lambda: count(driver) == 0)
    assert "Nothing passes these filters." in texts(driver, "#kernel-table td")
    driver.find_element(By.XPATH, "//form[@id='filters']//button").click()
    settled(driver, lambda: count(driver) == every)


@pytest.mark.parametrize("title", ["VGPRs", "code"])
def test_a_head_sorts_down_and_up(title: str, opened: Any) -> None:
    driver = opened()
    place = driver.execute_script(
        "return [...document.querySelectorAll('#kernel-table thead th')].findIndex(one => "
        "one.textContent.startsWith(arguments[0]))",
        title,
    )

    def shown() -> list[float]:
        cells = texts(driver, f"#kernel-table tr.data > :nth-child({place + 1})")
        return [
            float(cell.replace(",", "").split()[0]) * (1024 if "KiB" in cell else 1)
            for cell in cells
        ]

    head(driver, title).click()
    assert (
        head(driver, title).find_element(By.XPATH, "..").get_attribute("aria-sort") == "descending"
    )
    down = shown()
    assert down == sorted(down, reverse=True)
    head(driver, title).send_keys(Keys.ENTER)
    assert (
        head(driver, title).find_element(By.XPATH, "..").get_attribute("aria-sort") == "ascending"
    )
    assert shown() == sorted(shown())
    assert len(set(down)) > 3


def test_a_row_opens_its_details_by_mouse_and_by_keyboard(opened: Any) -> None:
    driver = opened()
    row = driver.find_elements(By.CSS_SELECTOR, "#kernel-table tr.data")[1]
    name = row.find_element(By.CSS_SELECTOR, "th").get_attribute("title")
    row.click()
    assert texts(driver, "#details-name") == [name]
    assert driver.find_element(By.ID, "details").is_displayed()
    driver.find_element(By.XPATH, "//div[@id='details']//button[.='Close']").click()
    assert not driver.find_element(By.ID, "details").is_displayed()
    driver.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    driver.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    current = driver.find_element(By.CSS_SELECTOR, "#kernel-table tr[aria-selected=true]")
    wanted = current.find_element(By.CSS_SELECTOR, "th").get_attribute("title")
    assert current.get_attribute("data-place") == "3"
    driver.switch_to.active_element.send_keys(Keys.ENTER)
    assert texts(driver, "#details-name") == [wanted]
    assert driver.switch_to.active_element.get_attribute("id") == "details"


def see(driver: webdriver.Chrome, chart: str) -> None:
    driver.execute_script(
        "document.getElementById(arguments[0]).scrollIntoView({block: 'center'})", chart
    )
    settled(driver, lambda: driver.find_elements(By.CSS_SELECTOR, f"#{chart} svg"))


def test_the_map_tells_its_cells_by_letters_keys_and_hovering(opened: Any) -> None:
    driver = opened()
    see(driver, "map-chart")
    letters = set(texts(driver, "#map-key .letter"))
    assert len(letters) > 2
    assert letters <= set(texts(driver, "#map-chart svg text"))
    chart = driver.find_element(By.ID, "map-chart")
    driver.execute_script("arguments[0].focus()", chart)
    chart.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_UP)
    (told,) = texts(driver, "#map-cell")
    assert "predicted by the cost model" in told
    assert told.startswith("M 16, N 64, K 2,048: ")
    webdriver.ActionChains(driver).move_to_element(chart).perform()
    settled(driver, lambda: texts(driver, "#map-chart .tip b"))
    assert any(
        "predicted by the cost model" in text for text in texts(driver, "#map-chart .tip dd")
    )


def test_the_map_changes_with_what_is_asked_of_it(opened: Any) -> None:
    driver = opened()
    see(driver, "map-chart")
    before = texts(driver, "#map-chart svg text")
    driver.execute_script(
        "[...document.querySelectorAll('#map-controls label')].find(one => one.textContent === "
        "'its time').click()"
    )
    settled(driver, lambda: texts(driver, "#map-chart svg text") != before)
    driver.find_element(By.CSS_SELECTOR, "#map-as-table summary").click()
    cells = texts(driver, "#map-table tbody td")
    assert len(cells) == 11 * 9
    assert all(cell == "–" or cell.split(" ", 1)[1].endswith("s") for cell in cells)
    driver.execute_script(
        "[...document.querySelectorAll('#map-controls label')].find(one => one.textContent === "
        "'8,192').click()"
    )
    settled(driver, lambda: texts(driver, "#map-table tbody td") != cells)


def test_what_changed_is_shown_with_before_and_now(opened: Any) -> None:
    driver = opened()
    see(driver, "comparison-chart")
    changed = driver.execute_script(
        "return JSON.parse(document.getElementById('data').textContent).comparison"
    )
    assert f"{len(changed['changed'])} kernels changed" in texts(driver, "#comparison-lead")[0]
    cells = texts(driver, "#comparison-table tr.data:nth-child(2) td")
    assert any("→" in cell for cell in cells)
    figure = Select(driver.find_element(By.CSS_SELECTOR, "#comparison-controls select"))
    before = texts(driver, "#comparison-chart svg text")
    figure.select_by_index(0 if figure.options[0].text != figure.first_selected_option.text else 1)
    settled(driver, lambda: texts(driver, "#comparison-chart svg text") != before)
    assert {"more than before", "less than before"} <= set(
        texts(driver, "#comparison-chart svg text")
    )


def test_of_2000_kernels_only_those_that_are_seen_are_in_the_page(opened: Any) -> None:
    driver = opened("many")
    assert count(driver) == 2000
    rows = "#kernel-table tr.data"
    assert len(texts(driver, rows)) < 80
    driver.execute_script(
        "const box = document.querySelector('#kernel-table .scroller'); "
        "box.scrollTop = box.scrollHeight"
    )
    settled(
        driver,
        lambda: (
            driver.execute_script(
                "return Math.max(...[...document.querySelectorAll(arguments[0])].map(one => "
                "+one.dataset.place))",
                rows,
            )
            == 1999
        ),
    )
    assert len(texts(driver, rows)) < 80
    head(driver, "VGPRs").click()
    driver.find_element(By.CSS_SELECTOR, "#filters input[type=search]").send_keys("compv3 _7")
    settled(driver, lambda: 0 < count(driver) < 500)


def test_paper_has_every_row(opened: Any) -> None:
    driver = opened("many")
    driver.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert len(texts(driver, "#kernel-table tr.data")) == 2000
    assert driver.execute_script("return document.documentElement.dataset.colours") == "light"
    driver.execute_script("dispatchEvent(new Event('afterprint'))")
    assert len(texts(driver, "#kernel-table tr.data")) < 80


def test_colours_follow_the_system_and_the_reader(opened: Any) -> None:
    driver = opened()
    colours = "return document.documentElement.dataset.colours"
    for wanted in ("dark", "light"):
        driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": wanted}]},
        )
        settled(driver, lambda wanted=wanted: driver.execute_script(colours) == wanted)
    Select(driver.find_element(By.ID, "theme")).select_by_value("dark")
    assert driver.execute_script(colours) == "dark"


def test_everything_that_can_be_pressed_has_a_name_and_is_reached_by_tab(opened: Any) -> None:
    driver = opened()
    nameless = driver.execute_script(
        """
        const named = one => one.textContent.trim() || one.getAttribute("aria-label")
            || one.labels?.length || one.title;
        return [...document.querySelectorAll("button, select, input, [tabindex='0']")]
            .filter(one => !named(one)).map(one => one.outerHTML);
        """
    )
    assert nameless == []
    seen = set()
    driver.execute_script("document.body.focus(); scrollTo(0, 0)")
    for _ in range(90):
        webdriver.ActionChains(driver).send_keys(Keys.TAB).perform()
        seen.add(
            driver.execute_script(
                "const one = document.activeElement; return one.id || one.closest('section, nav, "
                "header')?.id || one.className"
            )
        )
    assert {"skip", "theme", "kernels", "map-chart"} <= seen


def test_names_that_mean_harm_are_shown_and_do_nothing(opened: Any) -> None:
    driver = opened("evil")
    assert EVIL in texts(driver, "#title")[0]
    row = driver.find_elements(By.CSS_SELECTOR, "#kernel-table tr.data")[0]
    row.click()
    assert EVIL in texts(driver, "#details-name")[0]
    see(driver, "map-chart")
    webdriver.ActionChains(driver).move_to_element(
        driver.find_element(By.ID, "map-chart")
    ).perform()
    settled(driver, lambda: texts(driver, "#map-chart .tip b"))
    assert driver.find_elements(By.TAG_NAME, "img") == []
    assert driver.title != "evil"
    assert len(texts(driver, "script")) == 3


def test_nothing_is_fetched(opened: Any) -> None:
    driver = opened()
    for chart in ("map-chart", "layers-chart", "roofline-chart", "comparison-chart"):
        see(driver, chart)
    assert (
        driver.execute_script(
            "return performance.getEntriesByType('resource').map(one => one.name)"
        )
        == []
    )


@pytest.mark.parametrize("width", [380, 800, 1400])
def test_no_width_cuts_the_page_off(width: int, opened: Any) -> None:
    driver = opened()
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False},
    )
    try:
        for chart in ("map-chart", "roofline-chart"):
            see(driver, chart)
        assert driver.execute_script("return document.documentElement.scrollWidth") <= width
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
