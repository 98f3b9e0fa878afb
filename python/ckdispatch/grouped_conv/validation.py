# SPDX-License-Identifier: MIT
"""What a plan's result is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ckdispatch.reference.conv_sizes import TENSORS, ConvSizes
from ckdispatch.reference.grouped_conv import grouped_conv_reference
from ckdispatch.reference.sums import Parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ckdispatch.reference.result import Reference


def expected(
    parts: int,
    spec: Mapping[str, Any],
    sizes: ConvSizes,
    a: NDArray[Any],
    b: NDArray[Any],
    bias: NDArray[Any] | None = None,
) -> Reference:
    """The reference of a direction, with the tolerance of the kernel that ``spec`` describes.

    ``a`` and ``b`` are the two tensors that the direction reads, ``parts`` what the plan divides
    its sum into. Each part is of whole tiles.
    """
    direction = spec["variant"]
    written = TENSORS[direction][2]
    return grouped_conv_reference(
        direction,
        a,
        b,
        sizes,
        bias=bias,
        fused_op=spec["fused_op"],
        output=spec[f"dtype_{written}"],
        parts=Parts(
            parts,
            spec["tile"][2],
            parts_in="accumulator" if spec["split_k"] == "workspace" else "output",
        ),
    )
