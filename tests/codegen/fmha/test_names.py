# SPDX-License-Identifier: MIT
"""Names of attention kernels: unique, and readable both ways."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from ckgen.core.errors import SpecError
from ckgen.core.tile import Extents
from ckgen.fmha.spec import SWITCHES, Bias, Dtype, FmhaSpec, Mode, Pipeline, Rotary, Variant
from codegen_support import ARCH
from fmha_support import FMHA, fmha

ONE_OF_EACH = [
    fmha(mask=True, lse=True),
    fmha(variant="splitkv", hdim_q=128, merged=True),
    fmha(variant="combine", mode="group", max_splits=128, lse=True),
    fmha(variant="pagedkv", hdim_q=128, soft_cap=True),
    fmha(variant="appendkv", rotary="interleaved", paged=True),
    fmha(variant="batch_prefill", hdim_q=128, bias="alibi"),
    fmha(variant="dot_do_o"),
    fmha(variant="dq_dk_dv", bias="elementwise", bias_grad=True, deterministic=True),
    fmha(variant="convert_dq", deterministic=True, tile=(64, 128)),
    fmha(variant="sum", hdim_q=256),
    fmha(variant="sink", hdim_q=256, dtype="fp32"),
    fmha(dtype="fp8bf16", hdim_q=128, scales=True),
]


def test_there_is_one_of_each_variant() -> None:
    assert {spec.variant for spec in ONE_OF_EACH} == set(Variant)


def test_a_name_says_what_is_computed_and_how() -> None:
    assert fmha(hdim_q=128, mask=True, lse=True).name == (
        "fmha_fwd_fp16_batch_h128x128_mask_lse_qr_t128x128x32x128x32x128_w4x1x1_i32x32x16_p1x1x0x0_o2"
    )
    assert (
        fmha(variant="combine", max_splits=8).name
        == "fmha_combine_fp16_batch_h64x64_s8_t32_w4_p1x0x0x1_o2"
    )


@pytest.mark.parametrize("spec", ONE_OF_EACH, ids=lambda spec: spec.name)
def test_a_name_a_spec_as_json_and_an_entry_are_the_same_kernel(spec: FmhaSpec) -> None:
    assert FMHA.parse_name(spec.name) == spec
    assert FmhaSpec.from_json(json.loads(json.dumps(spec.to_json()))) == spec
    assert FMHA.build(FMHA.choice(spec, ARCH), ARCH) == spec
    assert re.fullmatch(r"[a-z0-9_]+", spec.name), "a name is also a C identifier and a file name"


def test_every_field_is_in_the_name() -> None:
    base = fmha(mask=False)
    changes: dict[str, Any] = {
        **dict.fromkeys(SWITCHES, True),
        "variant": Variant.SPLITKV,
        "dtype": Dtype.BF16,
        "mode": Mode.GROUP,
        "hdim_q": 128,
        "hdim_v": 128,
        "bias": Bias.ALIBI,
        "rotary": Rotary.HALF,
        "max_splits": 8,
        "pipeline": Pipeline.QR_ASYNC,
        "tile": Extents.of(64),
        "waves": Extents.of(2),
        "warp_tile": Extents(),
        "pads": Extents.of(1),
        "occupancy": 3,
    }
    assert set(changes) == set(base.to_json()) - {"family"}
    names = {replace(base, **{field: value}).name for field, value in changes.items()}
    assert len(names | {base.name}) == len(changes) + 1
    for field, value in changes.items():
        changed = replace(base, **{field: value})
        assert FMHA.parse_name(changed.name) == changed, field


@pytest.mark.parametrize(
    ("name", "says"),
    [
        (
            "gemm_fp16",
            "is not the name of an attention kernel; those have the form fmha_<variant>_",
        ),
        (
            "fmha_fwd_fp16_batch_h64x64_none_t1_w1_p1_o1",
            "says in another way what fmha_fwd_fp16_batch_h64x64_t1_w1_p1_o1 says",
        ),
        ("fmha_fwd_fp16_batch_h64x64_s0_qr_t1_w1_p1_o1", "says in another way"),
        ("fmha_fwd_fp16_batch_h64x64_qr_t01_w1_p1_o1", "says in another way"),
        (
            "fmha_fwd_fp16_batch_h64x64_qr_t99999999999_w1_p1_o1",
            "begins a row of extents of which one is more than",
        ),
        ("fmha_fwd_fp16_batch_h64x64_lse_mask_qr_t1_w1_p1_o1", "is not the name"),
    ],
)
def test_what_is_no_name_is_refused(name: str, says: str) -> None:
    with pytest.raises(SpecError, match=re.escape(says)):
        FMHA.parse_name(name)
