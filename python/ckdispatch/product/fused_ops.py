# SPDX-License-Identifier: MIT
"""The names of operations on results, and what a bias makes of them."""

from __future__ import annotations

from ckdispatch.errors import InvalidArgument
from ckdispatch.wording import quoted

ADD = "MultiDAdd"
ACTIVATIONS = ("Relu", "Gelu", "FastGelu", "Silu", "Sigmoid", "Tanh")
FUSED_OPS = (
    "PassThrough",
    ADD,
    "MultiDMultiply",
    *(prefix + name for name in ACTIVATIONS for prefix in ("", ADD)),
)
"""All that there are."""


def takes_ds(operation: object) -> bool:
    """Whether a fused operation, if there is one, is on D tensors too."""
    return str(operation or "").startswith("MultiD")


def check_fused_op(fused_op: str | None) -> None:
    """Refuses what is no operation."""
    if fused_op is not None and (not isinstance(fused_op, str) or fused_op not in FUSED_OPS):
        raise InvalidArgument(
            f"the operation {quoted(fused_op)} was asked for; there are {', '.join(FUSED_OPS)}"
        )


def with_bias(fused_op: str | None) -> str | None:
    """The operation that adds a bias before ``fused_op``; None if that one does not add."""
    check_fused_op(fused_op)
    if fused_op is None or fused_op == "PassThrough":
        return ADD
    if fused_op.startswith(ADD):
        return fused_op
    return None if takes_ds(fused_op) else ADD + fused_op
