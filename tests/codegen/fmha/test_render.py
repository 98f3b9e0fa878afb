# SPDX-License-Identifier: MIT
"""The source of an attention kernel says what its spec says, in the order in which the headers take
it.
"""

from __future__ import annotations

import re

import pytest
from ckarch import load_specs
from ckgen.core.generate import render_kernel
from ckgen.fmha.family import FAMILY
from ckgen.fmha.render import STAGES
from ckgen.fmha.spec import Variant

ARCH = load_specs()
ATTENDING = "t64x64x32x64x32x64_w4x1x1_i16x16x16_p1x1x0x0_o2"
NAMES = {
    Variant.FWD: f"fmha_fwd_bf16_group_h64x64_mask_lse_cap_qr_{ATTENDING}",
    Variant.SPLITKV: f"fmha_splitkv_fp16_batch_h64x64_lse_paged_alibi_qr_{ATTENDING}",
    Variant.COMBINE: "fmha_combine_fp16_batch_h64x64_lse_s16_t32_w4_p1x0x0x0_o2",
    Variant.PAGEDKV: f"fmha_pagedkv_fp16_batch_h64x64_paged_bias_qr_{ATTENDING}",
    Variant.APPENDKV: "fmha_appendkv_fp16_batch_h64x64_paged_half_t64x64_w4_p1x1x0x0_o2",
    Variant.BATCH_PREFILL: (
        "fmha_batch_prefill_fp16_group_h64x64_mask_lse_paged_qr_async_"
        "t128x64x32x64x32x64_w4x1x1_i32x32x16_p1x1x1x1_o1"
    ),
}


def source(variant: Variant) -> str:
    return render_kernel(FAMILY, FAMILY.parse_name(NAMES[variant]), ARCH)


def test_every_variant_has_a_stage_and_a_template() -> None:
    assert set(STAGES) == set(Variant)
    assert not [
        stage.template
        for stage in STAGES.values()
        if not (FAMILY.folder / "templates" / f"{stage.template}.j2").is_file()
    ]


@pytest.mark.parametrize("variant", NAMES)
def test_a_config_is_written_in_the_order_of_its_fields(variant: Variant) -> None:
    header = FAMILY.headers["ck_kernel/plan/fmha/config.hpp"].read_text()
    members = re.search(r"struct Config \{\n(.*?)\n\n", header, re.DOTALL)
    assert members
    declared = [
        name
        for line in re.findall(r"^    \w+ ([\w, \[\]]+);", members[1], re.MULTILINE)
        for name in re.findall(r"[a-z_]+", line)
    ]
    text = source(variant)
    written = re.findall(
        r"/\*([\w, ]+)\*/",
        text[text.index("kConfig{") : text.index("};\n", text.index("kConfig{"))],
    )
    words = [
        name
        for comment in written
        for name in comment.replace("bytes of q, o, bias", "bytes, o_bytes, bias_bytes").split(", ")
    ]
    assert words == declared


@pytest.mark.parametrize("variant", NAMES)
def test_both_passes_agree_on_the_arguments_and_the_name_of_the_kernel(variant: Variant) -> None:
    text, name, arguments = source(variant), NAMES[variant], STAGES[variant].arguments
    assert text.count(f"void {name}__run(ck_kernel::fmha::{arguments}") == 2
    assert f"using Stage = ck_kernel::fmha::{STAGES[variant].name};" in text
    assert "__launch_bounds__(Kernel::kBlockSize, " + name.rsplit("_o", 1)[1] + ")" in text


def test_features_are_template_arguments_of_ck() -> None:
    forward = source(Variant.FWD)
    assert (
        "ck_tile::ComposedAttention<ck_tile::LOGITS_SOFT_CAP, CK_TILE_FMHA_FWD_FAST_EXP2>"
        in forward
    )
    assert "ck_tile::SimplifiedGenericAttentionMask<true>" in forward
    assert "Shape, true, Variant, Mask" in forward, "sequences are packed"
    assert "BlockAttentionBiasEnum::ALIBI" in source(Variant.SPLITKV)
    assert "/*paged*/ true" in source(Variant.SPLITKV)
    assert "/*log2 of splits*/ 4" in source(Variant.COMBINE)
    assert "RotaryEmbeddingEnum::HALF_ROTATED" in source(Variant.APPENDKV)
    assert "/*lse*/ false" in source(Variant.PAGEDKV)
