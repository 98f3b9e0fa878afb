# SPDX-License-Identifier: MIT
"""What A and B accumulate in and store unless a spec says otherwise."""

from __future__ import annotations

from ckarch import ArchSpecs, UnknownNameError

from ckgen.product.spec import Dtype

EIGHT_BIT_FLOATS = (Dtype.FP8, Dtype.BF8)
INTEGERS = (Dtype.INT8, Dtype.INT32)


def is_product(a: Dtype, b: Dtype, arch: ArchSpecs) -> bool:
    """Whether any GPU multiplies ``a`` by ``b``."""
    try:
        arch.dtype_combination(a, b)
    except UnknownNameError:
        return False
    return True


def default_dtypes(a: Dtype, b: Dtype, arch: ArchSpecs) -> tuple[Dtype, Dtype]:
    """The accumulator and the output of ``a`` times ``b``.

    A pair that no GPU multiplies accumulates in fp32 and stores ``a``: such a spec can be built and
    named, and a rule refuses it.
    """
    try:
        combination = arch.dtype_combination(a, b)
        return Dtype(combination.accumulator), Dtype(combination.output)
    except UnknownNameError:
        return Dtype.FP32, a


def allowed_outputs(a: Dtype, b: Dtype, arch: ArchSpecs) -> tuple[Dtype, ...]:
    """What the epilogues can convert the accumulator to, beginning with the default.

    Any of the larger floats, and 8-bit ones too where the operands are 8-bit floats, because those
    say which of the two encodings is meant. CK converts to integers by dropping bits, so an integer
    is stored only where it is the accumulator; and it makes bf16 of an integer by keeping its low
    bits.
    """
    accumulator, output = default_dtypes(a, b, arch)
    small = EIGHT_BIT_FLOATS if {a, b} <= {*EIGHT_BIT_FLOATS} else ()
    brain = () if accumulator is Dtype.INT32 else (Dtype.BF16,)
    return tuple(dict.fromkeys((output, Dtype.FP16, *brain, Dtype.FP32, accumulator, *small)))


def bytes_of(elements: int, dtype: Dtype, arch: ArchSpecs) -> int:
    """The size of ``elements`` values, of which small dtypes pack several into a byte."""
    return int(elements * arch.dtype(dtype).bytes)
