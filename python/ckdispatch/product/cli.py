# SPDX-License-Identifier: MIT
"""What the command line shows and asks about the kernels and problems of every product."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ckdispatch.cli.config_options import ConfigOption, count, triple
from ckdispatch.cli.exits import UsageError
from ckdispatch.cli.families import ProblemOption
from ckdispatch.cli.report import extents
from ckdispatch.wording import PARTS, quoted

COMMON = ("variant", "tile", "waves", "warp tile", "pipeline")

CONFIG_OPTIONS: Mapping[str, ConfigOption] = {
    "tile": ConfigOption("what a workgroup computes at a time, such as 64x64x64", triple),
    "waves": ConfigOption("that share the tile, such as 2x2x1", triple),
    "warp_tile": ConfigOption("of one matrix instruction, such as 32x32x16", triple),
    "pipeline": ConfigOption("such as compv3 or mem"),
    "epilogue": ConfigOption("cshuffle or default"),
    "scheduler": ConfigOption("intrawave or interwave"),
    "split_k": ConfigOption(f"how {PARTS} are added up: none, atomic or workspace"),
    "fused_op": ConfigOption("what is applied to the product, such as MultiDAddRelu"),
    "d_count": ConfigOption("D tensors that it takes", count),
}


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


def _with_split_k(problem: Any, parts: str, *_: object) -> Any:
    if parts == "auto":
        return replace(problem, split_k=0)
    if parts.isascii() and parts.isdigit() and len(parts) < 19 and int(parts) > 0:
        return replace(problem, split_k=int(parts))
    raise UsageError(f"--split-k is {quoted(parts)}; it is a whole number of at least 1, or `auto`")


SPLIT_K = ProblemOption(f"{PARTS}, or `auto`, in place of the problem's", _with_split_k, "PARTS")
