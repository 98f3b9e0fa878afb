# SPDX-License-Identifier: MIT
"""The problems of every kernel reach all of its loops, and are such that it should take them."""

from __future__ import annotations

import math
from typing import cast

import pytest
from ckarch import load_specs
from ckdispatch import GroupedConvProblem
from ckgen.core.target import Target
from ckgen.grouped_conv.spec import GroupedConvSpec, Order, Specialization, Variant
from ckgen.product.spec import Pipeline, SplitK
from cksupport.grouped_conv.problems import launches
from cksupport.grouped_conv.tables import covered, kernel_of

ARCH = load_specs()
Tried = tuple[GroupedConvSpec, list[GroupedConvProblem]]


@pytest.fixture(scope="module")
def tried() -> list[Tried]:
    kernels = (kernel_of(one, ARCH) for one in covered(ARCH).combinations)
    return [
        (spec, [problem for (problem,) in launches(spec, Target.of(ARCH, one.gpu))])
        for one in kernels
        for spec in [cast(GroupedConvSpec, one.spec)]
    ]


def depth(spec: GroupedConvSpec, problem: GroupedConvProblem) -> float:
    """Products that a workgroup adds up, of backward data where the most places of the filter meet
    an input.
    """
    sizes = problem.sizes
    if spec.variant is Variant.BACKWARD_WEIGHT:
        return problem.n * math.prod(sizes.output) / problem.split_k
    if spec.variant is Variant.FORWARD:
        return problem.c * math.prod(sizes.filter)
    return problem.k * math.prod(-(-axis.filter // axis.stride) for axis in sizes.axes)


def test_the_main_loop_turns_every_number_of_times_that_matters(tried: list[Tried]) -> None:
    for spec, problems in tried:
        turns = [math.ceil(depth(spec, one) / spec.tile.k) for one in problems]
        if spec.specialization is not Specialization.FILTER_3X3:
            # A part of a split sum is at least two tiles deep with compv6.
            first = 2 if spec.pipeline is Pipeline.COMPV6 and spec.split_k is not SplitK.NONE else 1
            assert turns == list(range(first, first + len(problems))) and turns[-1] >= 5, spec.name


def test_what_is_moved_in_vectors_is_whole_vectors(tried: list[Tried]) -> None:
    for spec, problems in tried:
        for one in problems:
            a, b, c = spec.vectors
            along = {
                Variant.FORWARD: (one.c, one.c, one.k),
                Variant.BACKWARD_DATA: (one.k, one.c, one.c),
                Variant.BACKWARD_WEIGHT: (one.k, one.c, one.c),
            }[spec.variant]
            if spec.layout.order is Order.CHANNELS_FIRST:
                images = math.prod(one.sizes.input), math.prod(one.sizes.output)
                along = (one.c * math.prod(one.sizes.filter), *images)
            assert [extent % vector for extent, vector in zip(along, (a, b, c), strict=False)] == [
                0,
                0,
                0,
            ], spec.name


def test_a_kernel_for_some_filters_gets_those(tried: list[Tried]) -> None:
    for spec, problems in tried:
        filters = {place for one in problems for place in one.sizes.filter}
        pads = {
            pad
            for one in problems
            for axis in one.sizes.axes
            for pad in (axis.left_pad, axis.right_pad)
        }
        strides = {axis.stride for one in problems for axis in one.sizes.axes}
        if spec.specialization is Specialization.FILTER_3X3:
            assert filters == {3} and {one.c for one in problems} == {1}
        elif spec.specialization is not Specialization.DEFAULT:
            assert filters == {1} and pads == {0}
        assert strides == (
            {1} if spec.specialization is Specialization.FILTER_1X1_STRIDE1_PAD0 else {1, 2}
        )


def test_groups_parts_and_images_go_with_the_kernel(tried: list[Tried]) -> None:
    for spec, problems in tried:
        assert all(one.g % spec.merged_groups == 0 for one in problems)
        assert {one.split_k for one in problems} == ({1} if spec.split_k is SplitK.NONE else {2, 3})
        assert {one.n for one in problems} == {1, 2}
        assert all(one.bias == bool(spec.d_count) for one in problems)


def test_some_problems_have_remainders_of_the_tile_along_every_axis(tried: list[Tried]) -> None:
    for spec, problems in tried:
        assert (
            any(depth(spec, one) % spec.tile.k for one in problems)
            or min(spec.vectors[:2]) >= spec.tile.k
        ), spec.name
