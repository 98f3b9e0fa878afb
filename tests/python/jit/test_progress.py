# SPDX-License-Identifier: MIT
"""What a build shows while it runs."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import textwrap
import threading

import pytest
from ckdispatch.jit import Cache, ProgressEvent, Stage, build
from jit_support import GPU, FakeCompiler, build_in, kernels

SHOWING = textwrap.dedent("""
    import sys
    from jit_support import GPU, kernels
    from ckdispatch.jit import Cache, build
    build(kernels()[:3], GPU, max_workers=2, progress=True, cache=Cache(sys.argv[1]))
    print("done")
""")


def events_of(cache: Cache, count: int, workers: int = 2) -> list[ProgressEvent]:
    seen: list[ProgressEvent] = []
    build(kernels()[:count], GPU, max_workers=workers, progress=seen.append, cache=cache)
    return seen


def test_a_callback_hears_everything_in_order(compiler: FakeCompiler, cache: Cache) -> None:
    name = kernels()[0].name
    # Headers are precompiled beside it, or not, as time allows.
    seen = [event for event in events_of(cache, 1) if event.stage is not Stage.PRECOMPILED]
    assert [event.stage for event in seen] == [
        *(Stage.BEGIN, Stage.STARTED, Stage.STEP, Stage.STEP, Stage.FINISHED, Stage.END)
    ]
    assert [event.detail for event in seen[1:4]] == [
        f"device code for {GPU}",
        "host code",
        "linking",
    ]
    assert {event.name for event in seen[1:5]} == {name}
    assert seen[4].result is not None and seen[4].result.ok


def test_the_count_of_finished_kernels_grows_to_the_total(
    compiler: FakeCompiler, cache: Cache
) -> None:
    seen = events_of(cache, 4)
    finished = [event for event in seen if event.stage is Stage.FINISHED]
    assert [event.done for event in finished] == [1, 2, 3, 4]
    assert {event.total for event in seen} == {4}
    assert seen[-1].stage is Stage.END and seen[-1].done == 4


def test_what_headers_took_is_told_once_and_of_no_kernel(
    compiler: FakeCompiler, cache: Cache
) -> None:
    (event,) = (one for one in events_of(cache, 2, workers=1) if one.step is not None)
    assert (event.stage, event.name, event.done) == (Stage.PRECOMPILED, "gemm", 0)
    assert event.step is not None and event.step.name == f"precompiling for {GPU}"
    assert event.step.seconds > 0
    assert not any(one.step for one in events_of(cache, 3, workers=1))


def test_cached_kernels_are_told_about_too(compiler: FakeCompiler, cache: Cache) -> None:
    build_in(cache, *kernels()[:2])
    finished = [event for event in events_of(cache, 3) if event.result is not None]
    assert [event.result.cached for event in finished if event.result] == [True, True, False]


def test_never_more_kernels_are_under_way_than_there_are_workers(
    compiler: FakeCompiler, cache: Cache
) -> None:
    running, most = 0, 0
    for event in events_of(cache, 8, workers=2):
        running += {Stage.STARTED: 1, Stage.FINISHED: -1}.get(event.stage, 0)
        most = max(most, running)
    # A worker may begin its next kernel before the end of the last one was told.
    assert 1 <= most <= 4


def test_events_arrive_in_the_thread_that_builds(compiler: FakeCompiler, cache: Cache) -> None:
    threads = set()
    build(
        kernels()[:2], GPU, progress=lambda event: threads.add(threading.get_ident()), cache=cache
    )
    assert threads == {threading.get_ident()}


def test_without_progress_nothing_is_shown(
    compiler: FakeCompiler, cache: Cache, capfd: pytest.CaptureFixture[str]
) -> None:
    compiler.hook("echo noise; echo more noise >&2\n")
    build_in(cache, *kernels()[:2])
    assert capfd.readouterr() == ("", "")


def test_where_there_is_no_terminal_there_is_a_line_for_each_kernel(
    compiler: FakeCompiler, cache: Cache, capfd: pytest.CaptureFixture[str]
) -> None:
    first, second, third = kernels()[:3]
    build_in(cache, first)
    compiler.hook(f"case $source in {third.name}.cpp) exit 9;; esac\n")
    results = build([first, second, third], GPU, max_workers=1, progress=True, cache=cache)
    out, err = capfd.readouterr()
    assert out == ""
    assert err.splitlines() == [
        f"[1/3] {first.name}: cached",
        f"[2/3] {second.name}: built in {results[1].seconds:.1f} s",
        f"[3/3] {third.name}: failed: {results[2].error}",
    ]


def test_on_a_terminal_there_is_a_bar_and_a_line_for_each_running_kernel(
    compiler: FakeCompiler, cache: Cache
) -> None:
    compiler.hook("[ $step != device ] || sleep 0.5\n")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", SHOWING, str(cache.folder)],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "TERM": "xterm",
            "COLUMNS": "160",
        },
        stdout=subprocess.PIPE,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            chunk = os.read(ours, 65536)
        except OSError:
            break
        if not chunk:
            break
        shown += chunk
    out, _ = process.communicate(timeout=60)
    os.close(ours)
    text = shown.decode("utf-8", "replace")
    assert process.returncode == 0 and out == b"done\n"
    assert "Building kernels" in text and "3/3" in text
    assert f"device code for {GPU}" in text
    for spec in kernels()[:3]:
        assert spec.name[-40:] in text
