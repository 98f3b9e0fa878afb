# SPDX-License-Identifier: MIT
"""When the disk is full, a build says so, leaves nothing half written and loses nothing."""

from __future__ import annotations

import errno
import os
import resource
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import small_disk
from ckdispatch.jit import Cache
from jit_support import FakeCompiler, build_in, content, in_child, kernels, leftovers

FULL = (
    "failed because the disk of the cache folder {} is full; free some space, or set "
    "CKDISPATCH_CACHE to a folder on another disk."
)
pytestmark = pytest.mark.usefixtures("everything_settled")


def test_on_a_disk_of_any_size_a_build_is_right_or_says_that_the_disk_is_full(
    compiler: FakeCompiler, tmp_path: Path
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if not small_disk.is_possible(disk):
        pytest.skip("this machine allows no name spaces")
    right = [content(result) for result in build_in(Cache(tmp_path / "large"), *kernels()[:3])]
    outcomes = tmp_path / "outcomes"

    def child() -> None:
        assert small_disk.enter()
        for pages in range(8, 400, 6):
            assert small_disk.mount(disk, pages * 4096)
            cache = Cache(disk / "cache")
            results = build_in(cache, *kernels()[:3])
            sentence = FULL.format(cache.folder)
            for result, data in zip(results, right, strict=False):
                if result.ok:
                    assert content(result) == data
                else:
                    assert str(result.error).endswith(sentence), result.error
            good = [result.ok for result in results]
            assert cache.verify() == []
            # What got in stays, although there is no room for anything else.
            again = build_in(cache, *kernels()[:3])
            assert all(new.cached for new, old in zip(again, good, strict=False) if old)
            with open(outcomes, "a") as stream:
                stream.write("".join("+" if ok else "-" for ok in good) + "\n")
            del results, again, result
            # Clearing is what one does then, so it must work then.
            cache.clear()
            assert cache.info().entries == 0
            assert not [name for name in leftovers(cache) if not name.startswith("leases/")]
            small_disk.unmount(disk)

    assert in_child(child) == 0
    seen = outcomes.read_text().split()
    assert seen[0] == "---" and seen[-1] == "+++"
    assert len(set(seen)) > 2, "some disk had room for a part"


def failing_with(number: int, doomed: int) -> Callable[[Any], Callable[..., Any]]:
    """Wrap a function so that its ``doomed``-th call and all later ones fail with ``number``."""
    count = 0

    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        def failing(*arguments: Any, **options: Any) -> Any:
            nonlocal count
            if function is real_open and not arguments[1] & os.O_CREAT:
                return function(*arguments, **options)
            count += 1
            if count >= doomed:
                raise OSError(number, os.strerror(number))
            return function(*arguments, **options)

        return failing

    real_open = os.open
    return wrap


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT], ids=["no space", "quota"])
def test_whenever_the_disk_becomes_full_nothing_is_lost(
    compiler: FakeCompiler, tmp_path: Path, number: int
) -> None:
    done = tmp_path / "done"
    for doomed in range(1, 400, 7):
        cache = Cache(tmp_path / f"cache-{doomed}")
        (before,) = build_in(cache, kernels()[0])

        def child(doomed: int = doomed, cache: Cache = cache) -> None:
            wrap, real = failing_with(number, doomed), {}
            for name in ("open", "write", "fsync", "mkdir", "rename", "symlink"):
                real[name] = getattr(os, name)
                setattr(os, name, wrap(real[name]))
            results = build_in(cache, *kernels()[:3], workers=1)
            assert results[0].ok and results[0].cached
            for result in results[1:]:
                assert result.ok or "is full; free some space" in str(result.error), result.error
            for name, function in real.items():
                setattr(os, name, function)
            if all(result.ok for result in results):
                done.touch()

        assert in_child(child) == 0, f"call {doomed}"
        assert cache.verify() == []
        (after,) = build_in(cache, kernels()[0])
        assert after.cached and content(after) == content(before)
        if done.exists():
            return
    pytest.fail("no build came to its end")


def test_a_file_that_may_not_grow_is_an_error_and_nothing_more(
    compiler: FakeCompiler, cache: Cache
) -> None:
    (there,) = build_in(cache, kernels()[0])
    right = content(there)

    def child() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        first, second = build_in(cache, *kernels()[:2])
        assert first.cached and not second.ok
        assert second.error and kernels()[1].name in second.error

    assert in_child(child) == 0
    assert cache.verify() == []
    assert [content(result) for result in build_in(cache, kernels()[0])] == [right]
    assert build_in(cache, kernels()[1])[0].ok
