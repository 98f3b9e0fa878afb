# SPDX-License-Identifier: MIT
"""Loop variants and prefetch stages, as CK derives them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from ckgen.product.pipelines import PIPELINE_CLASSES, LoopVariant, loop_variants, prefetch_stages
from ckgen.product.spec import Dtype, Pipeline
from codegen_support import ARCH, GEMM, gemm

HEADERS = {
    Pipeline.MEM: "gemm_pipeline_ag_bg_cr_mem",
    Pipeline.COMPV3: "gemm_pipeline_ag_bg_cr_comp_v3",
    Pipeline.COMPV4: "gemm_pipeline_ag_bg_cr_comp_v4",
    Pipeline.COMPV5: "gemm_pipeline_ag_bg_cr_comp_v5",
    Pipeline.COMPV6: "gemm_pipeline_ag_bg_cr_comp_v6",
    Pipeline.COMP_ASYNC: "gemm_pipeline_ag_bg_cr_comp_async",
    Pipeline.PRESHUFFLEV2: "wp_pipeline_agmem_bgmem_creg_v2",
}
"""Where CK defines each pipeline."""


def variants(**changes: Any) -> list[str]:
    return [variant.suffix for variant in loop_variants(gemm(**changes), ARCH)]


def reached(pipeline: Pipeline, stages: int, loops: int) -> tuple[bool, str]:
    """The main loop and tail that a number of loops takes, in CK's words."""
    numbers = ("Full", "One", "Two", "Three", "Four", "Five", "Six", "Seven")
    if pipeline is Pipeline.MEM:
        return loops > stages, numbers[loops % stages]
    if pipeline is Pipeline.COMPV3:
        return loops > 2, "Full" if loops > 2 else ("Odd" if loops == 1 else "Even")
    if pipeline is Pipeline.COMPV6:
        return loops > 3, "Odd" if loops % 2 else "Even"
    if pipeline in (Pipeline.COMPV4, Pipeline.COMP_ASYNC):
        # CK's main loop would add two tiles too many to three, so those have no main loop.
        return loops > 3, "One" if loops == 1 else ("Three" if loops % 2 else "Two")
    if pipeline is Pipeline.PRESHUFFLEV2:
        return True, "Odd" if loops % 2 else "Even"
    return True, "Empty"


@pytest.mark.parametrize("pipeline", Pipeline)
@pytest.mark.parametrize("tile", [(16, 16, 32), (64, 16, 64), (64, 64, 64), (256, 256, 64)])
def test_every_loop_count_has_its_variant_and_none_is_superfluous(
    pipeline: Pipeline, tile: tuple[int, int, int]
) -> None:
    spec = gemm(pipeline=pipeline, tile=tile)
    stages = prefetch_stages(spec, ARCH)
    needed = {LoopVariant(*reached(pipeline, stages, loops)) for loops in range(1, 100)}
    offered = loop_variants(spec, ARCH)
    assert set(offered) == needed
    assert len(offered) == len(needed)


@pytest.mark.parametrize(
    ("changes", "stages"),
    [
        ({"tile": (128, 128, 32)}, 2),
        ({"tile": (128, 32, 64)}, 2),
        ({"tile": (64, 16, 64)}, 4),
        ({"tile": (64, 32, 32)}, 6),
        ({"tile": (16, 16, 32)}, 8),
        ({"tile": (16, 16, 32), "waves": (1, 1, 1)}, 4),
        ({"tile": (16, 16, 32), "waves": (2, 1, 1)}, 8),
        ({"tile": (64, 64, 64), "waves": (4, 2, 1)}, 2),
        ({"tile": (64, 32, 32), "dtype_a": Dtype.FP8, "dtype_b": Dtype.FP8}, 8),
        ({"tile": (256, 256, 64)}, 2),
    ],
)
def test_mem_keeps_32_kib_in_flight_with_2_to_8_stages(
    changes: dict[str, Any], stages: int
) -> None:
    assert prefetch_stages(gemm(pipeline=Pipeline.MEM, **changes), ARCH) == stages


def test_only_mem_has_prefetch_stages() -> None:
    others = [pipeline for pipeline in Pipeline if pipeline is not Pipeline.MEM]
    assert {prefetch_stages(gemm(pipeline=pipeline), ARCH) for pipeline in others} == {0}


def test_suffixes_are_as_the_template_expects_them() -> None:
    cold = ["cold_two", "cold_one", "cold_three"]
    assert variants(pipeline=Pipeline.COMPV4) == ["hot_three", "hot_two", *cold]
    assert variants(pipeline=Pipeline.COMPV3) == ["hot_full", "cold_odd", "cold_even"]
    assert variants(pipeline=Pipeline.MEM) == ["hot_one", "hot_full", "cold_one", "cold_full"]
    assert variants(pipeline=Pipeline.PRESHUFFLEV2) == ["hot_odd", "hot_even"]


def test_every_pipeline_has_its_ck_classes() -> None:
    assert set(PIPELINE_CLASSES) == set(Pipeline)
    assert PIPELINE_CLASSES[Pipeline.COMPV4].pipeline == "ck_tile::GemmPipelineAgBgCrCompV4"
    assert PIPELINE_CLASSES[Pipeline.MEM].base == "ck_tile::BaseGemmPipelineAgBgCrMem"


def test_the_arch_table_counts_the_lds_buffers_that_a_pipeline_is_given() -> None:
    for pipeline, classes in PIPELINE_CLASSES.items():
        buffers = 2 if classes.double_lds else 1
        assert ARCH.pipeline(pipeline.value).lds_buffers == buffers, pipeline


def test_every_pipeline_and_epilogue_is_among_the_headers_of_the_device_pass() -> None:
    header = GEMM.headers["ck_kernel/device/product/headers.hpp"].read_text(encoding="utf-8")
    included = set(re.findall(r'^#include "ck_tile/ops/(.*)\.hpp"$', header, re.MULTILINE))
    assert {f"gemm/pipeline/{HEADERS[pipeline]}" for pipeline in Pipeline} <= included
    assert {"epilogue/cshuffle_epilogue", "epilogue/default_2d_epilogue"} <= included
