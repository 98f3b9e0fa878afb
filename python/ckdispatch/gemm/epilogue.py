# SPDX-License-Identifier: MIT
"""What a call wants to be done to its product."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ckdispatch.errors import InvalidArgument
from ckdispatch.problems.fused_ops import ADD, check_fused_op, with_bias
from ckdispatch.wording import quoted


def resolve(ds: Sequence[Any], bias: Any, fused_op: str | None) -> tuple[list[Any], str | None]:
    """The D tensors, and the name of the operation on them and the product.

    A bias is the first D tensor, and is added before an activation such as ``Relu``. D tensors
    without an operation are added.
    """
    if not isinstance(ds, (list, tuple)):
        raise InvalidArgument(f"ds was asked for as {quoted(ds)}; it is a list of D tensors")
    check_fused_op(fused_op)
    if bias is None:
        return list(ds), fused_op if fused_op or not ds else ADD
    shape = getattr(bias, "shape", None)
    if not isinstance(shape, tuple) or len(shape) != 1:
        raise InvalidArgument(
            f"a bias of the shape {shape} was given; it is a vector with a value for each column. "
            "Give other shapes as ds"
        )
    together = with_bias(fused_op)
    if together is None:
        raise InvalidArgument(
            f"a bias was given with {fused_op}, and a bias is added; give the vector as one of ds"
        )
    return [bias, *ds], together
