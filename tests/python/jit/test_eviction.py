# SPDX-License-Identifier: MIT
"""A build keeps the cache within its limit, and its own kernels in it."""

from __future__ import annotations

import os

import pytest
from ckdispatch.jit import Cache, build
from ckdispatch.jit.entry import RECORD
from jit_support import GPU, FakeCompiler, build_in, content, kernels


def age(cache: Cache) -> None:
    """Make everything that is there look old, in the order in which it was used."""
    for number, entry in enumerate(reversed(cache.list())):
        os.utime(entry.folder / RECORD, (1000 + number, 1000 + number))


def test_a_build_evicts_what_was_not_used_for_longest(compiler: FakeCompiler, cache: Cache) -> None:
    first, second, third = kernels()[:3]
    build_in(cache, first)
    build_in(cache, second)
    age(cache)
    sizes = {entry.facts["name"]: entry.size for entry in cache.list("kernels")}
    limit = cache.info().bytes + sizes[second.name] // 2
    build_in(Cache(cache.folder, limit), third)
    assert [result.cached for result in build_in(cache, second, third)] == [True, True]
    assert cache.info().bytes <= limit + sizes[first.name]
    cache.prune(limit)
    assert not build_in(cache, first)[0].cached


def test_a_build_keeps_its_own_kernels_even_if_the_limit_is_nothing(
    compiler: FakeCompiler, cache: Cache
) -> None:
    small = Cache(cache.folder, 0)
    results = build_in(small, *kernels()[:3])
    assert all(content(result) for result in results)
    Cache(cache.folder, 0).prune()
    assert all(content(result) for result in results)
    assert small.list("headers") == []
    del results
    assert small.prune().entries == 3


def test_a_pickled_result_keeps_nothing(compiler: FakeCompiler, cache: Cache) -> None:
    import pickle

    result = pickle.loads(pickle.dumps(build_in(cache, kernels()[0])[0]))
    cache.prune(0)
    assert not result.library.exists()


def test_the_limit_comes_from_the_environment(
    compiler: FakeCompiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CKDISPATCH_CACHE_SIZE", "1")
    build([kernels()[0]], GPU)
    build([kernels()[1]], GPU)
    assert [entry.facts["name"] for entry in Cache().list("kernels")] == [kernels()[1].name]
