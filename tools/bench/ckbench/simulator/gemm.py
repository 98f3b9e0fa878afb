# SPDX-License-Identifier: MIT
"""Runs one fp16 GEMM on the simulator in a process of its own and prints, as JSON, how long each
launch took.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from ckabi import KernelLibrary, Status
from ckabi.gemm import gemm_problem
from gfxsim import Runtime


def run(runtime: Runtime, library: KernelLibrary, gpu: str, size: int, repeat: int) -> list[float]:
    """Seconds of each launch; an exception if the result is wrong."""
    random = np.random.default_rng(size)
    a = random.uniform(-1, 1, (size, size)).astype(np.float16)
    b = random.uniform(-1, 1, (size, size)).astype(np.float16)
    with (
        runtime.upload(a.tobytes()) as on_a,
        runtime.upload(b.tobytes()) as on_b,
        runtime.allocate(2 * size * size) as on_c,
    ):
        # Row-major A, column-major B: B is kept as its transpose.
        problem = gemm_problem(size, size, size, a=on_a.address, b=on_b.address, c=on_c.address)
        seconds = []
        for _ in range(repeat):
            begin = time.perf_counter()
            status, why = library.launch(problem, gpu=gpu.encode())
            runtime.synchronize()
            seconds.append(time.perf_counter() - begin)
            if status is not Status.OK:
                raise RuntimeError(f"the launch failed: {why}")
        result = (
            np.frombuffer(on_c.download(), dtype=np.float16).reshape(size, size).astype(np.float64)
        )
    expected = a.astype(np.float64) @ b.astype(np.float64).T
    # One rounding to fp16 at the end, and one of fp32 per product.
    bound = (
        2.0**-11 * np.abs(expected)
        + size * 2.0**-24 * (np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64).T)
        + 2.0**-24
    )
    worst = float(np.max(np.abs(result - expected) / bound))
    if not worst <= 1:
        raise RuntimeError(
            f"the product of {size}³ is wrong by {worst:.1f} times what rounding explains"
        )
    return seconds


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--runtime", type=Path, required=True)
    parser.add_argument("--kernel", type=Path, required=True)
    parser.add_argument("--gpu", required=True)
    parser.add_argument("--size", type=int, required=True)
    parser.add_argument("--repeat", type=int, required=True)
    options = parser.parse_args(arguments)
    try:
        runtime, library = _load(options.runtime, options.kernel)
        # The first launch disassembles the kernel, which a program pays once.
        run(runtime, library, options.gpu, 64, 1)
        print(json.dumps(run(runtime, library, options.gpu, options.size, options.repeat)))
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _load(runtime: Path, kernel: Path) -> tuple[Runtime, KernelLibrary]:
    try:
        return Runtime(runtime), KernelLibrary.load(kernel)
    except (AttributeError, OSError) as error:
        # A library without the symbols that make it a kernel or a runtime is an AttributeError.
        raise RuntimeError(f"a library cannot be used: {error}") from error


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
