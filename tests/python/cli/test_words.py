# SPDX-License-Identifier: MIT
"""Words of a command line become problems, configs and figures without loss."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import pytest
from ckdispatch import GemmProblem, GroupedConvProblem
from ckdispatch.cli.benchmark.selected import Measured, blocks, rates
from ckdispatch.cli.built import spill_error
from ckdispatch.cli.config_options import add_config_options, said_entries
from ckdispatch.cli.exits import ExitCode, UsageError, exit_code
from ckdispatch.cli.problems import parse_problem, parse_problems
from ckdispatch.cli.rendering import plain_text
from ckdispatch.cli.report import Column, Facts, Table, size
from ckdispatch.errors import CkDispatchError, Code, error_class
from ckdispatch.families import FAMILIES
from ckdispatch.gemm.config import GemmConfig
from ckdispatch.grouped_conv.config import GroupedConvConfig
from ckdispatch.product.cli import SPLIT_K
from ckdispatch.wording import several


@pytest.mark.parametrize(
    "text",
    [
        "1x2x3 fp16 rcr",
        "64x64x64 bf16 ccr dtype_c=fp32 batch=3 stride_a=72 split_k=0",
        "5x6x7 fp8 rrr dtype_b=bf8 alignment=4 deterministic=true workspace_limit=100",
        "8x16x32 fp16 rcr Relu weights=16x32",
        "8x8x8 fp16 rcr MultiDAddRelu d_count=2 dtype_d=fp32 d_layout=c d_strides=0/packed",
        "64x64x32+8x16x32 fp16 rcr",
    ],
)
def test_the_text_of_a_problem_is_read_back(text: str) -> None:
    assert GemmProblem.parse(text).text == text


def test_a_problem_may_be_one_word_or_several() -> None:
    expected = GemmProblem(64, 32, 16, dtype="bf16", layout="rrr")
    assert parse_problem(["64x32x16 bf16 rrr"]) == expected
    assert parse_problem(["64x32x16", "bf16", "rrr"]) == expected
    assert parse_problem(["gemm", "64x32x16", "bf16", "rrr"]) == expected


def test_each_problem_of_several_begins_with_its_extents() -> None:
    found = parse_problems(["1x2x3", "bf16", "4x5x6 rrr", "gemm: 7x8x9"], None)
    assert found == [
        GemmProblem(1, 2, 3, dtype="bf16"),
        GemmProblem(4, 5, 6, layout="rrr"),
        GemmProblem(7, 8, 9),
    ]


def test_problems_of_several_families_are_told_apart() -> None:
    small = GroupedConvProblem(1, 1, 8, 8, (5, 6, 7), 3)
    words = ["1x2x3", "n1", "c8", "k8", "5x6x7", "3x3x3", "4x5x6", "bf16", "n1 c8 k8 9 1 bf16"]
    assert parse_problems(words, None) == [
        GemmProblem(1, 2, 3),
        small,
        GemmProblem(4, 5, 6, dtype="bf16"),
        GroupedConvProblem(1, 1, 8, 8, (9,), 1, dtype="bf16"),
    ]
    named = ["grouped_conv:", "n1", "c8", "k8", "5x6x7", "3x3x3", "gemm", "1x2x3"]
    assert parse_problems(named, None) == [small, GemmProblem(1, 2, 3)]
    assert parse_problem(["n1", "c8", "k8", "5x6x7", "3x3x3"]) == small


def test_text_that_is_of_no_family_gets_an_example_of_each() -> None:
    with pytest.raises(UsageError, match=r"512x256x1024 fp16 rcr, or n8 g1 c64 k128 56x56 3x3"):
        parse_problem(["fp16"])


def test_split_k_of_the_command_line_beats_the_problems() -> None:
    problem = GemmProblem.parse("1x2x3 split_k=2")
    change: Callable[..., Any] = SPLIT_K.change  # which asks neither a registry nor a selection
    assert change(problem, "4").split_k == 4
    assert change(problem, "auto").split_k == 0
    with pytest.raises(UsageError, match="--split-k is '0'"):
        change(problem, "0")


def said(*words: str, family: str = "gemm") -> Any:
    parser = argparse.ArgumentParser()
    add_config_options(parser)
    found = said_entries(parser.parse_args(words))
    assert found is not None and found["family"] == family
    (entry,) = found["kernels"]
    return entry


def test_every_field_of_a_config_has_an_option_and_no_other() -> None:
    parser = argparse.ArgumentParser(add_help=False)
    add_config_options(parser)
    options = {action.dest.removeprefix("field_") for action in parser._actions}
    assert options == {
        "family",
        *(field for family in FAMILIES.values() for field in family.config_type.field_names()),
    }


def test_choices_lists_and_wildcards_are_those_of_a_declaration() -> None:
    assert said("--tile", "64x64x32") == {"tile": [64, 64, 32]}
    assert said("--tile", "64x64x32,128x64x32") == {"tile": [[64, 64, 32], [128, 64, 32]]}
    assert said("--waves", "*", "--pipeline", "mem,compv3") == {
        "waves": "*",
        "pipeline": ["mem", "compv3"],
    }
    assert said("--pad", "mk") == {"pad": [True, False, True]}
    assert said("--pad", "none,mnk") == {"pad": [[False] * 3, [True] * 3]}
    assert said("--split-k", "none,atomic", "--persistent", "false") == {
        "split_k": ["none", "atomic"],
        "persistent": False,
    }
    fused = said(
        "--variant", "multi_d", "--fused-op", "MultiDAdd,Relu", "--d-count", "2", "--d-layout", "c"
    )
    assert fused == {
        "variant": "multi_d",
        "fused_op": ["MultiDAdd", "Relu"],
        "d_count": 2,
        "d_layout": "c",
    }


def test_the_words_mean_what_a_config_means() -> None:
    words = "--dtype fp16 --layout rcr --tile 64x64x64 --waves 2x2x1 --warp-tile 32x32x16"
    entry = said(*words.split(), "--pipeline", "compv3", "--pad", "mnk")
    assert GemmConfig(**entry).name == (
        "gemm_fp16_rcr_compv3_cshuffle_intrawave_True_True_True_False_64x64x64_2x2x1_32x32x16"
    )


def test_the_fields_tell_the_family_or_the_caller_does() -> None:
    words = (
        "--dtype fp16 --tile 64x64x32 --waves 2x2x1 --warp-tile 32x32x16 --pipeline compv3".split()
    )
    vectors = ("--ndim-spatial", "2", "--vector", "1x1x1", "--merged-groups", "1")
    entry = said(*words, *vectors, family="grouped_conv")
    assert GroupedConvConfig(**entry).name == (
        "grouped_conv_fwd_fp16_nhwgc_2d_compv3_cshuffle_intrawave_64x64x32_2x2x1_32x32x16_v1x1x1"
    )
    assert said("--family", "grouped_conv", "--dtype", "fp16", family="grouped_conv") == {
        "dtype": "fp16"
    }
    with pytest.raises(UsageError, match=r"--pad and --vector|--vector and --pad"):
        said("--pad", "mnk", "--vector", "8x8x8")


@pytest.mark.parametrize(
    "words", [("--pad", ""), ("--tile", "axbxc"), ("--tile", "64x64x64,"), ("--d-count", "two")]
)
def test_a_word_that_is_none_is_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match=words[0]):
        said(*words)


def test_spills_are_told_with_their_gpu() -> None:
    clean = {"vgpr_spills": 0, "scratch_bytes": 0}
    assert spill_error("k", {"gfx942": clean, "gfx950": clean}) is None
    told = spill_error("k", {"gfx950": {"vgpr_spills": 3, "scratch_bytes": 16}, "gfx942": clean})
    assert told is not None and told.startswith(
        "k may not spill registers, but on gfx950 it spills 3 VGPRs and uses 16 bytes of scratch"
    )


def test_rates_are_those_of_a_second() -> None:
    assert rates(2e12, 10**9, 1000.0) == {"tflops": 2.0, "gb_per_s": 1.0}
    assert rates(2e12, 10**9, 0.0) == {}


def test_a_gpu_has_rates_in_the_table() -> None:
    times = {
        "times": "measured",
        "median": 0.5,
        "minimum": 0.25,
        "mean": 0.75,
        "kernel": "k",
        "changes": [],
    }
    measured = Measured("1x2x3 fp16 rcr", {**times, "tflops": 12.34, "gb_per_s": 56.78})
    head, table = blocks([measured], "hip:0")
    assert head == "Timed on hip:0." and isinstance(table, Table)
    titles = [column.title for column in table.columns]
    assert titles == ["problem", "median ms", "min ms", "mean ms", "TFLOP/s", "GB/s", "kernel"]
    assert table.rows == (("1x2x3 fp16 rcr", "0.5", "0.25", "0.75", "12.3", "56.8", "k"),)


def test_plain_text_is_aligned() -> None:
    table = Table((Column("a"), Column("n", right=True)), (("long", "1"), ("x", "100")))
    assert plain_text((table, Facts((("k", "v"), ("longer", "w"))), "End.")) == (
        "a       n\nlong    1\nx     100\n\nk       v\nlonger  w\n\nEnd.\n"
    )


def test_figures_are_readable() -> None:
    assert [size(count) for count in (0, 1023, 1024, 5 << 20, 10 << 30, 3 << 40)] == [
        "0 bytes",
        "1023 bytes",
        "1.0 KiB",
        "5.0 MiB",
        "10.0 GiB",
        "3.0 TiB",
    ]
    assert several(1, "kernel") == "1 kernel" and several(0, "entry", "entries") == "0 entries"


EXITS = {
    Code.INVALID_ARGUMENT: ExitCode.USAGE,
    Code.NOT_FOUND: ExitCode.NOT_FOUND,
    Code.DUPLICATE: ExitCode.FAILED,
    Code.UNSUPPORTED: ExitCode.NOT_FOUND,
    Code.NO_KERNEL: ExitCode.NOT_FOUND,
    Code.WRONG_GPU: ExitCode.NOT_FOUND,
    Code.ABI_MISMATCH: ExitCode.FAILED,
    Code.DAMAGED: ExitCode.FAILED,
    Code.DEVICE_FAILED: ExitCode.DEVICE_FAILED,
    Code.OUT_OF_MEMORY: ExitCode.DEVICE_FAILED,
    Code.IO_FAILED: ExitCode.FAILED,
    Code.MISMATCH: ExitCode.FAILED,
    Code.INTERNAL: ExitCode.FAILED,
}


@pytest.mark.parametrize("code", [code for code in Code if code is not Code.OK])
def test_every_error_has_an_exit_code(code: Code) -> None:
    error = error_class(code)("x")
    assert isinstance(error, CkDispatchError) and error.code is code
    assert exit_code(error) is EXITS[code]
