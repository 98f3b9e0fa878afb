# SPDX-License-Identifier: MIT
"""What the caller of a friendly call says about how its result is computed."""

from __future__ import annotations

from dataclasses import dataclass

from ckdispatch.errors import InvalidArgument
from ckdispatch.native.arguments import truth
from ckdispatch.whole_numbers import needed
from ckdispatch.wording import quoted


@dataclass(frozen=True)
class Wishes:
    """``dtype`` is that of the result; the others are those of ``Dispatcher.gemm``."""

    dtype: str | None = None
    split_k: int = 1
    deterministic: bool = False
    pad: bool = True
    timing: bool = False
    validate: bool = False

    def __post_init__(self) -> None:
        if self.dtype is not None and not isinstance(self.dtype, str):
            raise InvalidArgument(f"dtype was asked for as {quoted(self.dtype)}; it is a word such as 'fp16'")
        for name in ("deterministic", "pad", "timing", "validate"):
            object.__setattr__(self, name, truth(name, getattr(self, name)))
        object.__setattr__(self, "split_k", needed("split_k", self.split_k))
