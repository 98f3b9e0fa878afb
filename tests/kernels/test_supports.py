# SPDX-License-Identifier: MIT
"""A kernel library refuses what it cannot compute, with a sentence that says what would work."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any

import pytest
from ckabi import KernelLibrary, Status
from ckabi.gemm import Problem, gemm_problem

GPU = os.environ["CK_GPU"]
PADDED = "gemm_fp16_rcr_compv3_cshuffle_intrawave_True_True_True_False_64x64x64_2x2x1_32x32x16"
UNPADDED = "gemm_fp16_rcr_compv3_cshuffle_intrawave_False_False_False_False_64x64x64_2x2x1_32x32x16"
SPLIT_K = (
    "gemm_fp16_rcr_compv4_cshuffle_intrawave_True_True_True_False_64x64x32_2x2x1_16x16x16_splitk"
)
SPLIT_K_UNPADDED = (
    "gemm_fp16_rrr_compv3_default_intrawave_False_False_False_True_"
    "64x64x32_2x2x1_16x16x16_cfp32_splitk"
)
COMPV6 = "gemm_fp16_rcr_compv6_cshuffle_intrawave_False_False_False_False_128x128x32_2x2x1_32x32x16"


@pytest.fixture(scope="module")
def padded() -> KernelLibrary:
    return KernelLibrary.load(Path(f"kernels/lib{PADDED}.so"))


@pytest.fixture(scope="module")
def split_k() -> KernelLibrary:
    return KernelLibrary.load(Path(f"tests/kernels/lib{SPLIT_K}.so"))


@pytest.fixture(scope="module")
def unpadded() -> KernelLibrary:
    return KernelLibrary.load(Path(f"kernels/lib{UNPADDED}.so"))


def test_an_unpadded_kernel_wants_whole_tiles_of_k_and_n(unpadded: KernelLibrary) -> None:
    status, why = unpadded.supports(gemm_problem(64, 64, 96), GPU)
    assert status == Status.UNSUPPORTED
    assert "K = 96" in why and "multiple of 64" in why
    status, why = unpadded.supports(gemm_problem(64, 72, 64), GPU)
    assert status == Status.UNSUPPORTED
    assert "N = 72" in why and "multiple of 64" in why


def test_compv6_without_padding_wants_more_than_one_tile_of_k() -> None:
    compv6 = KernelLibrary.load(Path(f"tests/kernels/lib{COMPV6}.so"))
    status, why = compv6.supports(gemm_problem(128, 128, 32), GPU)
    assert status == Status.UNSUPPORTED
    assert "K = 32" in why and "at least 64" in why
    assert compv6.supports(gemm_problem(128, 128, 64), GPU)[0] == Status.OK


def test_a_padded_kernel_takes_every_multiple_of_its_vectors(padded: KernelLibrary) -> None:
    assert padded.supports(gemm_problem(1, 8, 8), GPU)[0] == Status.OK
    assert padded.supports(gemm_problem(77, 200, 1000), GPU)[0] == Status.OK
    status, why = padded.supports(gemm_problem(64, 64, 60), GPU)
    assert status == Status.UNSUPPORTED
    assert "K = 60" in why and "vectors of 8 elements" in why


@pytest.mark.parametrize(
    ("changes", "status", "words"),
    [
        ({"stride_a": 63}, Status.INVALID, "leading dimension 63"),
        ({"stride_b": 63}, Status.INVALID, "leading dimension 63"),
        ({"stride_c": 63}, Status.INVALID, "leading dimension 63"),
        ({"stride_a": 65}, Status.UNSUPPORTED, "multiple of 8"),
        ({"k_batch": 2}, Status.UNSUPPORTED, "k_batch = 1"),
        ({"k_batch": 0}, Status.INVALID, "k_batch = 1"),
        ({"m": 0}, Status.INVALID, "from 1 to 2^31-1"),
        ({"n": -64}, Status.INVALID, "from 1 to 2^31-1"),
        ({"m": 1 << 31}, Status.INVALID, "from 1 to 2^31-1"),
        ({"m": 1 << 30}, Status.UNSUPPORTED, "2 GiB"),
        ({"a": 0x1008}, Status.UNSUPPORTED, "multiple of 16 bytes"),
        ({"family": 2}, Status.INVALID, "computes a GEMM"),
        ({"struct_size": 8}, Status.INVALID, "ABI version"),
    ],
)
def test_each_refusal_says_why(
    padded: KernelLibrary, changes: dict[str, Any], status: Status, words: str
) -> None:
    said, why = padded.supports(gemm_problem(64, 64, 64, **changes), GPU)
    assert said == status
    assert words in why
    assert PADDED in why and why.endswith(".")


def test_no_problem_and_no_gpu_are_refused(padded: KernelLibrary) -> None:
    assert padded.supports(None, GPU)[0] == Status.INVALID
    assert padded.supports(gemm_problem(64, 64, 64), None)[0] == Status.WRONG_GPU
    assert padded.supports(gemm_problem(64, 64, 64), "")[0] == Status.WRONG_GPU


def test_aligned_pointers_and_wider_strides_are_fine(padded: KernelLibrary) -> None:
    problem = gemm_problem(
        64, 64, 64, stride_a=128, stride_b=72, stride_c=80, a=0x1000, b=0x2000, c=0x3010
    )
    assert padded.supports(problem, GPU)[0] == Status.OK


def test_a_sentence_longer_than_its_buffer_is_cut_and_terminated(padded: KernelLibrary) -> None:
    why = ctypes.create_string_buffer(b"x" * 16, 16)
    problem = gemm_problem(64, 64, 60)
    assert padded.api.supports(ctypes.byref(problem), GPU.encode(), why, 16) == Status.UNSUPPORTED
    assert len(why.value) == 15


def test_a_launch_is_refused_before_it_reaches_a_device(padded: KernelLibrary) -> None:
    problem = gemm_problem(64, 64, 64)
    assert padded.launch(problem, gpu=GPU.encode())[0] == Status.INVALID
    assert "null tensor" in padded.launch(problem, gpu=GPU.encode())[1]
    assert padded.launch(problem, gpu=GPU.encode(), repeat=0)[0] == Status.INVALID
    assert padded.launch(problem, gpu=GPU.encode(), timed=1)[0] == Status.INVALID
    assert padded.launch(problem, gpu=b"gfx000")[0] == Status.WRONG_GPU
    assert padded.launch(Problem(), gpu=GPU.encode())[0] == Status.INVALID


# Its parts are multiples of 16 deep, and compv4 has other loops for one tile of 32, for two, and
# for more, odd or even.
@pytest.mark.parametrize(
    ("k", "k_batch", "words"),
    [
        (1024, 1, ""),
        (1024, 2, ""),
        (1024, 16, ""),
        (16, 1, ""),
        (24, 2, ""),
        (24, 3, "3 parts of 16, which would leave nothing for the last; k_batch = 2 would work"),
        (128, 5, "5 parts of 32, which would leave nothing for the last; k_batch = 4 would work"),
        (
            128,
            3,
            (
                "3 parts of 48, which would need different loops, and a launch has one; "
                "k_batch = 2 would work"
            ),
        ),
        (
            264,
            2,
            (
                "2 parts of 144, which would need different loops, and a launch has one; "
                "k_batch = 1 would work"
            ),
        ),
        (264, 3, ""),
        (1 << 20, 65535, "would leave nothing for the last; k_batch = 32768 would work"),
        (1 << 20, 65536, "65535 are the most"),
        (1024, 1 << 40, "65535 are the most"),
        (1024, 0, "k_batch = 1"),
        (1024, -1, "k_batch = 1"),
    ],
)
def test_a_split_k_kernel_takes_what_can_be_divided_into_like_parts(
    split_k: KernelLibrary, k: int, k_batch: int, words: str
) -> None:
    status, why = split_k.supports(gemm_problem(64, 64, k, k_batch=k_batch), GPU)
    expected = Status.OK if not words else Status.UNSUPPORTED if k_batch > 0 else Status.INVALID
    assert status is expected and words in why, why


def test_what_a_refusal_recommends_is_accepted_and_nothing_between(split_k: KernelLibrary) -> None:
    for k in range(8, 700, 24):
        for k_batch in range(1, 40):
            status, why = split_k.supports(gemm_problem(64, 64, k, k_batch=k_batch), GPU)
            if status is Status.OK:
                continue
            recommended = int(why.partition("k_batch = ")[2].partition(" ")[0])
            assert 1 <= recommended < k_batch
            for fewer in range(recommended, k_batch):
                accepted = (
                    split_k.supports(gemm_problem(64, 64, k, k_batch=fewer), GPU)[0] is Status.OK
                )
                assert accepted == (fewer == recommended), (k, k_batch, fewer)


def test_a_split_k_kernel_that_does_not_pad_wants_parts_of_whole_tiles() -> None:
    library = KernelLibrary.load(Path(f"tests/kernels/lib{SPLIT_K_UNPADDED}.so"))

    def supports(k: int, k_batch: int) -> tuple[Status, str]:
        return library.supports(gemm_problem(64, 64, k, layout="rrr", k_batch=k_batch), GPU)

    assert supports(192, 2) == (Status.OK, "")
    status, why = supports(448, 4)
    assert status is Status.UNSUPPORTED
    assert (
        "4 parts of 112, which would not all be whole tiles of K, which it does not pad; "
        "k_batch = 3 would work"
    ) in why


def test_a_split_k_kernel_needs_no_workspace(split_k: KernelLibrary) -> None:
    assert split_k.workspace_size(gemm_problem(64, 64, 1024, k_batch=4), GPU) == (Status.OK, 0)
