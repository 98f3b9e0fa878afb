# SPDX-License-Identifier: MIT
"""Kernels said by options: the fields of a declaration's entry, whatever its family."""

from __future__ import annotations

import argparse
from typing import Any

from ckdispatch.cli.exits import UsageError
from ckdispatch.problems.words import PARTS
from ckdispatch.wording import quoted

_TRIPLES = ("tile", "waves", "warp_tile", "vector")
_SWITCHES = ("persistent",)
_COUNTS = ("d_count", "ndim_spatial", "merged_groups")
_WORDS = {
    "ndim_spatial": "of a convolution: 1, 2 or 3",
    "dtype": "of A and B, or x and w, such as fp16",
    "layout": "rows or columns for A, B and C, such as rcr, or of a convolution channels_last or"
    " channels_first",
    "tile": "what a workgroup computes at a time, such as 64x64x64",
    "waves": "that share the tile, such as 2x2x1",
    "warp_tile": "of one matrix instruction, such as 32x32x16",
    "pipeline": "such as compv3 or mem",
    "pad": "the extents that need be no multiple of the tile: letters of mnk, or none",
    "epilogue": "cshuffle or default",
    "scheduler": "intrawave or interwave",
    "persistent": "true if a workgroup computes several tiles",
    "split_k": f"how {PARTS} are added up: none, atomic or workspace",
    "variant": "standard, batched, grouped, multi_d, preshuffle or stream_k, or of a convolution"
    " forward, backward_data or backward_weight",
    "vector": "elements of A, B and C that a convolution moves at a time, such as 8x8x8",
    "merged_groups": "groups of a convolution that a workgroup computes at once",
    "specialization": "of a convolution, such as filter_1x1_pad0",
    "dtype_a": "where it is not that of --dtype",
    "dtype_b": "where it is not that of A",
    "dtype_c": "where it is not the usual one",
    "fused_op": "what is applied to the product, such as MultiDAddRelu",
    "d_count": "D tensors that it takes",
    "dtype_d": "of them, where it is not that of C",
    "d_layout": "of them: r for rows, c for columns",
}


def add_config_options(parser: argparse.ArgumentParser) -> None:
    """An option for each field."""
    group = parser.add_argument_group(
        "the kernels, in words",
        "Each may be several choices with commas between them, or '*' for every legal one.",
    )
    group.add_argument(
        "--family",
        metavar="NAME",
        help="gemm or grouped_conv; by default the first that has all of these fields",
    )
    for name, meaning in _WORDS.items():
        group.add_argument(
            f"--{name.replace('_', '-')}", dest=f"field_{name}", metavar=name.upper(), help=meaning
        )


def said_entries(options: argparse.Namespace) -> dict[str, Any] | None:
    """A declaration with one entry of the fields that were said, or None if none was."""
    said = {name: getattr(options, f"field_{name}") for name in _WORDS}
    entry = {name: _value(name, text) for name, text in said.items() if text is not None}
    if not entry:
        return None
    return {"family": options.family or _family(entry), "kernels": [entry]}


def _family(entry: dict[str, Any]) -> str:
    from ckdispatch.config.parse import CONFIGS

    for family, config in CONFIGS.items():
        if entry.keys() <= set(config.field_names()):
            return family
    words = " and ".join(f"--{name.replace('_', '-')}" for name in entry)
    raise UsageError(f"{words} were said together; no family's kernels have all of these")


def _value(name: str, text: str) -> Any:
    if text == "*":
        return text
    choices = [_choice(name, word.strip()) for word in text.split(",")]
    return choices[0] if len(choices) == 1 else choices


def _is_number(word: str) -> bool:
    """Nothing that is counted here has more than nine digits."""
    return word.isascii() and word.isdigit() and len(word) <= 9


def _choice(name: str, word: str) -> Any:
    option = f"--{name.replace('_', '-')}"
    if name in _TRIPLES:
        parts = word.split("x")
        if len(parts) != 3 or not all(_is_number(part) for part in parts):
            raise UsageError(f"{option} is {quoted(word)}; it is MxNxK, such as 64x64x64")
        return [int(part) for part in parts]
    if name in _SWITCHES:
        if word not in ("true", "false"):
            raise UsageError(f"{option} is {quoted(word)}; it is true or false")
        return word == "true"
    if name in _COUNTS:
        if not _is_number(word):
            raise UsageError(f"{option} is {quoted(word)}; it is a whole number")
        return int(word)
    if name == "pad":
        if word != "none" and (not word or set(word) - set("mnk")):
            raise UsageError(f"--pad is {quoted(word)}; it is `none`, or letters of mnk, such as mn")
        return [letter in word and word != "none" for letter in "mnk"]
    return word
