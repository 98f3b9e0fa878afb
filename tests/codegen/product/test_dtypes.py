# SPDX-License-Identifier: MIT
"""What a product accumulates in, and what it can be stored as."""

from __future__ import annotations

from ckgen.product.dtypes import allowed_outputs, default_dtypes
from ckgen.product.spec import Dtype
from codegen_support import ARCH


def test_a_pair_that_cannot_be_multiplied_can_still_be_named() -> None:
    assert default_dtypes(Dtype.FP16, Dtype.FP8, ARCH) == (Dtype.FP32, Dtype.FP16)


def test_integers_are_stored_whole_or_as_floats_that_ck_makes_of_them() -> None:
    outputs = (Dtype.INT32, Dtype.FP16, Dtype.FP32)
    assert allowed_outputs(Dtype.INT8, Dtype.INT8, ARCH) == outputs


def test_only_small_floats_are_stored_as_small_floats() -> None:
    assert allowed_outputs(Dtype.FP16, Dtype.FP16, ARCH) == (Dtype.FP16, Dtype.BF16, Dtype.FP32)
    assert allowed_outputs(Dtype.FP8, Dtype.BF8, ARCH)[-2:] == (Dtype.FP8, Dtype.BF8)
