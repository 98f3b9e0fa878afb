# SPDX-License-Identifier: MIT
"""What the cost model sees, other constants for it, and learned models from files."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from ckdispatch import GemmProblem, Registry
from ckdispatch.errors import CkDispatchError, Damaged, InvalidArgument, NotFound
from ckdispatch.learning.artefact import Artefact
from ckdispatch.learning.trees import Tree
from ckdispatch.selection import Selection
from dispatch_support import ESSENTIAL

SQUARE = GemmProblem(2048, 2048, 2048)
TWICE = Tree((), (), (), (), (math.log(2),))


@pytest.fixture
def selection() -> Selection:
    return Selection(Registry.load(ESSENTIAL), "gfx942")


def model(folder: Path, selection: Selection, **changes: Any) -> Path:
    """One that says that everything takes twice as long."""
    costs = selection.costs(SQUARE)
    given: dict[str, Any] = {
        "family": "gemm",
        "gpu": "gfx942",
        "serves": {},
        "features": ("tile_m",),
        "ranges": {"tile_m": (0.0, 1000.0)},
        "constants": dict(zip(costs.terms, costs.constants, strict=True)),
        "trees": (TWICE,),
        "manifest": {"provenance": "simulated"},
    }
    path = folder / "model.json"
    Artefact(**{**given, **changes}).write(path)
    return path


def times(selection: Selection) -> Mapping[str, float]:
    return {one.kernel: one.microseconds for one in selection.rank(SQUARE).fit}


def bases(selection: Selection) -> set[str]:
    return {one.basis for one in selection.rank(SQUARE).fit}


def test_costs_have_a_number_for_every_name(selection: Selection) -> None:
    costs = selection.costs(SQUARE)
    assert (
        len(costs.terms) == len(costs.constants) == len(set(costs.terms))
        and "launch" in costs.terms
    )
    assert len(set(costs.features)) == len(costs.features) and "share_launch" in costs.features
    assert {one.kernel for one in costs.fit} == set(times(selection))
    for one in costs.fit:
        assert len(one.terms) == len(costs.terms) and len(one.features) == len(costs.features)
        assert all(map(math.isfinite, (*one.terms, *one.features)))
        assert one.microseconds == times(selection)[one.kernel]


def test_a_time_is_the_sum_of_its_terms_and_never_below_what_memory_takes(
    selection: Selection,
) -> None:
    costs = selection.costs(GemmProblem(4096, 4096, 4096))
    for one in costs.fit:
        assert one.microseconds >= sum(
            map(math.prod, zip(costs.constants, one.terms, strict=True))
        ) * (1 - 1e-12)


def test_costs_of_a_problem_that_no_kernel_computes_are_none(selection: Selection) -> None:
    assert selection.costs(GemmProblem(64, 64, 64, dtype="bf16")).fit == ()


def test_constants_change_times_and_are_the_callers_own(selection: Selection) -> None:
    costs, before = selection.costs(SQUARE), times(selection)
    assert selection.rank(SQUARE).costs.carried_over
    selection.use_constants("gemm", [3 * one for one in costs.constants])
    assert selection.costs(SQUARE).constants == tuple(3 * one for one in costs.constants)
    assert all(after > 2 * before[kernel] for kernel, after in times(selection).items())
    fitted = selection.rank(SQUARE).costs
    assert (fitted.carried_over, fitted.source) == (False, "constants of the caller's own")


@pytest.mark.parametrize(
    ("family", "constants", "said"),
    [
        ("gemm", [], r"was given 0 constants; it has \d+"),
        ("gemm", [1.0] * 99, r"was given 99 constants; it has \d+"),
        ("attention", [1.0], "constants of the family 'attention' were given; there is gemm"),
        (["gemm"], [1.0], "constants of the family"),
        ("gemm", ["one"], "they are numbers"),
        ("gemm", 3, "they are numbers"),
        ("gemm", None, "they are numbers"),
        ("gemm", [10**400], "they are numbers"),
    ],
)
def test_constants_that_are_none_are_refused(
    selection: Selection, family: Any, constants: Any, said: str
) -> None:
    before = times(selection)
    with pytest.raises(InvalidArgument, match=said):
        selection.use_constants(family, constants)
    assert times(selection) == before


@pytest.mark.parametrize("bad", [-1.0, math.nan, math.inf])
def test_each_constant_is_checked(selection: Selection, bad: float) -> None:
    constants = list(selection.costs(SQUARE).constants)
    constants[-1] = bad
    with pytest.raises(InvalidArgument, match="each is a finite number from 0"):
        selection.use_constants("gemm", constants)


def test_a_model_corrects_times_and_is_told_of(selection: Selection, tmp_path: Path) -> None:
    before = times(selection)
    assert bases(selection) == {"cost_model"} and selection.rank(SQUARE).models == ()
    selection.use_model(model(tmp_path, selection))
    assert bases(selection) == {"learned"}
    assert times(selection) == pytest.approx({kernel: 2 * time for kernel, time in before.items()})
    (told,) = selection.rank(SQUARE).models
    assert told["manifest"] == {"provenance": "simulated"}
    plan = selection.select(SQUARE)
    assert plan.predicted_microseconds == min(times(selection).values())


def test_a_model_may_be_for_some_kernels(selection: Selection, tmp_path: Path) -> None:
    selection.use_model(model(tmp_path, selection, serves={"pipeline": "compv4"}))
    assert bases(selection) == {"learned", "cost_model"}


def test_a_problem_unlike_those_of_the_model_is_beyond_it(
    selection: Selection, tmp_path: Path
) -> None:
    selection.use_model(model(tmp_path, selection, ranges={"tile_m": (0.0, 1.0)}))
    assert bases(selection) == {"beyond"}


def test_a_predictor_goes_before_a_model(selection: Selection, tmp_path: Path) -> None:
    selection.use_model(model(tmp_path, selection))
    selection.use_predictor(lambda _problem, _kernel, _parts: 1.5)
    assert bases(selection) == {"predictor"} and set(times(selection).values()) == {1.5}


def test_rules_ignore_a_model(selection: Selection, tmp_path: Path) -> None:
    before = times(selection)
    selection.use_model(model(tmp_path, selection))
    selection.use_strategy("rules")
    assert times(selection) == before and bases(selection) == {"cost_model"}
    selection.use_strategy("model")
    assert bases(selection) == {"learned"}


def test_the_strategy_needs_a_model(selection: Selection) -> None:
    with pytest.raises(
        InvalidArgument, match="there is no model for this GPU; give one, or a predictor"
    ):
        selection.use_strategy("model")


def test_a_model_comes_with_the_library_for_convolutions_on_gfx950() -> None:
    Selection(Registry.load(ESSENTIAL), "gfx950").use_strategy("model")


def test_models_that_are_none_are_refused(selection: Selection, tmp_path: Path) -> None:
    def refused(path: Any, error: type[CkDispatchError], said: str) -> None:
        with pytest.raises(error, match=said):
            selection.use_model(path)

    refused(tmp_path / "none.json", NotFound, "none.json")
    refused(tmp_path, CkDispatchError, "The model ")
    refused(3, InvalidArgument, "a model")
    refused("a\0b", InvalidArgument, "a model")
    (tmp_path / "text.json").write_text("no JSON")
    refused(tmp_path / "text.json", Damaged, "text.json")
    good = json.loads(model(tmp_path, selection).read_text())
    for name, value, said in (
        ("gpu", "gfx950", "A model for gfx950 was given to a dispatcher for gfx942"),
        ("family", "attention", "attention"),
        ("serves", {"colour": "blue"}, "have no such field"),
        ("constants", {}, "lacks the constant"),
    ):
        (tmp_path / "bad.json").write_text(json.dumps({**good, name: value}))
        refused(tmp_path / "bad.json", InvalidArgument, said)
    assert bases(selection) == {"cost_model"}
