# SPDX-License-Identifier: MIT
"""What the problems of products, and calls that make them, have in common."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ckdispatch.arguments import checked_by, needed, truth
from ckdispatch.errors import InvalidArgument
from ckdispatch.problem import c_text, check_numbers, named_words
from ckdispatch.product.fused_ops import FUSED_OPS, check_fused_op
from ckdispatch.wording import quoted

_OPERATION = re.compile(r"[A-Z]\w*", re.ASCII)


@dataclass(frozen=True)
class CallOptions:
    """How a friendly call is to compute its result. ``dtype`` is that of the result."""

    dtype: str | None = None
    split_k: int = 1
    deterministic: bool = False
    pad: bool = True
    timing: bool = False
    validate: bool | str = False

    def __post_init__(self) -> None:
        if self.dtype is not None and not isinstance(self.dtype, str):
            raise InvalidArgument(
                f"dtype was asked for as {quoted(self.dtype)}; it is a word such as 'fp16'"
            )
        for name in ("deterministic", "pad", "timing"):
            object.__setattr__(self, name, truth(name, getattr(self, name)))
        object.__setattr__(self, "validate", checked_by(self.validate))
        object.__setattr__(self, "split_k", needed("split_k", self.split_k))


def check_options(what: str, problem: Any) -> None:
    """Refuses what no problem of a product can have."""
    check_numbers(what, problem, ("split_k", "alignment"))
    if problem.split_k < 0:
        raise InvalidArgument(
            f"{what} was asked for with split_k = {problem.split_k}; it is the number of parts, or "
            "0 for the dispatcher to choose"
        )
    if problem.workspace_limit is not None:
        check_numbers(what, problem, ("workspace_limit",))
        if problem.workspace_limit < 0:
            raise InvalidArgument(
                f"{what} was asked for with workspace_limit = {problem.workspace_limit}; it is a "
                "number of bytes, or None"
            )
    check_fused_op(problem.fused_op)
    object.__setattr__(problem, "deterministic", truth("deterministic", problem.deterministic))


def c_options(problem: Any) -> dict[str, Any]:
    """What the C structures of all products call alike. Their split_k of 0 is 1, and -1 lets the
    dispatcher choose.
    """
    return {
        "layout": c_text(problem.layout),
        "fused_op": c_text(problem.fused_op),
        "split_k": problem.split_k or -1,
        "alignment": problem.alignment,
        "deterministic": problem.deterministic,
        "workspace_limit": problem.workspace_limit or 0,
    }


def product_words(
    text: str, rest: str, name_of: Callable[[str], str | None], others: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """As ``named_words``; operations stand by themselves too."""

    def name(word: str) -> str | None:
        return name_of(word) or ("fused_op" if _OPERATION.fullmatch(word) else None)

    return named_words(text, rest, name, {**others, "operations": ", ".join(FUSED_OPS)})
