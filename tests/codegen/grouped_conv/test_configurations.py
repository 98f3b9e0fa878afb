# SPDX-License-Identifier: MIT
"""AMD's thirty combinations of pipeline, scheduler, buffers of LDS and store, in every direction.

Its ``si`` is a split image: here each kernel takes images in one piece or in bands, as the runtime
divides them, so that the word says nothing about a kernel and there are fifteen combinations twice.
"""

from __future__ import annotations

import pytest
from ckgen.core.declaration import parse_declaration
from ckgen.core.expand import expand
from ckgen.core.nearest import describe_change, nearest_legal
from ckgen.core.target import Target
from ckgen.families import FAMILIES
from ckgen.grouped_conv.spec import DIRECTION_WORDS, Variant
from codegen_support import ARCH

CONV = FAMILIES["grouped_conv"]
BOTH, ONE, TWO = (1, 2), (1,), (2,)
AMDS = {
    ("basic_v1", "intrawave"): BOTH,
    ("basic_v1", "interwave"): BOTH,
    ("compv3", "intrawave"): BOTH,
    ("compv4", "intrawave"): TWO,
    ("compv5", "intrawave"): BOTH,
    ("compv6", "intrawave"): BOTH,
    ("mem", "intrawave"): BOTH,
    ("mem", "interwave"): BOTH,
}
"""Which numbers of LDS buffers it has of each pipeline and scheduler."""
BUILT = {("compv3", 1), ("compv4", 2), ("compv6", 1), ("mem", 1)}
COMBINATIONS = [
    (pipeline, scheduler, buffers, direction)
    for (pipeline, scheduler), each in AMDS.items()
    for buffers in each
    for direction in Variant
]


def verdict(pipeline: str, scheduler: str, buffers: int, direction: str, **more: object) -> str:
    """Nothing if there is such a kernel for gfx950, else the sentence that refuses it."""
    entry = {
        "tile": [64, 64, 64],
        "waves": [2, 2, 1],
        "warp_tile": [32, 32, 16],
        "pipeline": pipeline,
        "scheduler": scheduler,
        "lds_buffers": buffers,
        **more,
    }
    declared = {
        "family": "grouped_conv",
        "variant": direction,
        "ndim_spatial": 2,
        "dtype": "bf16",
        "kernels": [entry],
    }
    expansion = expand(parse_declaration(declared, FAMILIES, ("gfx950",), "declared"), ARCH)
    assert len(expansion.kernels) + len(expansion.errors) == 1
    return "".join(expansion.errors)


def test_there_are_thirty() -> None:
    assert 2 * sum(len(buffers) for buffers in AMDS.values()) == 30


@pytest.mark.parametrize(("pipeline", "scheduler", "buffers", "direction"), COMBINATIONS)
def test_each_is_built_or_refused(
    pipeline: str, scheduler: str, buffers: int, direction: str
) -> None:
    said = verdict(pipeline, scheduler, buffers, direction)
    if (pipeline, buffers) in BUILT:
        assert not said
    elif pipeline == "basic_v1":
        assert "of basic_v1, it is not offered" in said
    elif buffers == 2:
        assert f"the pipeline {pipeline} has lds_buffers 1, not 2" in said
    else:
        # AMD's waves are those of the other pipelines, in one group.
        assert "the pipeline compv5 has waves 1x1x2, not 2x2x1" in said


def test_compv5_is_built_with_waves_that_take_turns() -> None:
    turns = {"waves": [1, 1, 2], "epilogue": "default", "vector": [8, 8, 1]}
    assert not verdict("compv5", "intrawave", 1, "forward", **turns)
    assert "wave_groups 2, not 1" in verdict(
        "compv5", "intrawave", 1, "forward", **turns, wave_groups=1
    )
    for direction in (Variant.BACKWARD_DATA, Variant.BACKWARD_WEIGHT):
        assert "only with rcr" in verdict("compv5", "intrawave", 1, direction, **turns)


OTHER_PIPELINE = "pipeline compv6 and wave_groups 1"
TURNS = {"waves": [1, 1, 2]}


@pytest.mark.parametrize(
    ("direction", "buffers", "more", "change"),
    [
        *((each, 1, {}, OTHER_PIPELINE) for each in Variant),
        *((each, 2, {}, "pipeline compv4 and wave_groups 1") for each in Variant),
        (Variant.FORWARD, 1, TURNS, "epilogue default and vector_c 1"),
        (Variant.BACKWARD_DATA, 1, TURNS, f"waves 2x2x1 and {OTHER_PIPELINE}"),
        (Variant.BACKWARD_WEIGHT, 1, TURNS, f"waves 2x2x1 and {OTHER_PIPELINE}"),
    ],
)
def test_amds_compv5_has_a_legal_kernel_near(
    direction: Variant, buffers: int, more: dict[str, object], change: str
) -> None:
    """What leaves its pipeline, or comes to it, has to change what goes with it too."""
    said = verdict("compv5", "intrawave", buffers, direction, **more)
    assert said.endswith(f"; the nearest legal choice is {change}")
    word = DIRECTION_WORDS[direction]
    waves = "1x1x2" if more else "2x2x1"
    name = f"{word}_bf16_nhwgc_2d_compv5_cshuffle_intrawave_64x64x64_{waves}_32x32x16"
    asked = CONV.parse_name(f"grouped_conv_{name}" + ("_lds2" if buffers == 2 else ""))
    nearest = nearest_legal(CONV, asked, Target.of(ARCH, "gfx950"))
    assert nearest is not None and describe_change(asked, nearest) == change
