# SPDX-License-Identifier: MIT
"""A temporary folder in ckdispatch's cache, removed also when the benchmark is interrupted."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ckbench.errors import BenchError

_PREFIX = "bench."


def cache_folder(environment: Mapping[str, str]) -> Path:
    """ckdispatch's cache, chosen as ``bazelw`` chooses it."""
    if asked := environment.get("CKDISPATCH_CACHE"):
        return Path(asked)
    if cache := environment.get("XDG_CACHE_HOME"):
        return Path(cache) / "ckdispatch"
    if home := environment.get("HOME"):
        return Path(home) / ".cache" / "ckdispatch"
    raise BenchError("No cache folder can be chosen because HOME is not set; set CKDISPATCH_CACHE.")


@contextmanager
def scratch_folder(cache: Path) -> Iterator[Path]:
    """A new folder below ``cache``. What killed benchmarks left there is removed first."""
    cache.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        # One benchmark at a time, or a new folder would look abandoned before it is locked.
        with _locked(cache):
            for leftover in cache.glob(f"{_PREFIX}*"):
                _remove_if_abandoned(leftover)
            folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=cache))
            stack.enter_context(_locked(folder))
        try:
            yield folder
        finally:
            undisturbed(lambda: remove_tree(folder))


def undisturbed(clean_up: Callable[[], None]) -> None:
    """Call ``clean_up`` while Ctrl-C and polite kills have to wait."""
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, signal.SIG_IGN) for number in signals}
    try:
        clean_up()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def remove_tree(folder: Path) -> None:
    """Remove a folder, also where Bazel made parts of it read-only."""
    for path, _, _ in os.walk(folder):
        os.chmod(path, 0o700)
    shutil.rmtree(folder)


def _remove_if_abandoned(folder: Path) -> None:
    try:
        with _locked(folder, wait=False):
            print(f"build_bench: removing {folder}, left by an interrupted run", file=sys.stderr)
            remove_tree(folder)
    except (BlockingIOError, FileNotFoundError, NotADirectoryError):
        return


@contextmanager
def _locked(folder: Path, wait: bool = True) -> Iterator[None]:
    # The system drops the lock with its process, however that ends.
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)
