# SPDX-License-Identifier: MIT
"""Profiles have as many kernels as CK's generator makes files for them."""

from __future__ import annotations

from collections import Counter

import pytest
from ckgen.cli.main import main
from ckgen.core.target import DEFAULT_GPU
from ckgen.fmha.profiles import PROFILES
from ckgen.fmha.spec import Dtype, FmhaSpec, Variant
from codegen_support import target
from fmha_support import FMHA

CK_COUNTS = [
    # GPU, profile, and CK's files: fwd, splitkv and combine, appendkv, pagedkv, batch_prefill
    ("gfx942", "ck_default", (2908, 1146, 99, 120, 384)),
    ("gfx942", "flash_fwd", (1008, 858, 96, 36, 288)),
    ("gfx942", "flash_bwd", (1008, 1146, 99, 36, 288)),
    ("gfx942", "aiter_group", (940, 360, 0, 16, 128)),
    ("gfx942", "aiter_cpp", (2692, 1080, 99, 48, 128)),
    ("gfx1201", "ck_default", (1884, 954, 99, 120, 384)),
    ("gfx1201", "flash_fwd", (624, 714, 96, 36, 288)),
]


def kernels(profile: str, gpu: str) -> list[FmhaSpec]:
    return list(PROFILES[profile].kernels(target(gpu)))


def counts(profile: str, gpu: str) -> Counter[Variant]:
    return Counter(spec.variant for spec in kernels(profile, gpu))


@pytest.mark.parametrize(("gpu", "profile", "expected"), CK_COUNTS)
def test_what_is_not_backward_is_counted_as_ck_does(
    gpu: str, profile: str, expected: tuple[int, ...]
) -> None:
    found = counts(profile, gpu)
    split = found[Variant.SPLITKV] + found[Variant.COMBINE]
    assert (
        found[Variant.FWD],
        split,
        found[Variant.APPENDKV],
        found[Variant.PAGEDKV],
        found[Variant.BATCH_PREFILL],
    ) == expected


@pytest.mark.parametrize(
    ("gpu", "profile", "expected"),
    [
        ("gfx942", "ck_extended", 3932),
        ("gfx942", "pytorch", 432),
        ("gfx942", "aiter_batch", 1752),
        ("gfx942", "fp32_all", 864),
        ("gfx942", "fp32_min", 12),
        ("gfx942", "fp8_test", 108),
        ("gfx950", "ck_default", 3004),
    ],
)
def test_forward_kernels_are_counted_as_ck_does(gpu: str, profile: str, expected: int) -> None:
    assert counts(profile, gpu)[Variant.FWD] == expected


@pytest.mark.parametrize(
    ("gpu", "profile", "expected"),
    [
        ("gfx942", "flash_fwd", 1140),
        ("gfx942", "pytorch", 840),
        ("gfx942", "aiter_bwd_batch", 2360),
        ("gfx942", "aiter_bwd_group", 2300),
        ("gfx1201", "flash_fwd", 912),
    ],
)
def test_backward_is_counted_as_ck_does_where_random_numbers_are_not_stored(
    gpu: str, profile: str, expected: int
) -> None:
    """One kernel of ours stores random numbers or not; where CK has two, it counts more."""
    found = counts(profile, gpu)
    assert found[Variant.DQ_DK_DV] + found[Variant.DOT_DO_O] + found[Variant.CONVERT_DQ] == expected


@pytest.mark.parametrize("gpu", ["gfx942", "gfx950", "gfx1201"])
def test_no_kernel_is_counted_twice_and_most_are_legal(gpu: str) -> None:
    found = kernels("all", gpu)
    assert len(set(found)) == len(found)
    legal = sum(FMHA.is_legal(spec, target(gpu)) for spec in found[::7])
    assert legal > len(found[::7]) * 0.6


def test_ck_has_nothing_for_gpus_that_hold_operands_twice() -> None:
    assert kernels("all", "gfx1100") == []


@pytest.mark.parametrize(
    ("number", "name"),
    [
        ("0", "ck_default"),
        ("2", "flash_fwd"),
        ("3", "flash_bwd"),
        ("4", "pytorch"),
        ("888", "fp8_test"),
        ("fp8", "fp8_test"),
    ],
)
def test_a_number_of_a_receipt_is_another_name(number: str, name: str) -> None:
    assert PROFILES[number] is PROFILES[name]


def test_a_profile_of_several_is_their_union() -> None:
    parts = {spec for name in ("flash_fwd", "flash_bwd") for spec in kernels(name, "gfx942")}
    assert set(kernels("flash", "gfx942")) == parts


def test_fp32_is_in_no_profile_but_its_own() -> None:
    assert Dtype.FP32 not in {spec.dtype for spec in kernels("ck_default", "gfx942")}
    assert {spec.dtype for spec in kernels("fp32", "gfx942")} == {Dtype.FP32}


def test_the_command_counts_a_profile_for_each_variant(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fmha", "--profile", "aiter_bwd_batch", "--list", "--gpu-target", "gfx942"]) == 0
    assert capsys.readouterr().out == (
        "aiter_bwd_batch on gfx942: AITER's mha_bwd\n"
        "  dq_dk_dv        2240 kernels,   2240 of them legal\n"
        "  dot_do_o          40 kernels,     40 of them legal\n"
        "  convert_dq        80 kernels,     72 of them legal\n"
        "  all             2360 kernels,   2352 of them legal\n"
    )


def test_options_narrow_a_profile(capsys: pytest.CaptureFixture[str]) -> None:
    narrowed = ["--variant", "fwd", "--datatype", "fp16", "--hdim", "128"]
    assert main(["fmha", "--profile", "2", "--list", "--gpu-target", "gfx942", *narrowed]) == 0
    assert "  fwd               72 kernels,     72 of them legal\n" in capsys.readouterr().out


def test_without_a_gpu_a_profile_is_counted_for_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fmha", "--profile", "888", "--list"]) == 0
    lines = capsys.readouterr().out
    assert "888 on gfx908: " in lines and "888 on gfx1201: " in lines


def test_without_a_gpu_kernels_are_listed_for_the_usual_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    listed = []
    for gpu in ([], ["--gpu-target", DEFAULT_GPU]):
        assert main(["fmha", "--variant", "convert_dq", "--hdim", "64", "--list", *gpu]) == 0
        listed.append(capsys.readouterr())
    assert listed[0].out == listed[1].out != ""
    filled = f"--gpu-target {DEFAULT_GPU} --datatype fp16"
    assert listed[0].err == f"ckgen: as nothing else was said: {filled}\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ["--profile", "flush", "--list", "--gpu-target", "gfx942"],
            "--profile: there is no profile 'flush'; there is ck_default, ",
        ),
        (["--profile", "flash"], "--output-dir is needed"),
    ],
)
def test_a_request_that_makes_no_sense_is_one_sentence(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fmha", *arguments]) == 2
    assert says in capsys.readouterr().err
