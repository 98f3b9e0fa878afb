# SPDX-License-Identifier: MIT
"""What attention kernels should compute, in NumPy, and how far a right result may be from it."""

from ckdispatch.fmha.reference.calls import (
    Backward,
    Forward,
    backward,
    backward_varlen,
    forward,
    forward_varlen,
)
from ckdispatch.fmha.reference.combine import combine, with_sink
from ckdispatch.fmha.reference.options import Attention
from ckdispatch.fmha.reference.philox import keep_threshold, random_bytes
from ckdispatch.fmha.reference.scores import alibi_slopes

__all__ = [
    "Attention",
    "Backward",
    "Forward",
    "alibi_slopes",
    "backward",
    "backward_varlen",
    "combine",
    "forward",
    "forward_varlen",
    "keep_threshold",
    "random_bytes",
    "with_sink",
]
