# SPDX-License-Identifier: MIT
"""What a plan's result is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ckdispatch.plan import Plan
    from ckdispatch.reference.gemm import GemmReference


def expected(plan: Plan, spec: Mapping[str, Any], a: NDArray[Any], b: NDArray[Any]) -> GemmReference:
    """The reference of A[m,k] * B[k,n] with the tolerance of the kernel that ``spec`` describes, as the plan runs it."""
    from ckdispatch.reference.gemm import gemm_reference

    # Parts of K begin where the kernel begins them, and it sees K as it was padded.
    k = plan.problem.k
    return gemm_reference(
        _extended(a, -1, k), _extended(b, -2, k), output=spec["dtype_c"], split_k=plan.parts, k_granule=spec["warp_tile"][2]
    )


def _extended(array: NDArray[Any], axis: int, extent: int) -> NDArray[Any]:
    import numpy as np

    if array.shape[axis] == extent:
        return array
    shape = list(array.shape)
    shape[axis] = extent - array.shape[axis]
    return np.concatenate([array, np.zeros(shape, array.dtype)], axis=axis)
