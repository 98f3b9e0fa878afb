# SPDX-License-Identifier: MIT
"""One cell of the benchmark: some kernels by some workers, from an empty cache."""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import ckdispatch
from ckdispatch import jit
from ckdispatch.jit.compiler import find_compiler
from ckdispatch.jit.headers import composable_kernel, unpack

_TILES = (
    (128, 128, 32),
    (64, 64, 64),
    (128, 64, 64),
    (64, 128, 64),
    (128, 128, 64),
    (256, 128, 32),
)

KERNELS = tuple(
    ckdispatch.GemmConfig(
        dtype="fp16",
        layout="rcr",
        tile=tile,
        waves=(2, 2, 1),
        warp_tile=(32, 32, 16),
        pipeline="compv3",
    )
    for tile in _TILES
)
"""What is built: the first of them, as many as a cell has."""


def measured(kernels: int, workers: int, gpu: str, say: Callable[[str], None]) -> dict[str, Any]:
    """Seconds by the clock and of processors, and the memory of the largest process."""
    say(f"{kernels} kernels, {workers} workers")
    specs = [config.spec for config in KERNELS[:kernels]]
    with tempfile.TemporaryDirectory(prefix="jit_bench.") as folder:
        # Composable Kernel's headers are unpacked into a cache once, which is no part of building a
        # kernel.
        cache = _with_headers(Path(folder))
        used, begin = _processor_seconds(), time.monotonic()
        results = jit.build(specs, [gpu], max_workers=workers, cache=cache)
        seconds = time.monotonic() - begin
        for result in results:
            result.check()
    return {
        "kernels": kernels,
        "workers": workers,
        "seconds": seconds,
        "processor_seconds": _processor_seconds() - used,
        "memory": max(step.memory for result in results for step in result.steps),
        "first_kernel_processor_seconds": sum(step.processor_seconds for step in results[0].steps),
        "steps": [
            {
                "kernel": result.name,
                "name": step.name,
                "seconds": step.seconds,
                "processor_seconds": step.processor_seconds,
                "memory": step.memory,
            }
            for result in results
            for step in result.steps
        ],
    }


def _with_headers(folder: Path) -> jit.Cache:
    """A cache that has the headers, and no kernel and no precompiled header."""
    cache = jit.Cache(folder)
    with cache.lease() as lease:
        unpack(composable_kernel(cache.layout.memos), cache, lease, partial(time.sleep, 0.1))
    # What is asked of the compiler is remembered there too.
    find_compiler(cache.layout.memos)
    return cache


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
