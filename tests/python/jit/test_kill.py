# SPDX-License-Identifier: MIT
"""A process that is killed leaves a cache that others can go on with."""

from __future__ import annotations

import inspect
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import ckdispatch.jit
import pytest
from ckdispatch.jit import Cache, ProgressEvent, Stage, build
from jit_support import (
    GPU,
    FakeCompiler,
    build_in,
    content,
    in_child,
    is_running,
    kernels,
    leftovers,
    start_child,
    wait_until,
)

# Everything with which this package changes something on the disk.
CHANGES = (
    "chmod",
    "fsync",
    "mkdir",
    "open",
    "rename",
    "replace",
    "rmdir",
    "symlink",
    "unlink",
    "utime",
    "write",
)


pytestmark = pytest.mark.usefixtures("everything_settled")

# By default one dies at the first change that each place of the code makes, and at the last one of
# a loop: all of some 600 moments take minutes.
EVERY_CHANGE = bool(os.environ.get("CK_EVERY_CHANGE"))
PACKAGE = os.path.dirname(ckdispatch.jit.__file__)
_LINES = 3
_KERNELS = 2
"""So many are built, and what is done as often is no loop."""


def place_of_caller(name: str) -> str:
    """What changes something, and the innermost lines of this package that come to it."""
    lines, frame = [name], inspect.currentframe()
    while frame is not None and len(lines) <= _LINES:
        if frame.f_code.co_filename.startswith(PACKAGE):
            lines.append(f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}")
        frame = frame.f_back
    return " ".join(lines)


