# SPDX-License-Identifier: MIT
"""Multiplies tensors of other libraries, which are read where they are by the DLPack protocol; and
tensors of torch, if it is installed. Both are checked.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import ckdispatch
import numpy as np
from ckdispatch.errors import Mismatch
from program import Array, Results, example, whole_numbers


class Foreign:
    """A tensor of a library that ckdispatch does not know: it has nothing but the protocol."""

    def __init__(self, memory: Array) -> None:
        self.memory = memory

    def __dlpack__(self, **options: Any) -> Any:
        """A capsule with the address, the shape, the strides and the dtype."""
        return self.memory.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        kind, number = self.memory.__dlpack_device__()
        return int(kind), number


def multiply(dispatcher: ckdispatch.Dispatcher) -> Results:
    """`out=` may be such a tensor as well: the product is then written into its memory."""
    a, weights = whole_numbers(96, 72), whole_numbers(80, 72)
    memory = np.zeros((96, 80), np.float16)
    result = dispatcher.gemm(Foreign(a), Foreign(weights.T), out=Foreign(memory), validate=True)
    if not np.array_equal(memory, (a.astype(np.float32) @ weights.T).astype(np.float16)):
        raise Mismatch("the memory that was handed over does not have the product")
    yield f"{memory.shape} by {result.kernel} in the memory that was handed over"
    yield str(result.comparison)
    if find_spec("torch") is None:
        yield "torch is not installed, so none of its tensors were multiplied"
    else:
        yield from multiply_of_torch(dispatcher)


def multiply_of_torch(dispatcher: ckdispatch.Dispatcher) -> Results:
    """On an AMD GPU they are used where they are, and so is torch's stream."""
    import torch

    on_gpu = not dispatcher.device.simulated
    a = torch.randn(96, 72, dtype=torch.float16, device="cuda" if on_gpu else "cpu")
    weights = torch.randn(80, 72, dtype=torch.float16, device=a.device)
    stream = torch.cuda.current_stream() if on_gpu else None
    result = dispatcher.gemm(a, weights.T, stream=stream, validate=True)
    yield result
    if not torch.allclose(result.out.float(), a.float() @ weights.T.float(), rtol=1e-2, atol=1e-2):
        raise Mismatch("the product differs from that of torch")
    yield f"a {type(result.out).__module__}.{type(result.out).__name__}, as torch has it"


if __name__ == "__main__":
    example(__doc__, multiply)
