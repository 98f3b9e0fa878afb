# SPDX-License-Identifier: MIT
"""Split-K kernels compute what NumPy computes in any number of parts, and touch nothing but C."""

from __future__ import annotations

import json
import os
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from ckabi import KernelLibrary, Status
from ckabi.gemm import gemm_problem
from gfxsim import Runtime

GPU = os.environ["GFXSIM_GPU"]
REPORT = Path(os.environ["TEST_TMPDIR"]) / "report.jsonl"
os.environ["GFXSIM_REPORT"] = str(REPORT)
LIBRARIES = sorted(Path("tests/kernels").glob("lib*_splitk.so"))
DTYPES = {"fp16": np.float16, "fp32": np.float32}
HALF_A_LAST_PLACE = {"fp16": 2.0**-11, "fp32": 2.0**-24}

# Odd sizes for kernels that pad, whole tiles for the others.
SIZES = [(7, 16, 40), (65, 136, 264), (130, 72, 520), (64, 128, 448), (192, 64, 1024)]
PARTS = [1, 2, 3, 4, 7, 8, 16]
GAP = 8
"""Elements between the rows of C, which belong to somebody else."""


@pytest.fixture(scope="module")
def runtime() -> Runtime:
    return Runtime(Path(os.environ["CK_SIM_RUNTIME"]))


def operands(m: int, n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(m * 1000003 + n * 1009 + k)
    a, b = (random.uniform(-2, 2, shape).astype(np.float16) for shape in ((m, k), (k, n)))
    return a, b


def launch(
    runtime: Runtime, library: KernelLibrary, a: np.ndarray, b: np.ndarray, parts: int
) -> np.ndarray:
    """C with its gaps, which hold 77 before."""
    spec = library.describe()["spec"]
    (m, k), n = a.shape, b.shape[1]
    before = np.full((m, n + GAP), 77, DTYPES[spec["dtype_c"]])
    b_stored = np.ascontiguousarray(b if spec["layout"][1] == "r" else b.T)
    problem = gemm_problem(m, n, k, layout=spec["layout"], k_batch=parts, stride_c=n + GAP)
    with ExitStack() as memory:
        on_a, on_b, on_c = (
            memory.enter_context(runtime.upload(x.tobytes())) for x in (a, b_stored, before)
        )
        problem.a, problem.b, problem.c = on_a.address, on_b.address, on_c.address
        # Each launch begins with zeros, so that a second one gives the same.
        status, why = library.launch(problem, gpu=GPU.encode(), repeat=2)
        assert status is Status.OK, why
        return np.frombuffer(on_c.download(), before.dtype).reshape(before.shape)


@pytest.mark.parametrize("path", LIBRARIES, ids=lambda path: path.stem.removeprefix("lib"))
def test_the_parts_add_up_to_the_product_and_gaps_stay_as_they_were(
    path: Path, runtime: Runtime
) -> None:
    library = KernelLibrary.load(path)
    spec = library.describe()["spec"]
    ran: set[int] = set()
    for m, n, k in SIZES:
        a, b = operands(m, n, k)
        exact = a.astype(np.float64) @ b.astype(np.float64)
        magnitude = np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64)
        for parts in PARTS:
            problem = gemm_problem(m, n, k, layout=spec["layout"], k_batch=parts)
            if library.supports(problem, GPU)[0] is not Status.OK:
                continue
            stored = launch(runtime, library, a, b, parts)
            assert (stored[:, n:] == 77).all(), f"{m}x{n}x{k} in {parts}: a gap was written to"
            # Every part is rounded, then every sum of parts; what is rounded errs as fp32 sums do.
            rounding = 2 * parts * HALF_A_LAST_PLACE[spec["dtype_c"]]
            bound = (rounding + (k + 1) * 2.0**-24) * magnitude + parts * 2.0**-24
            wrong = np.argwhere(~(np.abs(stored[:, :n] - exact) <= bound))
            assert len(wrong) == 0, f"{m}x{n}x{k} in {parts}: {len(wrong)}, first {wrong[0]}"
            ran.add(parts)
    assert ran == set(PARTS)


@pytest.mark.parametrize("path", LIBRARIES, ids=lambda path: path.stem.removeprefix("lib"))
def test_two_parts_give_the_sum_of_the_rounded_halves(path: Path, runtime: Runtime) -> None:
    """So their order does not matter: addition commutes, and zero is there before them."""
    library = KernelLibrary.load(path)
    a, b = operands(64, 64, 256)
    whole = launch(runtime, library, a, b, 2)[:, :64]
    first, second = (
        launch(runtime, library, np.ascontiguousarray(a[:, part]), b[part], 1)[:, :64]
        for part in (slice(128), slice(128, 256))
    )
    assert np.array_equal(whole, first + second)


def test_the_checking_mode_finds_nothing_and_the_parts_are_layers_of_the_grid() -> None:
    launches = [json.loads(line) for line in REPORT.read_text().splitlines()]
    assert {finding["message"] for launch in launches for finding in launch["findings"]} == set()
    for path in LIBRARIES:
        persistent = "_True_64x64x32_" in path.name
        name = path.stem.removeprefix("lib")
        layers = {launch["grid"][2] for launch in launches if launch["kernel"].startswith(name)}
        assert layers == ({1} if persistent else set(PARTS))
