# SPDX-License-Identifier: MIT
"""What lists show about the kernels of every family."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ckdispatch.cli.units import extents

COMMON = ("variant", "tile", "waves", "warp tile", "pipeline")


def common_cells(spec: Mapping[str, Any]) -> tuple[str, ...]:
    """The cells under ``COMMON``."""
    triples = (extents(spec[name]) for name in ("tile", "waves", "warp_tile"))
    return (_variant(spec), *triples, str(spec["pipeline"]))


def _variant(spec: Mapping[str, Any]) -> str:
    """With the operation that is fused to the result, and how parts of the sum are added up."""
    words = [str(spec["variant"])]
    if spec["fused_op"] != "PassThrough":
        words += [str(spec["fused_op"]), f"d{spec['d_count']}"]
    if spec["split_k"] != "none":
        words.append(str(spec["split_k"]))
    return "/".join(words)


def workgroup_size(spec: Mapping[str, Any], wave_size: int) -> int:
    """Work-items of a workgroup on a GPU with waves of ``wave_size``."""
    return int(math.prod(spec["waves"])) * wave_size
