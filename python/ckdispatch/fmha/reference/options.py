# SPDX-License-Identifier: MIT
"""What an attention computes beside its tensors, and how its kernels round on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ckdispatch.errors import InvalidArgument
from ckdispatch.reference.formats import FloatFormat, Rounding, Wide
from ckdispatch.reference.multiplication import magnitudes
from ckdispatch.wording import quoted

MASKS = ("none", "top_left", "bottom_right")
"""In the order of the ABI's numbers."""
UNIT = 2.0**-24
"""Half a last place of float32, in which kernels keep scores, sums and softmax."""


@dataclass(frozen=True)
class Attention:
    """Everything of ``o = softmax(cap(scale * q k') + bias) v`` that is no tensor.

    ``scale`` None is ``1 / sqrt(hdim_q)``. ``soft_cap`` 0 is none. ``window`` is (left, right)
    around the diagonal of ``mask``, negative numbers are unlimited, causal is ``(-1, 0)``; without
    a mask it means nothing. Each row keeps the first ``sink_tokens`` keys in spite of its window's
    left end. ``p_drop``, ``seed`` and ``offset`` are those of dropout. ``scale_p`` and ``scale_o``
    belong to 8-bit floats.

    The rest is how a kernel computes, and matters to tolerances alone, but for ``vertical``: the
    form of ALiBi, slope * column, which changes LSE by a constant of each row; None is what kernels
    do, the vertical form if the window is causal. ``parts`` of the keys are computed apart and
    combined; ``part`` asks for one of them alone, as a kernel for split keys leaves it.
    ``p_rounding`` is how softmax's numerators become q's dtype (None: towards zero for fp16, which
    covers kernels that round to nearest), and ``flushes`` says that a matrix unit takes subnormal
    numbers for zeros. ``input_unit`` is the share by which elements of q and k may differ from what
    a kernel had, because it rotated them itself.
    """

    scale: float | None = None
    soft_cap: float = 0.0
    mask: str = "none"
    window: tuple[int, int] = (-1, -1)
    sink_tokens: int = 0
    p_drop: float = 0.0
    seed: int = 0
    offset: int = 0
    scale_p: float = 1.0
    scale_o: float = 1.0
    vertical: bool | None = None
    parts: int = 1
    part: int | None = None
    p_rounding: Rounding | None = None
    flushes: bool = False
    input_unit: float = 0.0

    def __post_init__(self) -> None:
        if self.mask not in MASKS:
            raise InvalidArgument(
                f"the mask {quoted(self.mask)} was asked for; masks are {', '.join(MASKS)}"
            )
        if not 0 <= self.p_drop < 1:
            raise InvalidArgument(
                f"dropout with a probability of {self.p_drop} was asked for; "
                "it is from 0 to less than 1"
            )
        if self.soft_cap < 0 or self.sink_tokens < 0 or self.parts < 1:
            raise InvalidArgument(
                f"a soft cap of {self.soft_cap}, {self.sink_tokens} sink tokens and {self.parts} "
                "parts were asked for; "
                "the first two are at least 0, parts at least 1"
            )

    def scale_of(self, hdim_q: int) -> float:
        """The factor of the scores, as float32 holds it."""
        return float(np.float32(1.0 / np.sqrt(hdim_q) if self.scale is None else self.scale))

    def columns(self, seqlen_k: int) -> tuple[int, int]:
        """From which column to which one a kernel computes: all of them, or those of its part."""
        if self.part is None:
            return 0, seqlen_k
        size = -(-seqlen_k // self.parts)
        return self.part * size, min(seqlen_k, (self.part + 1) * size)

    @property
    def is_causal(self) -> bool:
        """Whether rows keep all keys up to their own."""
        return self.mask != "none" and self.window[0] < 0 and self.window[1] == 0

    @property
    def kept(self) -> float:
        """What is kept by dropout is multiplied by this, which kernels have in float32."""
        return float(np.float32(1.0) / (np.float32(1.0) - np.float32(self.p_drop)))


@dataclass(frozen=True)
class Factor:
    """What becomes of the factors of a matrix product.

    One that was computed in float32 is rounded, by at most ``unit`` of it, or ``tiny``. Of one that
    was given, elements below ``flushed`` may count for nothing.
    """

    unit: float
    tiny: float
    flushed: float

    @classmethod
    def of(cls, dtype: np.dtype[Any], options: Attention) -> Factor:
        """For factors of ``dtype``."""
        if dtype.itemsize >= 4:
            return cls(0.0, 0.0, 0.0)
        form = FloatFormat.of(dtype)
        rounding = options.p_rounding or (
            Rounding.TOWARDS_ZERO if dtype == np.float16 else Rounding.NEAREST
        )
        times = 2.0 if rounding is Rounding.TOWARDS_ZERO else 1.0
        tiny = form.smallest_normal if options.flushes else times * form.smallest_subnormal / 2
        return cls(
            times * form.unit_roundoff, tiny, form.smallest_normal if options.flushes else 0.0
        )

    def lost(self, left: Wide, right: Wide) -> Wide | float:
        """The most that ``left @ right`` can lose by elements of ``right``
        that count for nothing.
        """
        small = np.abs(right)
        small = np.where(small < self.flushed, small, 0.0)
        return magnitudes(left, small) if small.any() else 0.0

    def lost_of_both(self, left: Wide, right: Wide) -> Wide | float:
        """The same if elements of either count for nothing."""
        other = self.lost(right.swapaxes(-1, -2), left.swapaxes(-1, -2))
        return self.lost(left, right) + (
            other.swapaxes(-1, -2) if isinstance(other, np.ndarray) else other
        )
