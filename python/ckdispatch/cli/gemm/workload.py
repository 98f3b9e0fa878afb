# SPDX-License-Identifier: MIT
"""A GEMM on a device: random operands where its problem has them, and the product compared."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

from ckdispatch.cli.units import extents
from ckdispatch.errors import InvalidArgument, OutOfMemory
from ckdispatch.tensors.device_tensor import DeviceTensor

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ckdispatch.comparison import Comparison
    from ckdispatch.dispatcher import Dispatcher
    from ckdispatch.gemm.problem import GemmProblem
    from ckdispatch.plan import Plan

_POISON = 0xFF
"""What C holds before the launch: no number in any float, so nothing is right by chance."""


class Workload:
    """The operands of ``problem`` on the device, laid out as ``plan`` has them."""

    def __init__(self, dispatcher: Dispatcher, problem: GemmProblem, plan: Plan, seed: int) -> None:
        import numpy as np

        self.dispatcher, self.problem, self.plan = dispatcher, problem, plan
        self.spec = dispatcher.registry[plan.kernel].spec
        self.dtypes = (problem.dtype, problem.dtype_b or problem.dtype, self.spec["dtype_c"])
        random = np.random.default_rng(seed)
        m, n, k = problem.m, problem.n, problem.k
        self.a = self._random(random, (problem.batch, m, k), self.dtypes[0])
        self.b = self._random(random, (problem.batch, k, n), self.dtypes[1])
        self.tensors = [self._upload(0, self.a), self._upload(1, self.b), self._output()]

    @property
    def bytes(self) -> int:
        """Of A, B and C, each counted once."""
        p = self.problem
        counts = (p.m * p.k, p.k * p.n, p.m * p.n)
        sizes = (self.dispatcher.device.numpy_dtype(dtype).itemsize for dtype in self.dtypes)
        return p.batch * sum(count * size for count, size in zip(counts, sizes, strict=True))

    def launch(self) -> None:
        """Run the plan once, and wait for it."""
        addresses = [tensor.address for tensor in self.tensors]
        self.dispatcher.launch(self.plan, addresses, None)
        self.dispatcher.synchronize()

    def compare(self) -> Comparison:
        """How what the last launch left in C differs from the reference."""
        from ckdispatch.reference.gemm import gemm_reference

        reference = gemm_reference(
            self.a,
            self.b,
            output=self.dtypes[2],
            split_k=self.plan.parts,
            k_granule=self.spec["warp_tile"][2],
        )
        comparison: Comparison = reference.compare(self._download())
        return comparison

    def _random(self, random: Any, shape: tuple[int, ...], dtype: str) -> NDArray[Any]:
        import numpy as np

        from ckdispatch.reference.dtypes import convert, dtype_encoding

        if dtype == "pk_fp4":
            raise InvalidArgument(
                "operands of pk_fp4, which are two to a byte, cannot be made on the command line"
            )
        kind = self.dispatcher.device.numpy_dtype(dtype)
        # Half of what can be addressed is more than any machine has, and beyond it NumPy errs.
        if math.prod(shape) * 8 > sys.maxsize // 2:
            raise OutOfMemory(f"an operand of {extents(shape)} elements fits into no memory")
        if np.issubdtype(kind, np.integer):
            least, most = np.iinfo(kind).min, np.iinfo(kind).max
            values: NDArray[Any] = random.integers(least, most, shape, kind, endpoint=True)
            return values
        return convert(random.standard_normal(shape, np.float32), dtype, dtype_encoding(kind))

    def _memory(self, operand: int) -> tuple[int, int, int]:
        """Matrices, lines and elements from a line to the next, as the plan's problem has them."""
        p = self.plan.problem
        rows, columns = ((p.m, p.k), (p.k, p.n), (p.m, p.n))[operand]
        lines, width = (rows, columns) if p.layout[operand] == "r" else (columns, rows)
        return p.batch, lines, (p.stride_a, p.stride_b, p.stride_c)[operand] or width

    def _seen(self, operand: int, memory: NDArray[Any], shape: tuple[int, int]) -> NDArray[Any]:
        """The upper left ``shape`` of each matrix in ``memory``."""
        by_rows = self.plan.problem.layout[operand] == "r"
        matrices = memory if by_rows else memory.swapaxes(1, 2)
        return matrices[:, : shape[0], : shape[1]]

    def _upload(self, operand: int, values: NDArray[Any]) -> DeviceTensor:
        import numpy as np

        # What padding adds is zero, which adds nothing to the product.
        memory = np.zeros(self._memory(operand), values.dtype)
        self._seen(operand, memory, values.shape[1:])[...] = values
        tensor = self.dispatcher.empty((memory.size,), self.dtypes[operand])
        tensor.write(memory.reshape(-1))
        return tensor

    def _output(self) -> DeviceTensor:
        device = self.dispatcher.device
        tensor = self.dispatcher.empty((math.prod(self._memory(2)),), self.dtypes[2])
        size = device.numpy_dtype(self.dtypes[2]).itemsize
        device.fill(tensor.address, _POISON, tensor.span * size)
        return tensor

    def _download(self) -> NDArray[Any]:
        memory = self.tensors[2].numpy().reshape(self._memory(2))
        return self._seen(2, memory, (self.problem.m, self.problem.n))
