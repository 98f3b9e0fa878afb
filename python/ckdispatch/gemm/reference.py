# SPDX-License-Identifier: MIT
"""The reference of a GEMM: C[m,n] = op(A[m,k] * B[k,n], D...), batched or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ckdispatch.comparison import Reference
from ckdispatch.errors import InvalidArgument
from ckdispatch.product.epilogue import look_up_fused_op
from ckdispatch.product.sums import (
    Arithmetic,
    Parts,
    check_epilogue,
    finished,
    products_of,
    sum_of_products,
)
from ckdispatch.reference.formats import Wide, check_array, stand_in, widened
from ckdispatch.reference.multiplication import Products, check_products
from ckdispatch.wording import kind_of


def gemm_reference(
    a: NDArray[Any],
    b: NDArray[Any],
    *,
    ds: Sequence[NDArray[Any]] = (),
    fused_op: str = "PassThrough",
    output: str | None = None,
    split_k: int = 1,
    k_multiple: int = 1,
    most_parts: int | None = None,
    parts_in: str = "output",
    products: Products | None = None,
) -> Reference:
    """The product of A[m,k] and B[k,n], with what a kernel's result may differ from it by.

    Arrays are in this logical orientation with any strides; a layout is the business of whoever
    hands them to a kernel. Either may have a leading batch extent, and one without is used for the
    whole batch. Each D tensor must broadcast to C. ``output`` is a dtype's name, by default what
    kernels store for these operands; 8-bit outputs take their encoding from the operands. Where
    ``products`` are given, the arrays only say what they are of. The other arguments are those of
    ``Parts``.
    """
    check_array("A", a)
    check_array("B", b)
    check_products(products)
    if not isinstance(ds, (list, tuple)):
        raise InvalidArgument(f"ds is {kind_of(ds)}; it is a list of D tensors")
    for d in ds:
        check_array("a D tensor", d)
    _check_shapes(a, b)
    arithmetic = Arithmetic.of(("A", "B"), a, b, output)
    op = look_up_fused_op(fused_op, len(ds))
    parts = Parts(split_k, k_multiple, most_parts, parts_in)
    check_epilogue(op, "C", arithmetic, parts)
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        found = products_of(widened(a), widened(b)) if products is None else products
        product, error = sum_of_products(found, a.shape[-1], arithmetic, parts)
        wide_ds = [_broadcast(d, product.shape) for d in ds]
        return finished(product, error, op, wide_ds, arithmetic)


def _check_shapes(a: NDArray[Any], b: NDArray[Any]) -> None:
    shapes = f"A has the shape {a.shape} and B {b.shape}"
    if a.ndim not in (2, 3) or b.ndim not in (2, 3):
        raise InvalidArgument(f"{shapes}; each must be a matrix, or a batch of them")
    if a.shape[-1] != b.shape[-2]:
        raise InvalidArgument(f"{shapes}; A's last extent and B's last but one must both be k")
    if a.ndim == b.ndim == 3 and a.shape[0] != b.shape[0]:
        raise InvalidArgument(f"{shapes}; both must have as many matrices")


def _broadcast(d: NDArray[Any], shape: tuple[int, ...]) -> Wide:
    try:
        return np.broadcast_to(widened(d), shape)
    except ValueError:
        raise InvalidArgument(
            f"a D tensor has the shape {d.shape}, which does not broadcast to that of C, {shape}"
        ) from None


def expected(
    parts: int,
    spec: Mapping[str, Any],
    a: NDArray[Any],
    b: NDArray[Any],
    *,
    k: int | None = None,
    ds: Sequence[NDArray[Any]] = (),
    products: Products | None = None,
) -> Reference:
    """The reference of A[m,k] * B[k,n] with the tolerance of the kernel that ``spec`` describes.

    ``parts`` is what the plan divides K into, and ``k`` what it computes if that is padded: parts
    begin where the kernel begins them. ``products`` are those of A and B, if they are known.
    """
    if k is not None:
        a, b = _extended(a, -1, k, products), _extended(b, -2, k, products)
    arithmetic = arithmetic_of(parts, spec, a.shape[-1])
    return gemm_reference(a, b, ds=ds, products=products, **arithmetic)


def arithmetic_of(parts: int, spec: Mapping[str, Any], k: int) -> dict[str, Any]:
    """How a kernel computes, as arguments of ``gemm_reference``: kernels that have the same have
    the same reference.
    """
    result = {"fused_op": spec["fused_op"], "output": spec["dtype_c"]}
    tile_k = spec["tile"][2]
    shares = spec["variant"] == "stream_k"
    # Where shares of stream-K end is the kernel's business; they are whole tiles.
    split_k = -(-k // tile_k) if shares else parts
    if split_k == 1:
        return result
    return result | {
        "split_k": split_k,
        "k_multiple": tile_k if shares else spec["warp_tile"][2],
        "most_parts": parts,
        "parts_in": "accumulator" if spec["split_k"] == "workspace" else "output",
    }


def _extended(
    array: NDArray[Any], axis: int, extent: int, products: Products | None
) -> NDArray[Any]:
    if array.shape[axis] == extent:
        return array
    shape = list(array.shape)
    if products:
        shape[axis] = extent
        return stand_in(shape, array.dtype)
    shape[axis] = extent - array.shape[axis]
    return np.concatenate([array, np.zeros(shape, array.dtype)], axis=axis)