class Deadline:
    """Kills its own process at the n-th change, before it or in the middle of it."""

    def __init__(self, deadly: int) -> None:
        self.places: list[str] = []
        self._deadly = deadly

    def watch(self) -> None:
        for name in CHANGES:
            setattr(os, name, self._counting(name, getattr(os, name)))

    def _counting(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def counting(*arguments: Any, **options: Any) -> Any:
            if name == "open" and not arguments[1] & (os.O_CREAT | os.O_TRUNC):
                return function(*arguments, **options)
            self.places.append(place_of_caller(name))
            if len(self.places) == self._deadly:
                if name == "write":
                    # A torn write: the first half arrives.
                    function(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments, **options)

        return counting


def deadly_changes(action: Callable[[], object], report: Path, least: int) -> list[int]:
    """The numbers of those changes that ``action`` makes, at ``least`` so many, at which a process
    is to die.
    """

    def child() -> None:
        deadline = Deadline(0)
        deadline.watch()
        action()
        # Writing the report is a change, too.
        places = list(deadline.places)
        report.write_text("\n".join(places))

    assert in_child(child) == 0
    places = report.read_text().splitlines()
    assert len(places) > least
    if EVERY_CHANGE:
        return list(range(1, len(places) + 1))
    numbers: dict[str, list[int]] = {}
    for number, place in enumerate(places, 1):
        numbers.setdefault(place, []).append(number)
    first = {found[0] for found in numbers.values()}
    last = {found[-1] for found in numbers.values() if len(found) > _KERNELS}
    return sorted(first | last)


def die(action: Callable[[], object], deadly: int) -> int:
    """Run ``action`` in a process that is killed at that change; returns how it ended."""

    def child() -> None:
        Deadline(deadly).watch()
        action()

    return in_child(child)


def test_killed_at_any_change_of_the_disk_the_next_build_is_right(
    compiler: FakeCompiler, tmp_path: Path
) -> None:
    whole = Cache(tmp_path / "whole")
    specs = kernels()[:_KERNELS]
    build_whole = partial(build_in, whole, *specs, workers=1)
    deadly = deadly_changes(build_whole, tmp_path / "places", 50)
    right = [content(result) for result in build_in(whole, *specs)]
    for number in deadly:
        cache = Cache(tmp_path / f"killed-{number}")
        build_anew = partial(build_in, cache, *specs, workers=1)
        assert die(build_anew, number) == -signal.SIGKILL, f"change {number}"
        # What is visible is whole, before anything was repaired.
        assert cache.verify() == [], f"change {number}"
        results = build_in(cache, *specs)
        assert [content(result) for result in results] == right, f"change {number}"
        del results
        # A build that compiles sweeps up; one that finds all in the cache leaves that to others.
        cache.prune()
        assert leftovers(cache) == [], f"change {number}"


def test_killed_while_an_entry_is_replaced_the_next_build_is_right(
    compiler: FakeCompiler, cache: Cache, tmp_path: Path
) -> None:
    (result,) = build_in(cache, kernels()[0])
    right = content(result)
    library = result.check()

    def replace() -> None:
        (replaced,) = build_in(cache, kernels()[0], workers=1)
        assert replaced.ok and not replaced.cached

    library.write_bytes(b"damaged")
    deadly = deadly_changes(replace, tmp_path / "places", 20)
    for number in deadly:
        library.write_bytes(b"damaged")
        assert die(replace, number) == -signal.SIGKILL, f"change {number}"
        (result,) = build_in(cache, kernels()[0])
        assert content(result) == right, f"change {number}"


def test_killed_while_evicting_the_next_build_is_right(
    compiler: FakeCompiler, cache: Cache, tmp_path: Path
) -> None:
    specs = kernels()[:4]
    right = [content(result) for result in build_in(cache, *specs)]
    deadly = deadly_changes(partial(cache.prune, 0), tmp_path / "places", 10)
    assert [content(result) for result in build_in(cache, *specs)] == right
    for number in deadly:
        assert die(partial(cache.prune, 0), number) == -signal.SIGKILL, f"change {number}"
        assert cache.verify() == [], f"change {number}"
        assert [content(result) for result in build_in(cache, *specs)] == right


@pytest.mark.parametrize("step", ["device", "bundle", "host", "link"])
def test_killed_while_the_compiler_runs_the_next_build_is_right(
    compiler: FakeCompiler, cache: Cache, step: str
) -> None:
    compiler.hook(f"[ $step != {step} ] || kill -9 $PPID\n")
    assert in_child(lambda: build_in(cache, kernels()[0])) == -signal.SIGKILL
    compiler.unhook()
    assert cache.list("kernels") == []
    results = build_in(cache, kernels()[0])
    assert results[0].ok and not results[0].cached
    del results
    assert leftovers(cache) == []


def process_groups_of(process: int) -> set[int]:
    """The groups of the children of a process, and of all below them."""
    found = set()
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rsplit(")", 1)[1].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[1]) == process:
            found.add(int(fields[2]))
    return found


def members_of(groups: set[int]) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rsplit(")", 1)[1].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[2]) in groups and fields[0] not in "ZX":
            found.append(int(status.parent.name))
    return found


@pytest.mark.parametrize("step", ["device", "bundle", "host", "link"])
def test_a_killed_process_takes_its_compilers_and_their_children_with_it(
    compiler: FakeCompiler, cache: Cache, step: str
) -> None:
    control = compiler.home / "control"
    # The compiler ignores what it can, and has a child of its own, as clang has for each of its
    # passes.
    compiler.hook(
        f'if [ $step = {step} ]; then trap "" HUP INT TERM; sleep 600 & echo $! '
        '>"$home/control/child-$$"; '
        'echo $$ >"$home/control/pid-$$"; wait; fi\n'
    )
    child = start_child(lambda: build_in(cache, *kernels()[:2]))
    wait_until(lambda: len([path for path in control.glob("pid-*") if path.read_text()]) == 2)
    numbers = [int(path.read_text()) for path in control.glob("*-*")]
    groups = process_groups_of(child)
    assert len(numbers) == 4 and all(is_running(number) for number in numbers)
    assert set(numbers) <= set(members_of(groups)) and os.getpgid(0) not in groups
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    wait_until(lambda: not any(is_running(number) for number in numbers))
    wait_until(lambda: members_of(groups) == [])
    # Its locks are free, and the next build is right.
    compiler.unhook()
    results = build_in(cache, *kernels()[:2])
    assert all(result.ok and not result.cached for result in results)
    del results
    assert cache.verify() == [] and leftovers(cache) == []


