# SPDX-License-Identifier: MIT
"""The names of operations on results, where a caller gives a bias."""

from __future__ import annotations

from ckdispatch.problems.words import takes_ds

ADD = "MultiDAdd"


def with_bias(fused_op: str | None) -> str | None:
    """The operation that adds a bias before ``fused_op``; None if that one does not add."""
    if fused_op is None or fused_op == "PassThrough":
        return ADD
    if fused_op.startswith(ADD):
        return fused_op
    return None if takes_ds(fused_op) else ADD + fused_op
