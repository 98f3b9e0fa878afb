# SPDX-License-Identifier: MIT
"""Attention of 8-bit numbers with a result of bf16, checked."""

from __future__ import annotations

from collections.abc import Iterator

import ckdispatch
import numpy as np
from attentions import Array, example, qkv
from ckdispatch.fmha.result import AttentionResult


def attend(dispatcher: ckdispatch.Dispatcher) -> Iterator[AttentionResult]:
    """Each tensor is divided by a number so that it fills what 8 bits hold,
    and the number is told.
    """
    fp8 = dispatcher.device.numpy_dtype(
        "fp8"
    )  # of which there are two encodings: GPUs compute in one

    def quantised(tensor: Array) -> tuple[Array, float]:
        scale = float(np.abs(tensor).max()) / 200
        return (tensor.astype(np.float32) / scale).astype(fp8), scale

    (q, of_q), (k, of_k), (v, of_v) = (
        quantised(one) for one in qkv(batch=1, rows=64, keys=100, heads=2, head_size=64)
    )
    yield dispatcher.attention(q, k, v, q_scale=of_q, k_scale=of_k, v_scale=of_v, validate=True)


if __name__ == "__main__":
    example(__doc__, attend)