def test_a_forked_child_does_not_keep_the_compilers_alive(
    compiler: FakeCompiler, cache: Cache
) -> None:
    control = compiler.home / "control"
    compiler.hook('[ $step != device ] || { echo $$ >"$home/control/compiler"; sleep 600; }\n')

    def parent() -> None:
        def fork_once_it_compiles() -> None:
            wait_until(lambda: (control / "compiler").exists())
            forked = os.fork()
            if forked == 0:
                (control / "forked").write_text(str(os.getpid()))
                time.sleep(600)

        threading.Thread(target=fork_once_it_compiles, daemon=True).start()
        build_in(cache, kernels()[0])

    child = start_child(parent)
    wait_until(lambda: (control / "forked").exists() and (control / "forked").read_text() != "")
    numbers = [int((control / name).read_text()) for name in ("compiler", "forked")]
    try:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        wait_until(lambda: not is_running(numbers[0]))
        assert is_running(numbers[1])
    finally:
        os.kill(numbers[1], signal.SIGKILL)


def test_a_compiler_outlives_the_death_of_the_leader_of_its_group(
    compiler: FakeCompiler, cache: Cache
) -> None:
    """A process that somebody kills by hand is not the end of the build."""
    control = compiler.home / "control"
    compiler.hook(
        'if [ $step = device ] && [ ! -e "$home/control/go" ]; then touch "$home/control/waiting"; '
        'while [ ! -e "$home/control/go" ]; do sleep 0.02; done; fi\n'
    )

    def kill_the_leader() -> None:
        wait_until((control / "waiting").exists)
        for group in process_groups_of(os.getpid()) - {os.getpgid(0)}:
            os.kill(group, signal.SIGKILL)
        (control / "go").touch()

    thread = threading.Thread(target=kill_the_leader)
    thread.start()
    results = build_in(cache, kernels()[0])
    thread.join()
    assert results[0].ok


INTERRUPTED = textwrap.dedent("""
    import signal
    import sys
    from jit_support import build_in, kernels
    from ckdispatch.jit import Cache
    # Whoever runs the tests in the background may have them ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    build_in(Cache(sys.argv[1]), *kernels()[:4])
""")


def test_ctrl_c_kills_the_compilers_and_leaves_the_cache_clean(
    compiler: FakeCompiler, cache: Cache
) -> None:
    control = compiler.home / "control"
    # The compiler itself ignores Ctrl-C, and has a child of its own.
    compiler.hook(
        'if [ $step = device ]; then trap "" INT; sleep 600 & echo $! >"$home/control/child-$$"; '
        'echo $$ >"$home/control/pid-$$"; wait; fi\n'
    )
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(cache.folder)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_until(lambda: len(list(control.glob("pid-*"))) == 2)
    numbers = [int(path.read_text()) for path in control.glob("*-*")]
    assert all(is_running(number) for number in numbers)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert told.strip().endswith("KeyboardInterrupt"), told
    wait_until(lambda: not any(is_running(number) for number in numbers))
    assert leftovers(cache) == [] and cache.list("kernels") == []
    compiler.unhook()
    assert all(result.ok for result in build_in(cache, *kernels()[:4]))


def test_an_exception_of_the_callback_stops_the_build_and_arrives(
    compiler: FakeCompiler, cache: Cache
) -> None:
    compiler.hook("[ $step != device ] || sleep 600\n")

    def listener(event: ProgressEvent) -> None:
        if event.stage is Stage.STARTED:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        build(kernels()[:2], GPU, max_workers=2, progress=listener, cache=cache)
    assert leftovers(cache) == []
