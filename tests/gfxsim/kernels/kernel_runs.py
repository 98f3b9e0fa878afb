# SPDX-License-Identifier: MIT
"""Running built kernels on the simulator through their ABI, between memory that nobody may touch.

To be imported before anything calls the simulator, which reads from the environment where to write
its report.
"""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from ckabi import KernelLibrary, Phase, Status
from ckdispatch.reference.dtypes import numpy_dtype
from gfxsim import Buffer, Runtime
from numpy.typing import NDArray

GPU = os.environ["GFXSIM_GPU"]
REPORT = Path(os.environ["TEST_TMPDIR"]) / "report.jsonl"
os.environ["GFXSIM_REPORT"] = str(REPORT)

GUARD = 16
"""Rows before, between and after matrices; so many that a matrix begins with a whole vector."""
GAP = 8
"""Elements between the rows of a matrix."""

Matrix = NDArray[Any]


def kernel_of(pattern: str) -> KernelLibrary:
    """The only kernel for tests whose name after ``gemm_`` is like ``pattern``."""
    (path,) = Path("tests/kernels").glob(f"libgemm_{pattern}.so")
    return KernelLibrary.load(path)


def random_matrix(shape: tuple[int, ...], dtype: str, seed: int) -> Matrix:
    """Numbers between -1 and 1."""
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(numpy_dtype(dtype))


def unreal(dtype: np.dtype[Any]) -> float:
    """What a kernel must not read: NaN, or the least of the integers."""
    return int(np.iinfo(dtype).min) if dtype.kind == "i" else np.nan


@dataclass(frozen=True)
class Placed:
    """Matrices in device memory, ``stride`` elements apart, in the midst of NaN, or of the least
    integers.

    A kernel that reads what lies around them gets that into its result, and one that writes there
    is found by ``read``.
    """

    buffer: Buffer
    whole: Matrix
    shape: tuple[int, int]
    by_rows: bool

    @property
    def address(self) -> int:
        """That of the first matrix."""
        return self.buffer.address + GUARD * self.leading_dimension * self.whole.itemsize

    @property
    def leading_dimension(self) -> int:
        """Elements from one row to the next, or from one column."""
        return int(self.whole.shape[2])

    @property
    def stride(self) -> int:
        """Elements from one matrix to the next."""
        return int(self.whole.shape[1] * self.whole.shape[2])

    def read(self) -> list[Matrix]:
        """The matrices as they are now; fails if anything around them has changed."""
        now = np.frombuffer(self.buffer.download(), self.whole.dtype).reshape(self.whole.shape)
        rows, width = self.shape if self.by_rows else self.shape[::-1]
        inside = np.zeros(now.shape, bool)
        inside[:-1, GUARD : GUARD + rows, :width] = True
        bits = f"u{now.itemsize}"
        changed = np.argwhere((now.view(bits) != self.whole.view(bits)) & ~inside)
        assert len(changed) == 0, f"{len(changed)} elements beside C, first at {changed[0]}"
        stored = now[:-1, GUARD : GUARD + rows, :width]
        return [one if self.by_rows else one.T for one in stored]


class Device:
    """The simulated GPU, and what a test has placed in its memory."""

    def __init__(self, runtime: Runtime, memory: ExitStack) -> None:
        self._runtime = runtime
        self._memory = memory

    def place(self, matrices: Sequence[Matrix], layout: str = "r", gap: int = GAP) -> Placed:
        """Matrices of one shape, by rows or by columns, as ``Placed`` describes it."""
        stored = [one if layout == "r" else one.T for one in matrices]
        rows, width = stored[0].shape
        # One more at the end, so that the last is guarded on both sides too.
        shape = (len(stored) + 1, rows + GUARD, width + gap)
        whole = np.full(shape, unreal(stored[0].dtype), stored[0].dtype)
        for i, one in enumerate(stored):
            whole[i, GUARD:, :width] = one
        buffer = self._memory.enter_context(self._runtime.upload(whole.tobytes()))
        return Placed(buffer, whole, matrices[0].shape, layout == "r")

    def upload(self, data: Matrix) -> int:
        """The address of a copy of an array, with nothing around it."""
        return self.copy(data).address

    def copy(self, data: Matrix) -> Buffer:
        """A copy of an array, with nothing around it."""
        return self._memory.enter_context(self._runtime.upload(data.tobytes()))

    def launch(self, library: KernelLibrary, problem: ctypes.Structure) -> None:
        """Runs a problem at once and then phase by phase, with a workspace of just the size that
        the kernel asks for.
        """
        status, size = library.workspace_size(problem, GPU)
        assert status is Status.OK, library.supports(problem, GPU)[1]
        options: dict[str, Any] = {"gpu": GPU.encode()}
        if size:
            workspace = self._memory.enter_context(self._runtime.allocate(size))
            options |= {"workspace": workspace.address, "workspace_size": size}
        whole, phases = Phase(0), library.phases(problem, GPU)
        for phase in (whole, *(phase for phase in Phase if phase in phases)):
            status, why = library.launch(problem, phases=phase, **options)
            assert status is Status.OK, why
        self._runtime.synchronize()


def launches() -> list[dict[str, Any]]:
    """What the simulator has reported so far."""
    return [json.loads(line) for line in REPORT.read_text().splitlines()]


def findings() -> set[str]:
    """What the checking mode has found in any launch so far."""
    return {finding["message"] for launch in launches() for finding in launch["findings"]}


def functions(library: KernelLibrary) -> set[str]:
    """The device functions of a kernel that have run so far, without the kernel's name."""
    name = library.describe()["spec"]["name"]
    ran = (launch["kernel"] for launch in launches())
    return {kernel.removeprefix(f"{name}__") for kernel in ran if kernel.startswith(f"{name}__")}
