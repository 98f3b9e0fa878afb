# SPDX-License-Identifier: MIT
"""Sums of products as kernels make them: dtypes, parts, what comes after, and the error of it all.

Whatever a family computes is a matrix product to its kernels: rows of a left factor times columns
of a right one, summed over a common extent, which is called K here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from ckarch import DtypeCombination, UnknownNameError, load_specs
from numpy.typing import NDArray

from ckdispatch.arguments import needed
from ckdispatch.comparison import Reference
from ckdispatch.errors import InvalidArgument
from ckdispatch.product.epilogue import FusedOp
from ckdispatch.reference.dtypes import dtype_encoding, dtype_name, numpy_dtype
from ckdispatch.reference.formats import FloatFormat, Wide, is_float, round_to
from ckdispatch.reference.multiplication import Products
from ckdispatch.reference.tolerance import STORED, Tolerance, rounding_error, store_unit, sum_error
from ckdispatch.wording import quoted


@dataclass(frozen=True)
class Arithmetic:
    """The dtypes of a computation: ``stored`` is that of the result.

    ``exact_products`` says whether the accumulator holds every product of two elements exactly.
    """

    accumulator: np.dtype[Any]
    stored: np.dtype[Any]
    exact_products: bool

    @classmethod
    def of(
        cls, names: tuple[str, str], a: NDArray[Any], b: NDArray[Any], output: str | None
    ) -> Arithmetic:
        """How kernels multiply ``a`` and ``b``, which sentences call by their ``names``.

        ``output`` is a dtype's name, by default what kernels store for these operands; 8-bit
        outputs take their encoding from the operands.
        """
        if output is not None and not isinstance(output, str):
            raise InvalidArgument(
                f"output was asked for as {quoted(output)}; it is the name of a dtype"
            )
        encodings = {dtype_encoding(a.dtype), dtype_encoding(b.dtype)} - {None}
        if len(encodings) > 1:
            raise InvalidArgument(
                f"{names[0]} is of {a.dtype} and {names[1]} of {b.dtype}; no GPU reads both "
                "encodings of 8-bit floats"
            )
        encoding = encodings.pop() if encodings else None
        pair = _combination(dtype_name(a.dtype), dtype_name(b.dtype))
        accumulator = numpy_dtype(pair.accumulator)
        stored = numpy_dtype(output or pair.output, encoding)
        return cls(accumulator, stored, _multiply_exactly(a.dtype, b.dtype, accumulator))


@dataclass(frozen=True)
class Parts:
    """How a kernel divides K, and where it adds the parts up.

    ``split_k`` parts are each rounded to the output dtype and added up in it, in any order, as
    kernels do by atomic additions. A part takes K / ``split_k`` terms, rounded up to a multiple of
    ``k_multiple``, which for CK is the k of the warp tile. If only some of these parts are added
    apart, but it is not known which, ``most_parts`` is how many at most. With ``parts_in``
    "accumulator" they are kept and added up in the accumulator's dtype instead.
    """

    split_k: int = 1
    k_multiple: int = 1
    most_parts: int | None = None
    parts_in: str = "output"

    def __post_init__(self) -> None:
        for name in (
            "split_k",
            "k_multiple",
            *(("most_parts",) if self.most_parts is not None else ()),
        ):
            object.__setattr__(self, name, needed(name, getattr(self, name)))
        if not isinstance(self.parts_in, str) or self.parts_in not in ("output", "accumulator"):
            raise InvalidArgument(
                f"parts_in {quoted(self.parts_in)} was asked for; "
                "parts are added up in the output or accumulator"
            )
        if self.split_k < 1 or self.k_multiple < 1:
            raise InvalidArgument(
                f"split_k {self.split_k} with k_multiple {self.k_multiple} was asked for; "
                "both must be at least 1"
            )

    @property
    def stored_apart(self) -> int:
        """How many parts are rounded to the output dtype."""
        return self.split_k if self.parts_in == "output" else 1

    def ranges(self, k: int) -> Iterator[slice]:
        """The parts of K that are rounded to the output dtype."""
        size = max(1, -(-k // (self.stored_apart * self.k_multiple))) * self.k_multiple
        for start in range(0, max(k, 1), size):
            yield slice(start, min(start + size, k))


WHOLE = Parts()
"""A sum in one part."""


def check_epilogue(op: FusedOp, output: str, arithmetic: Arithmetic, parts: Parts) -> None:
    """Refuses an operation that the dtype of ``output`` or the parts of its sum do not allow."""
    if parts.stored_apart > 1 and op.name != "PassThrough":
        raise InvalidArgument(
            f"{op.name} with split_k {parts.split_k} was asked for, but it would be applied to "
            "each part and not to their sum; use split_k 1"
        )
    if not is_float(arithmetic.stored) and not op.for_integers:
        raise InvalidArgument(
            f"{op.name} is not defined for integers, and {output} is of {arithmetic.stored}"
        )


def products_of(left: Wide, right: Wide) -> Products:
    """Those of ``left @ right``."""

    def products(part: slice) -> tuple[Wide, Wide]:
        a, b = left[..., part], right[..., part, :]
        return a @ b, np.abs(a) @ np.abs(b)

    return products


def sum_of_products(
    products: Products, k: int, arithmetic: Arithmetic, parts: Parts, depth: int | None = None
) -> tuple[Wide, Wide]:
    """The sums over K, and their error before the last rounding to the output dtype.

    ``depth`` is how many terms of a sum are not just zeros, at most; by default it is K.
    """
    accumulator, stored = arithmetic.accumulator, arithmetic.stored
    # What an accumulator adds up beyond the terms of a part, or loses as one more addition would.
    more = parts.split_k - parts.stored_apart + (0 if arithmetic.exact_products else 1)
    product = error = stored_parts = np.zeros(())
    count = 0
    for part in parts.ranges(k):
        one, magnitudes = products(part)
        size = part.stop - part.start
        terms = size if depth is None else min(depth, size)
        own = sum_error(magnitudes, one, terms + more, accumulator)
        product = product + one
        error = error + own
        stored_parts = stored_parts + np.abs(one) + own
        count += 1
    # One rounding when each part is stored, and one for each addition but the last, which `limits`
    # rounds. In whatever order they come, a partial sum is at most the sum of all magnitudes.
    roundings = min(count, parts.most_parts or count) - 1
    smallest = FloatFormat.of(stored).smallest_subnormal if is_float(stored) else 0.0
    error = error + roundings * (store_unit(stored) * stored_parts + 2 * smallest)
    return _wrapped(product, accumulator), error


def finished(
    product: Wide, error: Wide, op: FusedOp, ds: Sequence[Wide], arithmetic: Arithmetic
) -> Reference:
    """What a kernel's epilogue makes of sums and stores; D tensors have the shape of the sums."""
    stored = arithmetic.stored
    exact = op.value(product, ds)
    if op.name != "PassThrough":
        error = error + rounding_error(product, stored)
        error = op.error(product, exact, ds, error)
    if not is_float(stored) and error.any():
        # In between it was float32, and what is behind the point is cut off.
        exact, error = np.trunc(exact), error + 1.0
    return Reference(exact, round_to(exact, stored), Tolerance(error, roundings=STORED))


@cache
def _combination(a: str, b: str) -> DtypeCombination:
    # Tests make thousands of references, and reading the facts takes longer than a small one.
    try:
        return load_specs().dtype_combination(a, b)
    except UnknownNameError as error:
        raise InvalidArgument(str(error).rstrip(".")) from error


def _multiply_exactly(a: np.dtype[Any], b: np.dtype[Any], accumulator: np.dtype[Any]) -> bool:
    if not is_float(accumulator):
        return True
    bits = FloatFormat.of(a).precision + FloatFormat.of(b).precision
    return bits <= FloatFormat.of(accumulator).precision


def _wrapped(product: Wide, accumulator: np.dtype[Any]) -> Wide:
    """Integers wrap around as in the accumulator; float64 holds every sum of theirs exactly."""
    if is_float(accumulator):
        return product
    return product.astype(np.int64).astype(accumulator).astype(np.float64)
