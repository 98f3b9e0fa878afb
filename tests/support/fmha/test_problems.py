# SPDX-License-Identifier: MIT
"""Every kernel has random problems that nothing but their numbers decide, and is tried on those
that its library takes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ckabi import KernelLibrary, Status
from ckarch import load_specs
from ckgen.core.target import Target
from ckgen.families import FAMILIES
from ckgen.fmha.spec import FmhaSpec
from cksupport.fmha.problems import DRAWS_FOR_ONE, PROBLEMS, RandomProblem, taken

ARCH = load_specs()
NAMES = (
    "fmha_fwd_fp16_batch_h64x64_mask_lse_qr_t128x64x32x64x32x64_w4x1x1_i32x32x16_p1x1x0x0_o2",
    "fmha_fwd_fp8_batch_h64x64_scales_qr_t128x64x32x64x32x64_w2x1x1_i32x32x32_p1x0x1x1_o1",
    "fmha_splitkv_fp16_batch_h64x64_mask_lse_paged_qr_t64x64x32x64x32x64_w4x1x1_i16x16x16_p1x1x0x0_o2",
    "fmha_combine_fp16_batch_h64x64_lse_s128_t32_w4_p1x0x0x1_o2",
    "fmha_pagedkv_fp16_batch_h128x128_mask_lse_paged_qr_t128x128x32x128x32x128_w4x1x1_i32x32x16_p1x1x0x0_o1",
    "fmha_appendkv_fp16_batch_h64x64_half_t64x64_w4_p1x1x0x0_o2",
    "fmha_batch_prefill_fp16_batch_h128x128_mask_lse_paged_qr_async_t128x128x32x128x32x128_w4x1x1_i32x32x16_p1x1x1x1_o1",
    "fmha_dot_do_o_fp16_batch_h64x64_t64_w1_p1x0x0x1_o2",
    "fmha_dq_dk_dv_bf16_group_h64x64_mask_kr_t32x128x64x32x64x32x32_w1x4x1x4x1x1x1x4x1_i16x16x32x16x16x16_p1x1x8x8_o1",
    "fmha_convert_dq_fp16_batch_h64x64_det_t64x128_w4_p1x0x1x0_o2",
    "fmha_sum_fp16_batch_h256x256_t64_w4_p1x0x1x1_o2",
    "fmha_sink_fp16_batch_h256x256_t64_w4_p1x0x1x1_o2",
)


def spec_of(name: str) -> FmhaSpec:
    spec = FAMILIES["fmha"].parse_name(name)
    assert isinstance(spec, FmhaSpec)
    return spec


class Library:
    """One that takes only the numbers of a kind."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, takes: Any) -> None:
        self._takes, self._asked = takes, -1
        monkeypatch.setattr(KernelLibrary, "load", classmethod(lambda cls, path: self))

    def supports(self, problem: Any, gpu: str) -> tuple[Status, str]:
        self._asked += 1
        return (Status.OK, "") if self._takes(self._asked) else (Status.UNSUPPORTED, "not today")


def numbers(name: str) -> list[int]:
    return [
        problem.index
        for (problem,) in taken(Path("lib.so"), spec_of(name), Target.of(ARCH, "gfx942"))
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_problem_is_the_same_whenever_it_is_drawn(name: str) -> None:
    first, again, other = (RandomProblem(spec_of(name), "gfx942", 5, index) for index in (3, 3, 4))
    assert first.text == again.text and first.case.draw.fields == again.case.draw.fields
    tensors = again.case.draw.tensors
    for tensor, values in first.case.draw.tensors.items():
        assert np.array_equal(values.flat.view(np.uint8), tensors[tensor].flat.view(np.uint8))
    assert first.case.outputs and {*first.case.outputs} <= {*tensors}
    assert first.case.draw.fields != other.case.draw.fields


def test_a_kernel_is_tried_on_the_first_that_its_library_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Library(monkeypatch, lambda index: index % 3 == 1)
    assert numbers(NAMES[3]) == [1 + 3 * i for i in range(PROBLEMS)]


def test_a_library_that_takes_too_few_is_heard_why(monkeypatch: pytest.MonkeyPatch) -> None:
    Library(monkeypatch, lambda index: index == 2)
    assert numbers(NAMES[3]) == [2, PROBLEMS * DRAWS_FOR_ONE - 1]


def test_each_kernel_has_problems_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    Library(monkeypatch, lambda index: True)
    seeds = {
        next(taken(Path("lib.so"), spec_of(name), Target.of(ARCH, "gfx942")))[0].seed
        for name in NAMES
    }
    assert len(seeds) == len(NAMES)
