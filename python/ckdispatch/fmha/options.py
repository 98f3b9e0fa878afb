# SPDX-License-Identifier: MIT
"""What the calls of attention take beside their tensors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ckdispatch.arguments import checked_by, in_range, truth, whole
from ckdispatch.errors import InvalidArgument
from ckdispatch.fmha.masks import mask_of
from ckdispatch.wording import quoted

_LARGEST = {"fnuz": 240.0, "ocp": 448.0}
"""Of fp8 in its encodings."""


@dataclass(frozen=True)
class Options:
    """As ``Methods.attention`` documents them."""

    causal: Any = False
    window: Any = None
    mask: Any = None
    scale: Any = None
    soft_cap: Any = None
    dropout_p: Any = 0.0
    seed: Any = None
    offset: Any = 0
    return_lse: Any = False
    return_randval: Any = False
    sink_tokens: Any = 0
    splits: Any = 0
    decode_rows: Any = 0
    deterministic: Any = False
    q_scale: Any = None
    k_scale: Any = None
    v_scale: Any = None
    o_scale: Any = None
    dtype: Any = None
    pad: Any = True
    stream: Any = None
    timing: Any = False
    validate: Any = False

    def __post_init__(self) -> None:
        for name in ("return_lse", "return_randval", "deterministic", "pad", "timing"):
            object.__setattr__(self, name, truth(name, getattr(self, name)))
        object.__setattr__(self, "validate", checked_by(self.validate))
        if self.dtype is not None and not isinstance(self.dtype, str):
            raise InvalidArgument(
                f"dtype was asked for as {quoted(self.dtype)}; it is a word such as 'bf16'"
            )

    @property
    def scaled(self) -> bool:
        """Whether there are scales of 8-bit floats."""
        return any(
            one is not None for one in (self.q_scale, self.k_scale, self.v_scale, self.o_scale)
        )

    def fields(self, hdim_q: int, encoding: str | None) -> dict[str, Any]:
        """Of a problem; ``encoding`` is that of q's 8-bit floats."""
        mask, window = mask_of(self.causal, self.window, self.mask)
        found: dict[str, Any] = {
            "mask": mask,
            "window": window,
            "scale": 0.0 if self.scale is None else number("scale", self.scale),
            "soft_cap": self._soft_cap(),
            "p_drop": number("dropout_p", self.dropout_p),
            "lse": self.return_lse,
            "randval": self.return_randval,
            "sink_tokens": in_range("sink_tokens", self.sink_tokens, 0, 2**31 - 1),
            "splits": in_range("splits", self.splits, 0, 2**31 - 1),
            "decode_rows": in_range("decode_rows", self.decode_rows, 0, 2**31 - 1),
            "deterministic": self.deterministic,
        }
        if not 0 <= found["p_drop"] < 1:
            raise InvalidArgument(
                f"dropout_p was asked for as {quoted(self.dropout_p)}; it is from 0 to less than 1"
            )
        if self.return_randval and not found["p_drop"]:
            raise InvalidArgument("return_randval was asked for without dropout; give a dropout_p")
        if self.scaled:
            found |= self._scales(found["scale"], hdim_q, encoding)
        return found

    def _soft_cap(self) -> float:
        if self.soft_cap is None:
            return 0.0
        cap = number("soft_cap", self.soft_cap)
        if cap <= 0:
            raise InvalidArgument(
                f"soft_cap was asked for as {quoted(self.soft_cap)}; it is more than 0, "
                "or None for no cap"
            )
        return cap

    def _scales(self, scale: float, hdim_q: int, encoding: str | None) -> dict[str, float]:
        """Those of q and k are a part of the scores' scale; numerators of softmax fill the range of
        8 bits.
        """
        if encoding is None:
            raise InvalidArgument(
                "q_scale, k_scale, v_scale or o_scale were given; they are for q, k and v of fp8"
            )
        q, k, v, o = (
            1.0 if one is None else number(name, one)
            for name, one in (
                ("q_scale", self.q_scale),
                ("k_scale", self.k_scale),
                ("v_scale", self.v_scale),
                ("o_scale", self.o_scale),
            )
        )
        if min(q, k, v, o) <= 0:
            raise InvalidArgument(
                f"the scales {q}, {k}, {v} and {o} of q, k, v and o were asked for; "
                "each is more than 0"
            )
        largest = _LARGEST[encoding]
        return {
            "scale": (scale or 1 / math.sqrt(max(1, hdim_q))) * q * k,
            "scale_p": largest,
            "scale_o": v / largest * o,
        }


def number(name: str, given: Any) -> float:
    """A finite number; also of NumPy."""
    try:
        value = float(given)
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if isinstance(given, (bool, str)) or not math.isfinite(value):
        raise InvalidArgument(f"{name} was asked for as {quoted(given)}; it is a finite number")
    return value


def seed_number(name: str, given: Any) -> int | None:
    """A number of 64 bits, or None if it is a tensor."""
    return (
        in_range(name, given, 0, 2**64 - 1) if whole(given) is not None or given is None else None
    )
