# SPDX-License-Identifier: MIT
"""What kernels of each variant refuse, with a sentence that says what would work."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from ckabi import KernelLibrary, Phase, Status
from ckabi.gemm import Problem, gemm_problem, grouped_problem
from variant_problems import problem_for

GPU = os.environ["CK_GPU"]
OK, INVALID, UNSUPPORTED = Status.OK, Status.INVALID, Status.UNSUPPORTED

NAMES = {
    "standard": "fp16_rcr_compv4_*_splitk",
    "parts": "bf16_*_splitkws",
    "batched": "fp16_rcr_compv4_*_batched",
    "grouped": "fp16_rcr_compv3_*_grouped",
    "rows": "*_multid_MultiDAddFastGelu_d2",
    "columns": "*_multid_MultiDMultiply_d2",
    "activation": "*_multid_Silu_d0",
    "preshuffle": "fp16_*_64x64x64_*_preshuffle",
    "atomic_stream": "bf16_*_splitk_streamk",
    "stream": "bf16_*_splitkws_streamk",
}


def library(kind: str) -> KernelLibrary:
    (path,) = Path("tests/kernels").glob(f"libgemm_{NAMES[kind]}.so")
    return KernelLibrary.load(path)


def problem(kind: str, size: tuple[int, int, int], **changes: Any) -> Problem:
    """A problem that the kernel takes, but for the changes."""
    made = problem_for(library(kind).describe()["spec"], *size)
    for name, value in changes.items():
        if name in ("d", "stride_d"):
            getattr(made, name)[: len(value)] = value
        else:
            setattr(made, name, value)
    return made


def check(kind: str, asked: Problem, status: Status, words: str) -> None:
    kernel = library(kind)
    said, why = kernel.supports(asked, GPU)
    assert (said, words in why) == (status, True), why
    if status is not OK:
        assert kernel.describe()["spec"]["name"] in why and why.endswith(".")


@pytest.mark.parametrize(
    ("changes", "status", "words"),
    [
        ({}, OK, ""),
        ({"batch": 65535}, OK, ""),
        ({"batch": 65536}, UNSUPPORTED, "a batch of 65536; 65535 are the most"),
        ({"batch": 0}, INVALID, "asked for 0 products; there must be one at least"),
        ({"batch": -1}, INVALID, "asked for -1 products"),
        ({"batch_stride_a": 0, "batch_stride_b": 0}, OK, ""),
        ({"batch_stride_c": 0}, INVALID, "whose C are 0 elements apart"),
        ({"batch_stride_a": -8}, INVALID, "whose A are -8 elements apart"),
        ({"batch_stride_a": 4100}, UNSUPPORTED, "A are 4100 elements apart and moves vectors of 8"),
        ({"batch_stride_b": 4}, UNSUPPORTED, "the stride must be a multiple of 8"),
        ({"batch_stride_c": 4}, UNSUPPORTED, "the stride must be a multiple of 8"),
        ({"batch_stride_c": 56}, INVALID, "C are 56 elements apart and overlap"),
        ({"batch": 1, "batch_stride_a": -1, "batch_stride_c": 0}, OK, ""),
        ({"k_batch": 2}, UNSUPPORTED, "computes K whole (k_batch = 1)"),
    ],
)
def test_a_batched_kernel_wants_products_apart_that_begin_with_a_vector(
    changes: dict[str, int], status: Status, words: str
) -> None:
    check("batched", problem("batched", (64, 64, 64), **changes), status, words)


@pytest.mark.parametrize("kind", [kind for kind in NAMES if kind not in ("batched", "grouped")])
def test_other_kernels_compute_one_product(kind: str) -> None:
    size = (64, 64, 128)
    check(kind, problem(kind, size), OK, "")
    check(kind, problem(kind, size, batch=2), UNSUPPORTED, "computes one product (batch = 1)")
    one = problem(kind, size)
    many = grouped_problem([one, one])
    check(kind, many, UNSUPPORTED, "asked for 2 products at once and computes one")


def group(size: tuple[int, int, int] = (64, 64, 64), **changes: Any) -> Problem:
    return gemm_problem(*size, **changes)


@pytest.mark.parametrize(
    ("groups", "status", "words"),
    [
        ([group()], OK, ""),
        ([group((1, 8, 8)), group((300, 72, 1000))], OK, ""),
        ([], INVALID, "computes many products at once and was given 0 of them"),
        ([group(), group(k_batch=2)], UNSUPPORTED, "product 1 of a group in parts, in batches or"),
        ([group(batch=3), group()], UNSUPPORTED, "product 0 of a group in parts, in batches or"),
        ([group(group_count=1)], UNSUPPORTED, "each must be one product"),
        ([group(), group((64, 64, 60))], UNSUPPORTED, "K = 60 and moves A in vectors of 8"),
        ([group(), group((0, 64, 64))], INVALID, "from 1 to 2^31-1"),
        ([group(), group(stride_c=8)], INVALID, "C with leading dimension 8"),
        ([group(b=0x1008)], UNSUPPORTED, "B at an address that is not a multiple of 16 bytes"),
    ],
    ids=str,
)
def test_a_grouped_kernel_wants_every_product_as_it_would_be_alone(
    groups: list[Problem], status: Status, words: str
) -> None:
    check("grouped", grouped_problem(groups), status, words)


def test_a_grouped_kernel_counts_its_workgroups_in_32_bits() -> None:
    largest = group(((1 << 27) - 64, 8, 8))  # 2^21 - 1 tiles
    check("grouped", grouped_problem([largest] * 1024), OK, "")
    said = "1025 products of more than 2^31-1 tiles together"
    check("grouped", grouped_problem([largest] * 1025), UNSUPPORTED, said)


def test_a_grouped_kernel_without_groups_is_refused_whatever_their_number() -> None:
    nowhere = grouped_problem([])
    nowhere.groups = None
    nowhere.group_count = 3
    check("grouped", nowhere, INVALID, "group_count must be at least 1, with groups")


@pytest.mark.parametrize(
    ("kind", "changes", "status", "words"),
    [
        ("rows", {}, OK, ""),
        ("rows", {"stride_d": [0, 0]}, OK, ""),
        ("rows", {"stride_d": [72, 128], "d": [0x1010, 0x2000]}, OK, ""),
        ("rows", {"stride_d": [-8]}, INVALID, "D0 with leading dimension -8; 0 repeats one row"),
        (
            "rows",
            {"stride_d": [64, -1]},
            INVALID,
            "D1 with leading dimension -1; 0 repeats one row",
        ),
        ("rows", {"stride_d": [56]}, INVALID, "D with leading dimension 56, which is less than N"),
        ("rows", {"stride_d": [68]}, UNSUPPORTED, "D with leading dimension 68 and moves it in"),
        ("rows", {"d": [0x1008]}, UNSUPPORTED, "D at an address that is not a multiple of 16 byt"),
        ("rows", {"d": [0x1000, 0x1008]}, UNSUPPORTED, "D at an address that is not a multiple of"),
        ("rows", {"stride_d": [1 << 31]}, UNSUPPORTED, "which is 2 GiB or more"),
        ("rows", {"k_batch": 2}, UNSUPPORTED, "computes K whole"),
        ("columns", {}, OK, ""),
        ("columns", {"stride_d": [65, 0], "d": [0x1004, 0x2008]}, OK, ""),
        (
            "columns",
            {"stride_d": [63]},
            INVALID,
            "D with leading dimension 63, which is less than M",
        ),
        ("columns", {"stride_d": [-1]}, INVALID, "0 repeats one column"),
        ("columns", {"d": [0x1002]}, UNSUPPORTED, "not a multiple of 4 bytes"),
        ("activation", {"stride_d": [-1], "d": [1]}, OK, ""),
    ],
)
def test_d_tensors_are_repeated_or_as_large_as_c_and_begin_with_a_vector(
    kind: str, changes: dict[str, Any], status: Status, words: str
) -> None:
    check(kind, problem(kind, (64, 64, 64), **changes), status, words)


@pytest.mark.parametrize(
    ("size", "changes", "status", "words"),
    [
        ((64, 64, 64), {}, OK, ""),
        ((1, 80, 128), {"stride_b": 0}, OK, ""),
        (
            (64, 72, 64),
            {},
            UNSUPPORTED,
            "N x K = 72 x 64 and takes preshuffled weights of multiples of 16 x 64",
        ),
        ((64, 64, 96), {}, UNSUPPORTED, "K = 96 and needs a multiple of 64"),
        (
            (64, 64, 64),
            {"b": 0x1008},
            UNSUPPORTED,
            "B at an address that is not a multiple of 16 bytes",
        ),
        ((1, 1 << 21, 512), {}, UNSUPPORTED, "B of 2097152 x 512, which is 2 GiB or more"),
        ((64, 64, 64), {"k_batch": 2}, UNSUPPORTED, "computes K whole"),
    ],
)
def test_a_preshuffle_kernel_takes_whole_blocks_of_weights(
    size: tuple[int, int, int], changes: dict[str, int], status: Status, words: str
) -> None:
    check("preshuffle", problem("preshuffle", size, **changes), status, words)


@pytest.mark.parametrize("kind", ["atomic_stream", "stream"])
@pytest.mark.parametrize(
    ("workgroups", "status", "words"),
    [
        (1, OK, ""),
        (12, OK, ""),
        (13, UNSUPPORTED, "share 12 loops among 13 workgroups (k_batch); from 1 to 12 would work"),
        (0, INVALID, "share the work among 0 workgroups; there must be one at least"),
        (-3, INVALID, "share the work among -3 workgroups"),
    ],
)
def test_a_stream_k_kernel_has_a_loop_for_each_workgroup(
    kind: str, workgroups: int, status: Status, words: str
) -> None:
    check(kind, problem(kind, (65, 128, 72), k_batch=workgroups), status, words)


@pytest.mark.parametrize(
    ("kind", "size", "changes", "bytes_needed"),
    [
        ("stream", (64, 64, 64), {"k_batch": 1}, 4 * 64 * 64 * 2),
        ("stream", (65, 128, 72), {"k_batch": 12}, 4 * 64 * 64 * (4 + 12)),
        ("atomic_stream", (65, 128, 72), {"k_batch": 12}, 0),
        ("parts", (65, 72, 128), {"k_batch": 1}, 4 * 65 * 72),
        ("parts", (65, 72, 128), {"k_batch": 4}, 4 * 65 * 72 * 4),
        ("standard", (65, 72, 128), {"k_batch": 4}, 0),
        ("batched", (64, 64, 64), {}, 0),
        ("rows", (64, 64, 64), {}, 0),
        ("preshuffle", (64, 64, 64), {}, 0),
    ],
)
def test_a_workspace_holds_the_parts_of_c(
    kind: str, size: tuple[int, int, int], changes: dict[str, int], bytes_needed: int
) -> None:
    asked = problem(kind, size, **changes)
    assert library(kind).workspace_size(asked, GPU) == (OK, bytes_needed)


@pytest.mark.parametrize(
    ("size", "changes", "status", "words"),
    [
        ((64, 64, 64), {"c": 0x1002, "stride_c": 67}, OK, ""),
        (
            (64, 64, 64),
            {"c": 0x1001},
            UNSUPPORTED,
            "C at an address that is not a multiple of 2 bytes",
        ),
        ((64, 64, 64), {"stride_c": 60}, INVALID, "C with leading dimension 60"),
        ((64, 66, 64), {}, UNSUPPORTED, "N = 66 and moves C in vectors of 4 elements"),
        (
            (1 << 14, 1 << 13, 1024),
            {"k_batch": 4},
            UNSUPPORTED,
            "4 parts of 16384 x 8192 in a workspace, which are 2 GiB or more",
        ),
        ((1 << 14, 1 << 13, 1024), {"k_batch": 2}, OK, ""),
        ((64, 64, 128), {"k_batch": 5}, UNSUPPORTED, "k_batch = 4 would work"),
        ((64, 64, 128), {"k_batch": 0}, INVALID, "(k_batch = 1) or in several"),
    ],
)
def test_what_goes_through_a_workspace_is_stored_in_c_one_by_one(
    size: tuple[int, int, int], changes: dict[str, int], status: Status, words: str
) -> None:
    check("parts", problem("parts", size, **changes), status, words)


@pytest.mark.parametrize(
    ("kind", "phases"),
    [
        ("batched", Phase.COMPUTE),
        ("standard", Phase.CLEAR | Phase.COMPUTE),
        ("parts", Phase.COMPUTE | Phase.COMBINE),
        ("atomic_stream", Phase.CLEAR | Phase.COMPUTE),
        ("stream", Phase.COMPUTE | Phase.COMBINE),
    ],
)
def test_parts_of_k_are_added_to_zero_or_combined_at_the_end(kind: str, phases: Phase) -> None:
    assert library(kind).phases(problem(kind, (64, 64, 128)), GPU) == phases


def with_pointers(kind: str) -> Problem:
    """A problem whose addresses nobody will follow."""
    return problem(kind, (64, 64, 128), a=0x1000, b=0x2000, c=0x3000, d=[0x4000, 0x5000])


@pytest.mark.parametrize("kind", ["stream", "parts"])
def test_a_launch_without_enough_workspace_says_how_much_it_needs(kind: str) -> None:
    kernel, asked = library(kind), with_pointers(kind)
    needed = kernel.workspace_size(asked, GPU)[1]
    status, why = kernel.launch(asked, gpu=GPU.encode())
    assert status is INVALID and f"a workspace of 0 bytes and needs {needed}." in why
    options = {"workspace": 0x9000, "workspace_size": needed - 1}
    status, why = kernel.launch(asked, gpu=GPU.encode(), **options)
    assert status is INVALID and f"a workspace of {needed - 1} bytes and needs {needed}." in why


def test_a_grouped_launch_needs_a_workspace_and_every_tensor() -> None:
    kernel = library("grouped")
    whole, lacking = group(a=0x1000, b=0x2000, c=0x3000), group(a=0x1000, b=0x2000)
    status, why = kernel.launch(grouped_problem([whole, lacking]), gpu=GPU.encode())
    assert status is INVALID and "null tensor" in why
    status, why = kernel.launch(grouped_problem([whole, whole]), gpu=GPU.encode())
    assert status is INVALID and "a workspace of 0 bytes and needs 144." in why


def test_a_launch_without_a_d_tensor_is_refused() -> None:
    asked = with_pointers("rows")
    asked.d[1] = None
    status, why = library("rows").launch(asked, gpu=GPU.encode())
    assert status is INVALID and "null tensor" in why
