# SPDX-License-Identifier: MIT
"""GEMM names: what users know, unique, and readable back."""

from __future__ import annotations

from typing import Any

import pytest
from ckgen.core.errors import SpecError
from ckgen.gemm.names import parse_name
from ckgen.gemm.spec import Dtype, Epilogue, Layout, Pipeline, Scheduler, implied_dtypes
from codegen_support import ARCH, BASE, BASE_NAME, gemm

GOLDEN: list[tuple[dict[str, Any], str]] = [
    ({}, BASE_NAME),
    (
        {"pipeline": Pipeline.MEM, "scheduler": Scheduler.INTERWAVE, "pad_k": True},
        "gemm_fp16_rcr_mem_cshuffle_interwave_False_False_True_False_128x128x32_2x2x1_32x32x16",
    ),
    (
        {"layout": Layout.CRR, "epilogue": Epilogue.DEFAULT, "persistent": True, "pad_m": True},
        "gemm_fp16_crr_compv4_default_intrawave_True_False_False_True_128x128x32_2x2x1_32x32x16",
    ),
    (
        {"dtype_a": Dtype.FP8, "dtype_b": Dtype.FP8, "tile": (256, 64, 128), "pad_n": True},
        "gemm_fp8_rcr_compv4_cshuffle_intrawave_False_True_False_False_256x64x128_2x2x1_32x32x16",
    ),
    (
        {"dtype_a": Dtype.FP8, "dtype_b": Dtype.BF8, "dtype_c": Dtype.FP32},
        "gemm_fp8_rcr_compv4_cshuffle_intrawave_False_False_False_False_128x128x32_2x2x1_32x32x16"
        "_bbf8_cfp32",
    ),
    (
        {"dtype_a": Dtype.INT8, "dtype_b": Dtype.INT8, "dtype_c": Dtype.INT32,
         "dtype_acc": Dtype.INT32},
        "gemm_int8_rcr_compv4_cshuffle_intrawave_False_False_False_False_128x128x32_2x2x1_32x32x16",
    ),
    (
        {"dtype_a": Dtype.PK_FP4, "dtype_b": Dtype.PK_FP4, "dtype_acc": Dtype.FP16},
        "gemm_pk_fp4_rcr_compv4_cshuffle_intrawave_False_False_False_False_128x128x32_2x2x1"
        "_32x32x16_accfp16",
    ),
    (
        {"split_k": True},
        "gemm_fp16_rcr_compv4_cshuffle_intrawave_False_False_False_False_128x128x32_2x2x1_32x32x16"
        "_splitk",
    ),
    (
        {"split_k": True, "dtype_c": Dtype.FP32},
        "gemm_fp16_rcr_compv4_cshuffle_intrawave_False_False_False_False_128x128x32_2x2x1_32x32x16"
        "_cfp32_splitk",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "name"), GOLDEN)
def test_names_are_the_ones_users_know(changes: dict[str, Any], name: str) -> None:
    assert gemm(**changes).name == name


@pytest.mark.parametrize(("changes", "name"), GOLDEN)
def test_a_name_reads_back_into_its_spec(changes: dict[str, Any], name: str) -> None:
    assert parse_name(name) == gemm(**changes)


def test_the_base_spec_is_the_one_of_the_base_name() -> None:
    assert parse_name(BASE_NAME) == BASE


@pytest.mark.parametrize(
    "name",
    [
        "",
        "gemm",
        BASE_NAME.replace("gemm_", "conv_"),
        BASE_NAME.replace("rcr", "rrc"),
        BASE_NAME.replace("compv4", "compv9"),
        BASE_NAME.replace("False", "false"),
        BASE_NAME.replace("128x128x32", "128x128"),
        BASE_NAME.replace("128x128x32", "0128x128x32"),
        BASE_NAME + "_preshuffle",
        BASE_NAME + "_splitk_cfp32",
        BASE_NAME + "\n",
        BASE_NAME.upper(),
        BASE_NAME + '"; int x; //',
    ],
)
def test_what_is_not_a_name_is_refused_with_the_form(name: str) -> None:
    with pytest.raises(SpecError, match="those have the form gemm_<dtype>_<layout>_<pipeline>"):
        parse_name(name)


@pytest.mark.parametrize("suffix", ["_bfp16", "_cfp16", "_accfp32"])
def test_a_name_that_says_what_is_implied_is_refused(suffix: str) -> None:
    with pytest.raises(SpecError, match="names what is implied anyway"):
        parse_name(BASE_NAME + suffix)


def test_names_imply_what_the_arch_table_gives_by_default() -> None:
    for combination in ARCH.dtype_combinations:
        implied = tuple(str(dtype) for dtype in implied_dtypes(Dtype(combination.a)))
        assert implied == (combination.accumulator, combination.output), combination


def test_every_dtype_that_can_be_multiplied_has_a_place_in_the_spec() -> None:
    used = {c.a for c in ARCH.dtype_combinations} | {c.accumulator for c in ARCH.dtype_combinations}
    assert used <= {dtype.value for dtype in Dtype}
