# SPDX-License-Identifier: MIT
"""A name of CK's says all template arguments of a kernel."""

from __future__ import annotations

import pytest
from ckbench.ck_fmha.names import fields_of

PLAIN = (
    "fmha_fwd_d128_bf16_batch_b128x128x32x128x32x128_r4x1x1_r4x1x1_w32x32x16_w32x32x16_"
    "qr_vr_npad_nlogits_nbias_nmask_nlse_ndropout_nskip_nsquant_ntrload"
)


def test_a_name_without_features_has_none() -> None:
    assert fields_of(PLAIN) == {
        "variant": "fwd",
        "dtype": "bf16",
        "mode": "batch",
        "hdim_q": 128,
        "hdim_v": 128,
        "mask": False,
        "lse": False,
        "dropout": False,
        "soft_cap": False,
        "scales": False,
        "skip_min": False,
        "bias": "none",
        "pipeline": "qr",
        "tile": [128, 128, 32, 128, 32, 128],
        "waves": [4, 1, 1],
        "warp_tile": [32, 32, 16],
        "pads": [0, 0, 0, 0],
    }


@pytest.mark.parametrize(
    ("old", "new", "field", "value"),
    [
        ("_nlogits_", "_logits_", "soft_cap", True),
        ("_nbias_", "_bias_", "bias", "elementwise"),
        ("_nbias_", "_alibi_", "bias", "alibi"),
        ("_nmask_", "_mask_", "mask", True),
        ("_nlse_", "_lse_", "lse", True),
        ("_ndropout_", "_dropout_", "dropout", True),
        ("_nskip_", "_skip_", "skip_min", True),
        ("_nsquant_", "_squant_", "scales", True),
        ("_batch_", "_group_", "mode", "group"),
        ("_qr_", "_qr_async_", "pipeline", "qr_async"),
        ("x16_qr_", "x16_o1_qr_", "pipeline", "qr"),
        ("_npad_", "_ps_", "pads", [1, 0, 0, 0]),
        ("_npad_", "_psk_", "pads", [0, 1, 0, 0]),
        ("_npad_", "_psddv_", "pads", [1, 0, 1, 1]),
        ("_npad_", "_psskddv_", "pads", [1, 1, 1, 1]),
    ],
)
def test_each_word_changes_its_field_and_nothing_else(
    old: str, new: str, field: str, value: object
) -> None:
    assert PLAIN.count(old) == 1
    assert fields_of(PLAIN.replace(old, new)) == fields_of(PLAIN) | {field: value}


def test_a_name_of_something_else_is_refused() -> None:
    with pytest.raises(ValueError, match="no name of a forward kernel"):
        fields_of(PLAIN.replace("fwd", "bwd"))


def test_loads_that_transpose_are_a_pipeline_of_their_own() -> None:
    trload = PLAIN.replace("_qr_", "_qr_async_trload_").replace("_ntrload", "_trload")
    assert fields_of(trload) == fields_of(PLAIN) | {"pipeline": "trload"}


@pytest.mark.parametrize(("old", "new"), [("_qr_", "_qr_async_trload_"), ("_ntrload", "_trload")])
def test_they_are_said_twice_or_not_at_all(old: str, new: str) -> None:
    with pytest.raises(ValueError, match="a pipeline that no kernel of CK has"):
        fields_of(PLAIN.replace(old, new))


def test_pads_are_in_the_order_of_ck() -> None:
    with pytest.raises(ValueError, match="pads or a pipeline that no kernel of CK has"):
        fields_of(PLAIN.replace("_npad_", "_psks_"))
