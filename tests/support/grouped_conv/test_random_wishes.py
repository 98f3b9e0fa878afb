# SPDX-License-Identifier: MIT
"""Wishes drawn at random, most of them illegal: what they are corrected to is legal, computes what
was wished for, and is right.

CK_WISHES are drawn and CK_KERNELS of what comes out built, for CK_GPUS; CK_SEED decides which.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
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
from ckgen.grouped_conv.spec import GroupedConvSpec
from cksupport.digests import Digests
from cksupport.results import Results
from cksupport.sample_summary import SampleSummary
from cksupport.samples import Sample
from cksupport.sweep import Machine, pending, sweep

ARCH = load_specs()
CONV = FAMILIES["grouped_conv"]
GPUS = os.environ["CK_GPUS"].split()
NAME = "grouped_conv_fwd_fp16_nhwgc_2d_compv3_cshuffle_intrawave_64x64x64_2x2x1_32x32x16"

EXTENTS = {
    "tile": (16, 32, 48, 64, 96, 100, 128, 256),
    "waves": (1, 2, 4, 8),
    "warp_tile": (4, 8, 16, 32, 64),
}
NUMBERS = {"ndim_spatial": (1, 2, 3), "d_count": (0, 1, 2)}
WIDTHS = (1, 2, 3, 4, 8, 16)
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


def corrections() -> Iterator[tuple[Target, GroupedConvSpec, GroupedConvSpec]]:
    """Illegal wishes, and what each is corrected to, where there is something like it."""
    random = Random(int(os.environ.get("CK_SEED", "1")))
    for _ in range(int(os.environ["CK_WISHES"])):
        target = Target.of(ARCH, random.choice(GPUS))
        asked = wish(random)
        found = None if CONV.is_legal(asked, target) else nearest_legal(CONV, asked, target)
        if found is not None:
            yield target, asked, cast(GroupedConvSpec, found)


@pytest.fixture(scope="module")
def corrected() -> list[tuple[Target, GroupedConvSpec, GroupedConvSpec]]:
    found = list(corrections())
    print(f"\n{len(found)} of {os.environ['CK_WISHES']} wishes were corrected")
    return found


def test_a_third_of_all_wishes_are_corrected(corrected: list[Any]) -> None:
    # Others are illegal because of what they compute, and some few are legal.
    assert len(corrected) > int(os.environ["CK_WISHES"]) / 3


def test_what_comes_out_is_legal_and_computes_what_was_wished_for(corrected: list[Any]) -> None:
    for target, asked, found in corrected:
        assert CONV.is_legal(found, target)
        assert CONV.parse_name(found.name) == found
        assert (found.variant, found.ndim_spatial) == (asked.variant, asked.ndim_spatial)
        # A bias is told of by its operation and by its count, of which one may be wrong.
        by_name = found.fused_op is asked.fused_op
        assert by_name or found.fused_op.takes_ds is (asked.d_count > 0)
        assert by_name or found.fused_op.without_ds is asked.fused_op.without_ds


def test_a_refusal_names_it(corrected: list[Any]) -> None:
    for target, asked, found in corrected[:10]:
        finding = first_violation(CONV.rules, asked, target)
        assert finding is not None
        said = refusal(CONV, finding, asked, target)
        assert said.endswith(f"; the nearest legal choice is {describe_change(asked, found)}")


def test_some_that_are_built_are_right(tmp_path: Path, corrected: list[Any]) -> None:
    small = [
        Sample(target.name, found)
        for target, _, found in corrected
        if max(found.tile.m, found.tile.n) <= LARGEST
    ]
    samples = list({one.key: one for one in small}.values())[: int(os.environ["CK_KERNELS"])]
    assert len(samples) == int(os.environ["CK_KERNELS"])
    results, digests = Results(tmp_path / "results.json"), Digests(ARCH)
    machine = Machine(jobs=os.cpu_count() or 1, timeout=300.0)
    sweep(pending(samples, results, digests), results, digests, machine, lambda *told: None)
    summary = SampleSummary.of(samples, results)
    print(summary)
    assert summary.complete
