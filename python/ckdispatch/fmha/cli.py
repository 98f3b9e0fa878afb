# SPDX-License-Identifier: MIT
"""Attention as the commands see it;
``ckdispatch.cli.families.FamilyCommands`` says what is what.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ckdispatch.cli.config_options import ConfigOption, count, switch
from ckdispatch.cli.exits import UsageError
from ckdispatch.cli.families import ProblemOption, Workload
from ckdispatch.cli.report import Column, extents
from ckdispatch.wording import quoted

if TYPE_CHECKING:
    from ckdispatch.base_dispatcher import BaseDispatcher
    from ckdispatch.fmha.problem import FmhaProblem
    from ckdispatch.plan import Plan

FIELDS = {"variant": "variant", "dtype": "dtype", "mode": "mode", "pipeline": "pipeline"}
COLUMNS = tuple(
    Column(title) for title in ("variant", "heads", "features", "tile", "pipeline", "pads")
)


def _several(option: str, word: str) -> list[int]:
    """Some extents."""
    parts = word.split("x")
    if not all(part.isascii() and part.isdigit() and len(part) <= 9 for part in parts):
        raise UsageError(
            f"{option} is {quoted(word)}; it is numbers with x between them, "
            "such as 128x64x32x64x32x64"
        )
    return [int(part) for part in parts]


_SWITCHES = {
    "mask": "of attention: whether rows may keep a part of the keys",
    "lse": "whether the logarithm of the sum of exponentials is stored",
    "dropout": "of attention: whether scores are dropped",
    "soft_cap": "of attention: whether scores are capped",
    "scales": "of attention in fp8: whether p and o have scales",
    "paged": "of attention: whether keys are in pages",
    "merged": "of attention: whether the heads of q that share one of k are rows of one tile",
    "skip_min": "of attention: whether short sequences are left to another kernel",
    "bias_grad": "of attention's gradients: whether the bias has one",
    "deterministic": "of attention's gradients: whether each run gives the same bits",
}
CONFIG_OPTIONS = {
    "variant": ConfigOption(
        "of attention fwd, splitkv, combine, pagedkv, appendkv, batch_prefill, dot_do_o, dq_dk_dv, "
        "convert_dq, sum or sink"
    ),
    "dtype": ConfigOption("of q, k and v"),
    "mode": ConfigOption("of attention batch, or group for packed sequences"),
    "hdim_q": ConfigOption("head size of q and k", count),
    "hdim_v": ConfigOption("head size of v", count),
    **{name: ConfigOption(meaning, switch) for name, meaning in _SWITCHES.items()},
    "bias": ConfigOption("of attention none, elementwise or alibi"),
    "rotary": ConfigOption("of appended keys none, interleaved or half"),
    "max_splits": ConfigOption("parts of the keys that a kernel combines at most", count),
    "pipeline": ConfigOption("of attention such as qr or qr_async"),
    "tile": ConfigOption("of attention such as 128x64x32x64x32x64", _several),
    "waves": ConfigOption("of attention such as 4x1x1", _several),
    "warp_tile": ConfigOption("of one matrix instruction", _several),
    "pads": ConfigOption(
        "of attention for rows, keys and the head sizes, such as 1x1x0x0", _several
    ),
    "occupancy": ConfigOption("workgroups of a compute unit that registers are kept for", count),
}


def _with_splits(problem: FmhaProblem, parts: str, *_: object) -> FmhaProblem:
    if parts == "auto":
        return replace(problem, splits=0)
    if parts.isascii() and parts.isdigit() and len(parts) < 10 and int(parts) > 0:
        return replace(problem, splits=int(parts))
    raise UsageError(f"--splits is {quoted(parts)}; it is a whole number of at least 1, or `auto`")


PROBLEM_OPTIONS = {
    "splits": ProblemOption(
        "parts that the keys of an attention are computed in, or auto", _with_splits, "N"
    )
}


def cells(spec: Mapping[str, Any]) -> tuple[str, ...]:
    heads = (
        f"{spec['hdim_q']}/{spec['hdim_v']}"
        if spec["hdim_q"] != spec["hdim_v"]
        else str(spec["hdim_q"])
    )
    words = [str(spec["mode"]), *(name for name in _SWITCHES if spec[name])]
    words += [str(spec[name]) for name in ("bias", "rotary") if spec[name] != "none"]
    if spec["max_splits"]:
        words.append(f"{spec['max_splits']} parts")
    variant = f"{spec['variant']}/{spec['dtype']}"
    return (
        variant,
        heads,
        " ".join(words),
        extents(spec["tile"]),
        str(spec["pipeline"]),
        extents(spec["pads"]),
    )


def workgroup_size(spec: Mapping[str, Any], wave_size: int) -> int:
    """Three triples of one number of waves are those of three products."""
    return int(math.prod(spec["waves"][:3])) * wave_size


def notes(plan: Plan[FmhaProblem]) -> tuple[str, ...]:
    kernels = plan.kernels
    return (
        (f"it is computed in {len(kernels)} stages: {', '.join(kernels)}",)
        if len(kernels) > 1
        else ()
    )


def kernel_set(_problem: FmhaProblem) -> None:
    # Stages of one attention are kernels of several sets.
    return None


def workload(
    dispatcher: BaseDispatcher, problem: FmhaProblem, plan: Plan[FmhaProblem], seed: int | None
) -> Workload:
    from ckdispatch.fmha.workload import FmhaWorkload

    return FmhaWorkload(dispatcher, problem, plan, seed)
