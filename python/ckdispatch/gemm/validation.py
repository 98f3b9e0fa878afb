# SPDX-License-Identifier: MIT
"""What a plan's result is compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ckdispatch.comparison import Comparison
    from ckdispatch.gemm.request import GemmCall
    from ckdispatch.plan import Plan
    from ckdispatch.reference.result import Reference


def expected(
    parts: int,
    spec: Mapping[str, Any],
    a: NDArray[Any],
    b: NDArray[Any],
    *,
    k: int | None = None,
    ds: Sequence[NDArray[Any]] = (),
) -> Reference:
    """The reference of A[m,k] * B[k,n] with the tolerance of the kernel that ``spec`` describes.

    ``parts`` is what the plan divides K into, and ``k`` what it computes if that is padded: parts
    begin where the kernel begins them.
    """
    from ckdispatch.reference.gemm import gemm_reference

    if k is not None:
        a, b = _extended(a, -1, k), _extended(b, -2, k)
    tile_k = spec["tile"][2]
    shares = spec["variant"] == "stream_k"
    return gemm_reference(
        a,
        b,
        ds=ds,
        fused_op=spec["fused_op"],
        output=spec["dtype_c"],
        # Where shares of stream-K end is the kernel's business; they are whole tiles.
        split_k=-(-a.shape[-1] // tile_k) if shares else parts,
        k_granule=tile_k if shares else spec["warp_tile"][2],
        most_parts=parts,
        parts_in="accumulator" if spec["split_k"] == "workspace" else "output",
    )


def validated(call: GemmCall, plan: Plan, result: Any, stream: int | None) -> Comparison:
    """How what a call gave differs from the reference; raises ``Mismatch`` if that is too much."""
    from ckdispatch.tensors.operands import operand

    device = call.dispatcher.device
    device.synchronize(stream)
    spec = call.dispatcher.registry[plan.kernel].spec
    reference = expected(
        plan.parts,
        spec,
        call.a.on_host,
        call.weights.plain() if call.weights else call.b.on_host,
        k=plan.problem.k,
        ds=[one.operand.on_host for one in call.ds],
    )
    comparison = reference.compare(operand("out", result, device).on_host)
    comparison.raise_if_bad()
    return comparison


def _extended(array: NDArray[Any], axis: int, extent: int) -> NDArray[Any]:
    import numpy as np

    if array.shape[axis] == extent:
        return array
    shape = list(array.shape)
    shape[axis] = extent - array.shape[axis]
    return np.concatenate([array, np.zeros(shape, array.dtype)], axis=axis)
