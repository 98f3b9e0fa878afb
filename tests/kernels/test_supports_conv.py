# SPDX-License-Identifier: MIT
"""A convolution that a kernel does not compute is refused with a sentence, before anything is
launched.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from ckabi import KernelLibrary, Phase, Status
from ckabi.grouped_conv import ConvProblem, conv_axis, conv_problem

GPU = os.environ["CK_GPU"]
MANY = "2d_compv3_cshuffle_intrawave_64x64x64_2x2x1_32x32x16"
AXIS = conv_axis(14, 3, pads=(1, 1))


def kernel(direction: str, rest: str = MANY) -> KernelLibrary:
    return KernelLibrary.load(Path(f"kernels/libgrouped_conv_{direction}_fp16_nhwgc_{rest}.so"))


FIRST = KernelLibrary.load(Path(f"kernels/libgrouped_conv_fwd_bf16_ngchw_{MANY}_v8x1x8.so"))
FORWARD, DATA, WEIGHT = kernel("fwd"), kernel("bwd_data"), kernel("bwd_weight")


def problem(
    n: int = 2, g: int = 3, c: int = 16, k: int = 24, axes: Any = (AXIS, AXIS), **changes: Any
) -> ConvProblem:
    return conv_problem(n, g, c, k, axes, **changes)


def along(**changes: Any) -> Any:
    """The first axis as it is, and the second with something changed."""
    return (AXIS, conv_axis(**{"input": 14, "filter": 3, "pads": (1, 1), **changes}))


@pytest.mark.parametrize("library", [FORWARD, DATA, WEIGHT], ids=["forward", "data", "weight"])
def test_a_problem_that_fits_is_taken(library: KernelLibrary) -> None:
    assert library.supports(problem(), GPU) == (Status.OK, "")


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (problem(n=0), "N, G, C, K = 0, 3, 16, 24; each must be from 1 to 2^31-1."),
        (problem(g=-1), "N, G, C, K = 2, -1, 16, 24; each must be from 1"),
        (problem(c=2**31), "N, G, C, K = 2, 3, 2147483648, 24; each must be from 1"),
        (problem(axes=along(input=0, output=1)), "input 0, filter 3, output 1, stride 1 and dil"),
        (
            problem(axes=along(dilation=0)),
            "and dilation 0 along spatial dimension 1; each must be from 1 to 2^31-1.",
        ),
        (problem(axes=along(pads=(-1, 1))), "pads of -1 and 1 along spatial dimension 1; each"),
        (problem(axes=along(pads=(0, 2**31), output=9)), "pads of 0 and 2147483648 along spatial"),
        (
            problem(axes=along(output=15)),
            "an output of 15 along spatial dimension 1, where a "
            "padded input of 16 under a filter that reaches over 3 with stride 1 gives 14.",
        ),
        (
            problem(axes=along(filter=17, output=1)),
            "filter that reaches over 17 with stride 1 gives 0.",
        ),
        (problem(axes=along(pads=(2**30, 2**30), output=9)), "neither may be more than 2^31-1."),
        (problem(k_batch=0), "split its sum into 0 parts; it computes it whole (k_batch = 1)."),
    ],
)
def test_what_makes_no_sense_is_invalid(asked: ConvProblem, sentence: str) -> None:
    for library in (FORWARD, DATA, WEIGHT):
        status, why = library.supports(asked, GPU)
        assert status in (Status.INVALID, Status.UNSUPPORTED) and sentence in why, why
        assert why.startswith("grouped_conv_") and why.endswith(".")


@pytest.mark.parametrize(
    ("library", "asked", "sentence"),
    [
        (FORWARD, problem(c=12), "C = 12 and moves x in vectors of 8 elements: C must be a mult"),
        (FORWARD, problem(k=12), "K = 12 and moves y in vectors of 8 elements: K must be a mult"),
        (DATA, problem(k=12), "K = 12 and moves y in vectors of 8 elements: K must be a multiple"),
        (DATA, problem(c=12), "C = 12 and moves w in vectors of 8 elements: C must be a multiple"),
        (WEIGHT, problem(k=12), "K = 12 and moves y in vectors of 8 elements: K must be a multip"),
        (WEIGHT, problem(c=12), "C = 12 and moves x in vectors of 8 elements: C must be a multip"),
        (FORWARD, problem(x=8), "x at an address that is not a multiple of 16 bytes, its vector"),
        (DATA, problem(w=2), "w at an address that is not a multiple of 16 bytes, its vector wid"),
        (WEIGHT, problem(w=2), "w at an address that is not a multiple of 16 bytes, its vector w"),
        (WEIGHT, problem(k_batch=2), "split its sum into 2 parts; it computes it whole (k_batch"),
        (
            WEIGHT,
            problem(n=2**22),
            "adds up over all of 4194304 images at once, and was asked for "
            "2 GiB or more of them; 76087 would work.",
        ),
        (
            FORWARD,
            problem(c=2**20, axes=along(input=1024)),
            "an image of 2 GiB or more, which it cannot "
            "divide, because so much of it is met by the filter at once.",
        ),
        (WEIGHT, problem(c=2**16, axes=along(input=1024)), "because it adds up over all of it."),
        (
            FIRST,
            problem(c=2**16, axes=along(input=1024)),
            "because each channel has all of its rows.",
        ),
        (
            FORWARD,
            problem(c=2**30, k=2**30, axes=(conv_axis(2**30, 1),) * 2),
            "was asked for filters of one group of 2 GiB or more.",
        ),
        (FORWARD, problem(g=2**17), "131072 groups and 2 images, which are more layers of workgr"),
        (
            kernel("bwd_weight", MANY + "_splitk"),
            problem(k_batch=8),
            "its sum into 8 parts; from 1 to 7",
        ),
        (
            FIRST,
            problem(c=3),
            "C times the size of the filter = 27 and moves w in vectors of 8 elements",
        ),
        (
            FIRST,
            problem(axes=along(input=5)),
            "the size of an image of y = 70 and moves y in vectors of 8",
        ),
        (
            kernel("fwd", MANY + "_v4x4x4_merge8"),
            problem(),
            "computes 8 groups at once, and was asked for 3.",
        ),
        (
            kernel("fwd", MANY + "_filter1x1pad0"),
            problem(),
            "filters of 1 without pads, and was asked for a "
            "filter of 3 with pads of 1 and 1 along spatial dimension 0.",
        ),
    ],
)
def test_what_a_kernel_does_not_do_is_unsupported_with_the_reason(
    library: KernelLibrary, asked: ConvProblem, sentence: str
) -> None:
    status, why = library.supports(asked, GPU)
    assert status is Status.UNSUPPORTED and sentence in why, why


def test_another_family_and_another_gpu_are_refused() -> None:
    asked = problem()
    asked.family = 1
    status, why = FORWARD.supports(asked, GPU)
    assert status is Status.INVALID
    assert "computes a grouped convolution and was given no ck_grouped_conv_problem of this" in why
    status, why = FORWARD.supports(problem(), "gfx1100")
    assert status is Status.WRONG_GPU and "holds code for gfx942:64 only" in why


def test_a_launch_without_tensors_or_workspace_launches_nothing() -> None:
    status, why = FORWARD.launch(problem(), gpu=GPU.encode())
    assert status is Status.INVALID and why.endswith("was launched with a null tensor.")
    parts = kernel("bwd_weight", MANY + "_v8x8x4_splitkws")
    asked = problem(k_batch=2, x=4096, w=4096, y=4096)
    assert parts.workspace_size(asked, GPU) == (Status.OK, 2 * 3 * 24 * 9 * 16 * 4)
    status, why = parts.launch(asked, gpu=GPU.encode())
    assert status is Status.INVALID and "with a workspace of 0 bytes and needs 82944." in why


@pytest.mark.parametrize(
    ("library", "asked", "phases"),
    [
        (FORWARD, problem(), Phase.COMPUTE),
        (DATA, problem(), Phase.COMPUTE),
        # Every second input meets no place of the filter.
        (DATA, problem(axes=along(filter=1, pads=(0, 0), stride=2)), Phase.CLEAR | Phase.COMPUTE),
        (WEIGHT, problem(), Phase.COMPUTE),
        (kernel("bwd_weight", MANY + "_splitk"), problem(k_batch=2), Phase.CLEAR | Phase.COMPUTE),
        (
            kernel("bwd_weight", MANY + "_v8x8x4_splitkws"),
            problem(k_batch=2),
            Phase.COMPUTE | Phase.COMBINE,
        ),
    ],
)
def test_a_problem_has_the_phases_that_its_kernel_needs(
    library: KernelLibrary, asked: ConvProblem, phases: Phase
) -> None:
    assert library.phases(asked, GPU) == phases


def test_a_phase_that_a_problem_has_not_is_refused() -> None:
    asked = problem(x=4096, w=4096, y=4096)
    status, why = FORWARD.launch(asked, gpu=GPU.encode(), phases=Phase.COMBINE)
    assert status is Status.INVALID and why.endswith(
        "was launched with the phases 4, and the problem has 2."
    )
