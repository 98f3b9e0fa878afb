# SPDX-License-Identifier: MIT
"""The reference of a GEMM: C[m,n] = op(A[m,k] * B[k,n], D...), batched or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from ckarch import UnknownNameError, load_specs
from numpy.typing import NDArray

from ckdispatch.errors import InvalidArgument
from ckdispatch.reference.dtypes import dtype_encoding, dtype_name, numpy_dtype
from ckdispatch.reference.formats import FloatFormat, Wide, is_float, round_to, widened
from ckdispatch.reference.fused_ops import FusedOp, look_up_fused_op
from ckdispatch.reference.tolerance import (
    STORED,
    Tolerance,
    rounding_error,
    store_unit,
    sum_error,
)

if TYPE_CHECKING:
    from ckdispatch.comparison import Comparison


@dataclass(frozen=True, eq=False)
class GemmReference:
    """A product in float64, the same as stored in the output dtype, and the allowed error."""

    exact: Wide
    rounded: NDArray[Any]
    tolerance: Tolerance

    def compare(self, actual: NDArray[Any]) -> Comparison:
        """How ``actual``, which must be of the output dtype, differs from this."""
        from ckdispatch.comparison import compare

        if actual.dtype != self.rounded.dtype:
            raise InvalidArgument(
                f"the result is of {actual.dtype} and the reference of {self.rounded.dtype}; "
                "a tolerance belongs to its dtype, so name the output's when making the reference"
            )
        return compare(actual, self.exact, self.tolerance)


def gemm(
    a: NDArray[Any],
    b: NDArray[Any],
    *,
    ds: Sequence[NDArray[Any]] = (),
    fused_op: str = "PassThrough",
    output: str | None = None,
) -> NDArray[Any]:
    """The product, summed in float64 (integers exactly) and rounded once to the output dtype.

    Arguments are as for ``gemm_reference``.
    """
    return gemm_reference(a, b, ds=ds, fused_op=fused_op, output=output).rounded


def gemm_reference(
    a: NDArray[Any],
    b: NDArray[Any],
    *,
    ds: Sequence[NDArray[Any]] = (),
    fused_op: str = "PassThrough",
    output: str | None = None,
    split_k: int = 1,
    k_granule: int = 1,
    most_parts: int | None = None,
    parts_in: str = "output",
) -> GemmReference:
    """The product of A[m,k] and B[k,n], with what a kernel's result may differ from it by.

    Arrays are in this logical orientation with any strides; a layout is the business of whoever
    hands them to a kernel. Either may have a leading batch extent, and one without is used for the
    whole batch. Each D tensor must broadcast to C. ``output`` is a dtype's name, by default what
    kernels store for these operands; 8-bit outputs take their encoding from the operands.

    ``split_k`` parts are each rounded to the output dtype and added up in it, in any order, as
    kernels do by atomic additions. A part takes K / ``split_k`` terms, rounded up to a multiple of
    ``k_granule``, which for CK is the k of the warp tile. If only some of these parts are added
    apart, but it is not known which, ``most_parts`` is how many at most. With ``parts_in``
    "accumulator" they are kept and added up in the accumulator's dtype instead.
    """
    _check_shapes(a, b)
    accumulator, stored = _dtypes(a, b, output)
    op = look_up_fused_op(fused_op, len(ds))
    _check_options(op, stored, split_k, k_granule, parts_in)
    apart = split_k if parts_in == "output" else 1
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        parts = _parts(widened(a), widened(b), apart, k_granule)
        roundings = min(len(parts), most_parts or len(parts)) - 1
        terms = split_k - apart + (0 if _multiply_exactly(a.dtype, b.dtype, accumulator) else 1)
        product, error = _product(parts, roundings, terms, accumulator, stored)
        wide_ds = [_broadcast(d, product.shape) for d in ds]
        exact = op.value(product, wide_ds)
        if op.name != "PassThrough":
            error = error + rounding_error(product, stored)
            error = op.error(product, exact, wide_ds, error)
        if not is_float(stored) and error.any():
            # In between it was float32, and what is behind the point is cut off.
            exact, error = np.trunc(exact), error + 1.0
    return GemmReference(
        exact, round_to(exact, stored), Tolerance(error, roundings=STORED)
    )


def _product(
    parts: Sequence[tuple[Wide, Wide]],
    roundings: int,
    terms: int,
    accumulator: np.dtype[Any],
    stored: np.dtype[Any],
) -> tuple[Wide, Wide]:
    """The sum of all parts, and its error before the last rounding to the output dtype.

    ``terms`` are what an accumulator adds up beyond the depth of a part.
    """
    product = error = stored_parts = np.zeros(())
    for left, right in parts:
        one = left @ right
        own = sum_error(np.abs(left) @ np.abs(right), one, left.shape[-1] + terms, accumulator)
        product = product + one
        error = error + own
        stored_parts = stored_parts + np.abs(one) + own
    # One rounding when each part is stored, and one for each addition but the last, which `limits`
    # rounds. In whatever order they come, a partial sum is at most the sum of all magnitudes.
    smallest = FloatFormat.of(stored).smallest_subnormal if is_float(stored) else 0.0
    error = error + roundings * (store_unit(stored) * stored_parts + 2 * smallest)
    return _wrapped(product, accumulator), error


def _multiply_exactly(a: np.dtype[Any], b: np.dtype[Any], accumulator: np.dtype[Any]) -> bool:
    if not is_float(accumulator):
        return True
    bits = FloatFormat.of(a).precision + FloatFormat.of(b).precision
    return bits <= FloatFormat.of(accumulator).precision


def _parts(a: Wide, b: Wide, split_k: int, k_granule: int) -> list[tuple[Wide, Wide]]:
    k = a.shape[-1]
    size = max(1, -(-k // (split_k * k_granule))) * k_granule
    starts = range(0, max(k, 1), size)
    return [(a[..., i : i + size], b[..., i : i + size, :]) for i in starts]


def _wrapped(product: Wide, accumulator: np.dtype[Any]) -> Wide:
    """Integers wrap around as in the accumulator; float64 holds every sum of theirs exactly."""
    if is_float(accumulator):
        return product
    return product.astype(np.int64).astype(accumulator).astype(np.float64)


def _dtypes(
    a: NDArray[Any], b: NDArray[Any], output: str | None
) -> tuple[np.dtype[Any], np.dtype[Any]]:
    encodings = {dtype_encoding(a.dtype), dtype_encoding(b.dtype)} - {None}
    if len(encodings) > 1:
        raise InvalidArgument(
            f"A is of {a.dtype} and B of {b.dtype}; no GPU reads both encodings of 8-bit floats"
        )
    encoding = encodings.pop() if encodings else None
    try:
        pair = load_specs().dtype_combination(dtype_name(a.dtype), dtype_name(b.dtype))
    except UnknownNameError as error:
        raise InvalidArgument(str(error).rstrip(".")) from error
    return numpy_dtype(pair.accumulator), numpy_dtype(output or pair.output, encoding)


def _check_shapes(a: NDArray[Any], b: NDArray[Any]) -> None:
    shapes = f"A has the shape {a.shape} and B {b.shape}"
    if a.ndim not in (2, 3) or b.ndim not in (2, 3):
        raise InvalidArgument(f"{shapes}; each must be a matrix, or a batch of them")
    if a.shape[-1] != b.shape[-2]:
        raise InvalidArgument(f"{shapes}; A's last extent and B's last but one must both be k")
    if a.ndim == b.ndim == 3 and a.shape[0] != b.shape[0]:
        raise InvalidArgument(f"{shapes}; both must have as many matrices")


def _check_options(
    op: FusedOp, stored: np.dtype[Any], split_k: int, k_granule: int, parts_in: str
) -> None:
    if parts_in not in ("output", "accumulator"):
        raise InvalidArgument(
            f"parts_in {parts_in!r} was asked for; parts are added up in the output or accumulator"
        )
    if split_k < 1 or k_granule < 1:
        raise InvalidArgument(
            f"split_k {split_k} with k_granule {k_granule} was asked for; both must be at least 1"
        )
    if split_k > 1 and parts_in == "output" and op.name != "PassThrough":
        raise InvalidArgument(
            f"{op.name} with split_k {split_k} was asked for, but it would be applied to each part "
            "and not to their sum; use split_k 1"
        )
    if not is_float(stored) and not op.for_integers:
        raise InvalidArgument(f"{op.name} is not defined for integers, and C is of {stored}")


def _broadcast(d: NDArray[Any], shape: tuple[int, ...]) -> Wide:
    try:
        return np.broadcast_to(widened(d), shape)
    except ValueError:
        raise InvalidArgument(
            f"a D tensor has the shape {d.shape}, which does not broadcast to that of C, {shape}"
        ) from None
