# SPDX-License-Identifier: MIT
"""Compiled GEMM kernels compute what NumPy computes, on the simulator, and the checking mode finds
nothing.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from ckabi import KernelLibrary, Status
from ckabi.gemm import gemm_problem
from gfxsim import Runtime

GPU = os.environ["GFXSIM_GPU"]
REPORT = Path(os.environ["TEST_TMPDIR"]) / "report.jsonl"
os.environ["GFXSIM_REPORT"] = str(REPORT)
LIBRARIES = sorted(Path("kernels").glob("lib*.so"))

# Odd sizes for kernels that pad, whole tiles for the others; the last of each has a K of many loop
# turns. 96 and 192 are three tiles of K, for which CK's compv4 computes five.
SIZES = [(1, 1, 1), (7, 13, 5), (65, 129, 33), (130, 70, 200), (96, 200, 513)]
WHOLE = [(256, 256, 96), (256, 256, 128), (256, 256, 192), (256, 512, 320)]


@pytest.fixture(scope="module")
def runtime() -> Runtime:
    return Runtime(Path(os.environ["CK_SIM_RUNTIME"]))


def multiply(
    runtime: Runtime, library: KernelLibrary, m: int, n: int, k: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The kernel's product, the exact one and the most by which rounding can part them."""
    random = np.random.default_rng(m * 1000003 + n * 1009 + k)
    a = random.uniform(-2, 2, (m, k)).astype(np.float16)
    b = random.uniform(-2, 2, (n, k)).astype(np.float16)
    with (
        runtime.upload(a.tobytes()) as on_a,
        runtime.upload(b.tobytes()) as on_b,
        runtime.allocate(2 * m * n) as on_c,
    ):
        problem = gemm_problem(m, n, k, a=on_a.address, b=on_b.address, c=on_c.address)
        status, why = library.launch(problem, gpu=GPU.encode())
        assert status is Status.OK, why
        result = np.frombuffer(on_c.download(), dtype=np.float16).reshape(m, n).astype(np.float64)
    exact = a.astype(np.float64) @ b.astype(np.float64).T
    # fp16 has 11 bits; each of the k fp32 sums errs by at most half a last place of the sum of
    # magnitudes so far.
    magnitude = np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64).T
    bound = 2.0**-11 * np.abs(exact) + (k + 1) * 2.0**-24 * magnitude + 2.0**-25
    return result, exact, bound


@pytest.mark.parametrize("path", LIBRARIES, ids=lambda path: path.stem.removeprefix("lib"))
def test_a_kernel_multiplies_matrices_of_every_size_that_it_accepts(
    path: Path, runtime: Runtime
) -> None:
    library = KernelLibrary.load(path)
    ran = 0
    for m, n, k in SIZES + WHOLE:
        status, _ = library.supports(gemm_problem(m, n, k), GPU)
        if status is not Status.OK:
            continue
        result, exact, bound = multiply(runtime, library, m, n, k)
        wrong = np.argwhere(~(np.abs(result - exact) <= bound))
        assert len(wrong) == 0, (
            f"{m}x{n}x{k}: {len(wrong)} wrong, first at {wrong[0]}: {result[tuple(wrong[0])]} for "
            f"{exact[tuple(wrong[0])]}"
        )
        ran += 1
    assert ran >= 2


def test_the_checking_mode_finds_nothing_in_any_launch() -> None:
    launches = [json.loads(line) for line in REPORT.read_text().splitlines()]
    assert len(launches) >= len(LIBRARIES) > 0
    findings = [finding["message"] for launch in launches for finding in launch["findings"]]
    assert findings == []
    assert all(launch["ok"] and launch["device"] == f"sim:{GPU}" for launch in launches)


def test_the_matrix_instructions_are_counted() -> None:
    for launch in (json.loads(line) for line in REPORT.read_text().splitlines()):
        assert launch["matrix"]["flops"] > 0
        assert launch["matrix"]["instructions"] == launch["instructions"]["matrix"] > 0
