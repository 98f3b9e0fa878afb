# SPDX-License-Identifier: MIT
"""Wishes drawn at random, most of them illegal: what they are corrected to is legal, computes what
was wished for, and is right.

CK_WISHES are drawn for CK_GPUS, CK_CORRECTED of them or more have to be corrected, and CK_KERNELS
of what comes out are built; CK_SEED decides which.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest
from ckarch import load_specs
from ckgen.core.choice import Choice
from ckgen.core.nearest import describe_change, nearest_legal, refusal
from ckgen.core.rules import first_violation
from ckgen.core.spec import field_types
from ckgen.core.target import Target
from ckgen.core.tile import Dim3
from ckgen.families import FAMILIES
from ckgen.grouped_conv.spec import GroupedConvSpec, Specialization, Variant
from cksupport.digests import Digests
from cksupport.results import Results
from cksupport.sample_summary import SampleSummary
from cksupport.samples import Sample
from cksupport.sweep import Machine, pending, sweep
from cksupport.verdicts import Verdict

ARCH = load_specs()
CONV = FAMILIES["grouped_conv"]
GPUS = os.environ["CK_GPUS"].split()
WISHES, KERNELS = int(os.environ["CK_WISHES"]), int(os.environ["CK_KERNELS"])
NAME = "grouped_conv_fwd_fp16_nhwgc_2d_compv3_cshuffle_intrawave_64x64x64_2x2x1_32x32x16"

EXTENTS = {
    "tile": (16, 32, 48, 64, 96, 100, 128, 256),
    "waves": (1, 2, 4, 8),
    "warp_tile": (4, 8, 16, 32, 64),
}
NUMBERS = {"ndim_spatial": (1, 2, 3), "d_count": (0, 1, 2)}
WIDTHS = (1, 2, 3, 4, 8, 16)
MEANT = ("variant", "ndim_spatial", "layout", "specialization", "fused_op", "d_count")
"""What says, with the dtype of A, what a kernel computes."""
ANY, UNIT = Specialization.DEFAULT, Specialization.FILTER_1X1_PAD0
WIDER = {
    ANY: {ANY},
    UNIT: {ANY, UNIT},
    Specialization.FILTER_1X1_STRIDE1_PAD0: {ANY, UNIT, Specialization.FILTER_1X1_STRIDE1_PAD0},
    Specialization.FILTER_3X3: {ANY, Specialization.FILTER_3X3},
}
"""Kernels that take all the filters of each."""
LARGEST = 128
"""Rows or columns of a tile, of kernels that are built: what is larger compiles for minutes."""


def wish(random: Random) -> GroupedConvSpec:
    """A kernel of which about half of the fields are what they mostly are."""
    spec = cast(GroupedConvSpec, CONV.parse_name(NAME))
    changes: dict[str, Any] = {}
    for field in field_types(GroupedConvSpec):
        usual = getattr(spec, field)
        if random.random() < 0.5:
            continue
        if isinstance(usual, Dim3):
            changes[field] = Dim3(*(random.choice(EXTENTS[field]) for _ in range(3)))
        elif isinstance(usual, Choice):
            changes[field] = random.choice(list(type(usual)))
        else:
            changes[field] = random.choice(NUMBERS.get(field, WIDTHS))
    return replace(spec, **changes)


def plain(asked: GroupedConvSpec) -> GroupedConvSpec:
    """A kernel that computes what was wished for in the usual way, of one dtype."""
    spec = cast(GroupedConvSpec, CONV.parse_name(NAME))
    meant: dict[str, Any] = dict.fromkeys(("dtype_x", "dtype_w", "dtype_y"), asked.dtype_a)
    return replace(spec, **meant, **{field: getattr(asked, field) for field in MEANT})


@dataclass(frozen=True)
class Answer:
    """To an illegal wish: the nearest legal kernel, if any was found."""

    target: Target
    asked: GroupedConvSpec
    found: GroupedConvSpec | None

    @classmethod
    def to(cls, asked: GroupedConvSpec, target: Target) -> Answer:
        return cls(target, asked, cast(GroupedConvSpec, nearest_legal(CONV, asked, target)))


@dataclass(frozen=True)
class Correction:
    """What an illegal wish has been corrected to."""

    target: Target
    asked: GroupedConvSpec
    found: GroupedConvSpec


@pytest.fixture(scope="module")
def answers() -> list[Answer]:
    random = Random(int(os.environ.get("CK_SEED", "1")))
    drawn = [(Target.of(ARCH, random.choice(GPUS)), wish(random)) for _ in range(WISHES)]
    return [Answer.to(one, target) for target, one in drawn if not CONV.is_legal(one, target)]


@pytest.fixture(scope="module")
def corrected(answers: list[Answer]) -> list[Correction]:
    made = [Correction(one.target, one.asked, one.found) for one in answers if one.found]
    print(f"\n{len(made)} of {WISHES} wishes were corrected")
    return made


def test_many_wishes_are_corrected(corrected: list[Correction]) -> None:
    assert len(corrected) >= int(os.environ["CK_CORRECTED"])


def test_where_nothing_comes_out_there_is_hardly_ever_a_kernel(answers: list[Answer]) -> None:
    without = [one for one in answers if one.found is None]
    missed = [one for one in without if nearest_legal(CONV, plain(one.asked), one.target)]
    print(f"\n{len(without)} have no kernel near, {len(missed)} of them in vain")
    for one in missed:
        print(f"  {one.target.name}: {one.asked.name}")
    assert len(missed) <= WISHES // 200


def test_what_comes_out_is_legal_and_computes_what_was_wished_for(
    corrected: list[Correction],
) -> None:
    for one in corrected:
        asked, found = one.asked, one.found
        assert CONV.is_legal(found, one.target)
        assert CONV.parse_name(found.name) == found
        assert (found.variant, found.ndim_spatial) == (asked.variant, asked.ndim_spatial)
        assert found.dtype_a is asked.dtype_a
        # Gradients need channels last.
        assert found.layout.order is asked.layout.order or asked.variant is not Variant.FORWARD
        assert found.specialization in WIDER[asked.specialization]
        # A bias is told of by its operation and by its count, of which one may be wrong.
        by_name = found.fused_op is asked.fused_op
        assert by_name or found.fused_op.takes_ds is (asked.d_count > 0)
        assert by_name or found.fused_op.without_ds is asked.fused_op.without_ds


def test_a_refusal_names_it(corrected: list[Correction]) -> None:
    for one in corrected[:10]:
        finding = first_violation(CONV.rules, one.asked, one.target)
        assert finding is not None
        said = refusal(CONV, finding, one.asked, one.target)
        change = describe_change(one.asked, one.found)
        assert said.endswith(f"; the nearest legal choice is {change}")


def test_some_that_are_built_are_right(tmp_path: Path, corrected: list[Correction]) -> None:
    small = [
        Sample(one.target.name, one.found)
        for one in corrected
        if max(one.found.tile.m, one.found.tile.n) <= LARGEST
    ]
    samples = list({one.key: one for one in small}.values())[:KERNELS]
    results, digests = Results(tmp_path / "results.json"), Digests(ARCH)
    machine = Machine(jobs=os.cpu_count() or 1, timeout=300.0)
    sweep(pending(samples, results, digests), results, digests, machine, lambda *told: None)
    summary = SampleSummary.of(samples, results)
    print(summary)
    assert summary.complete
    assert summary.legal == {Verdict.RIGHT: KERNELS}
