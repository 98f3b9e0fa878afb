# SPDX-License-Identifier: MIT
"""What a table says about each strategy, on problems that it was not made from: as figures to keep,
and as numbers to draw.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ckdispatch.errors import InvalidArgument, NoKernel, Unsupported
from ckdispatch.evaluation import BEST_SINGLE, FIRST_FIT, MODEL, RANDOM, RULES
from ckdispatch.evaluation.measured import Measured
from ckdispatch.evaluation.strategies import judged as judged_as_shipped
from ckdispatch.evaluation.strategies import judged_bounds
from ckdispatch.families import FAMILIES
from ckdispatch.judging.cases import Case, Way
from ckdispatch.judging.verdict import Verdict, best_single, judge
from ckdispatch.learning.design import Design, Designer
from ckdispatch.learning.training import folds_by_hash
from ckdispatch.learning.validation import FOLDS, Folds, by_folds, steps_of, transfers
from ckdispatch.measurements.table import problem_of
from ckdispatch.problem import Problem
from ckdispatch.registry import Registry
from ckdispatch.selection import Selection

from cktune.details import Served, by_kernel, kept, per_unit, worst
from cktune.settings import TableSettings

AS_PREDICTED = "rules_as_predicted"
"""Bounds are judged with and without what their kernels do besides ours."""

_LEARNED = ("learned", "beyond")
_ASKED = 20
"""Problems that are asked about, to find out whether there is a model for them."""

Tell = Callable[[], None]


@dataclass(frozen=True)
class Study:
    """``record`` is kept; the rest is what pictures are drawn from, and holds measured times."""

    record: dict[str, Any]
    cases: Sequence[Case] = ()
    problems: Sequence[Problem] = ()
    served: Mapping[str, Served] | None = None
    singles: Mapping[str, Sequence[Way | None]] | None = None
    """The picks of strategies that predict no times."""
    per_unit: Sequence[float] | None = None
    """Of each case: the workgroups of the fastest kernel per compute unit."""


def figures(verdict: Verdict) -> dict[str, Any]:
    """A verdict as it is kept: efficiencies and errors in per cent."""
    found: dict[str, Any] = {}
    if verdict.picks is not None:
        spread = verdict.picks.efficiency
        found["problems"] = verdict.picks.cases
        found |= {name: kept(getattr(spread, name)) for name in ("mean", "median", "p10", "min")}
        found["mean_interval"] = [kept(end) for end in spread.intervals["mean"]]
        found["p10_interval"] = [kept(end) for end in spread.intervals["p10"]]
        found |= {"top1": kept(verdict.picks.top1), "top5": kept(verdict.picks.top5)}
    if verdict.unmeasured:
        found["unmeasured"] = verdict.unmeasured
    if verdict.rank_correlation is not None:
        found["ranks"] = kept(verdict.rank_correlation)
    if verdict.error is not None:
        found |= {f"error_{name}": kept(value) for name, value in asdict(verdict.error).items()}
    return found


def described(measured: Measured) -> dict[str, Any]:
    """What a table is."""
    table = measured.table
    return {
        "sha256": table.sha256,
        "format": table.format,
        "rows": len(table.rows),
        "kernels": len(table.kernels()),
        "problems": len({problem.text for problem in measured.problems})
        or len({row.problem for row in table.rows}),
        "cases": len(measured.cases),
        "left_out": [{"rows": one.count, "why": one.why} for one in table.left_out],
    }


def bounds_study(measured: Measured, given: Registry, tell: Tell = lambda: None) -> Study:
    """Of a table without kernels: whether predicted times can be true."""
    record = described(measured)
    problems = [problem_of(row.family, row.problem) for row in measured.bounds]
    judged = {
        AS_PREDICTED: judged_bounds(measured, given, RULES, tell),
        RULES: judged_bounds(measured, given, RULES, tell, with_more=True),
    }
    if has_model(given, measured.gpu, problems):
        judged[MODEL] = judged_bounds(measured, given, MODEL, tell)
    found = {
        name: {
            **{figure: kept(value) for figure, value in asdict(one.bounded).items()},
            "unserved": one.unserved,
        }
        for name, one in judged.items()
        if one.bounded is not None
    }
    if not found:
        return Study({**record, "skipped": "no kernel was given that computes any of its shapes"})
    return Study({**record, "bounds": found})


def has_model(registry: Registry, gpu: str, problems: Sequence[Problem]) -> bool:
    """Whether a learned model says anything about some of the problems. Where none does, the
    strategy is that of rules.
    """
    selection = Selection(registry, gpu)
    try:
        selection.use_strategy(MODEL)
        rankings = (selection.rank(problem) for problem in problems[:_ASKED])
        return any(one.basis in _LEARNED for ranking in rankings for one in ranking.fit)
    except (InvalidArgument, NoKernel, Unsupported):
        return False


def trials_of(measured: Measured) -> int:
    """How often ``study`` tells that something is done."""
    return steps_of(measured.problems) if measured.complete else FOLDS


def study(
    measured: Measured,
    given: Registry,
    settings: TableSettings,
    costs: Mapping[str, Any],
    tell: Tell = lambda: None,
) -> Study:
    """Of a table with kernels. Those that were not given are not judged, and not built."""
    record = described(measured)
    names = set(measured.table.kernels())
    registry = given.filter(gpu=measured.gpu, predicate=lambda kernel: kernel.name in names)
    record["kernels_given"] = len(registry)
    if not len(registry):
        return Study({**record, "skipped": "none of its kernels was given"})
    designer = Designer(measured, registry)
    family = FAMILIES[designer.family]
    design = designer.design()
    folds = by_folds(designer, design, settings.fixed, tell)
    served = {
        RULES: _served(measured, design, folds.rules),
        MODEL: _served(measured, design, folds.learned),
    }
    record["folds"] = f"{FOLDS} folds by {family.grouped_by}"
    record["unknown_times"] = design.unknown
    record["unseen"] = {name: figures(_verdict(measured, one)) for name, one in served.items()}
    singles: dict[str, Sequence[Way | None]] = {}
    if measured.complete:
        singles = {
            BEST_SINGLE: _single(measured),
            FIRST_FIT: _shipped_picks(measured, registry, FIRST_FIT),
        }
        others = {name: figures(judge(measured.cases, picks)) for name, picks in singles.items()}
        record["unseen"] = {
            RANDOM: figures(judged_as_shipped(measured, registry, RANDOM).verdict),
            **others,
            **record["unseen"],
        }
        record["transfers"] = {
            trial.name: {RULES: figures(trial.rules), MODEL: figures(trial.learned)}
            for trial in transfers(designer, design, settings.fixed, tell)
        }
        record["worst"] = {name: worst(measured, one) for name, one in served.items()}
    record["shipped"] = _shipped(measured, registry)
    record["shipped_from_it"] = any(
        one["sha256"] == measured.table.sha256 for one in costs.get("tables", ())
    )
    record["constants"] = _constants(design, folds, settings.fixed, costs.get("values", {}))
    record["by_kernel"] = by_kernel(measured, design, folds, served)
    return Study(
        record, measured.cases, measured.problems, served, singles, per_unit(measured, design)
    )


def _served(measured: Measured, design: Design, times: Any) -> Served:
    predicted: list[dict[Way, float]] = [{} for _ in measured.cases]
    for case, way, time in zip(design.cases, design.ways, times, strict=True):
        predicted[case][way] = float(time)
    return Served(
        [min(some, key=some.__getitem__) if some else None for some in predicted], predicted
    )


def _verdict(measured: Measured, served: Served) -> Verdict:
    return judge(measured.cases, served.picks, served.predicted)


def _single(measured: Measured) -> list[Way | None]:
    """For each case the kernel that is the best single one for the problems of all other folds."""
    folds = folds_by_hash([problem.text for problem in measured.problems], FOLDS)
    pairs = list(zip(measured.cases, folds, strict=True))
    best = [best_single([case for case, where in pairs if where != fold]) for fold in range(FOLDS)]
    return [best[fold] for fold in folds]


def _shipped_picks(measured: Measured, registry: Registry, strategy: str) -> Sequence[Way | None]:
    picks = judged_as_shipped(measured, registry, strategy).picks
    assert picks is not None
    return picks


def _shipped(measured: Measured, registry: Registry) -> dict[str, Any]:
    """What the dispatcher does with the constants and the model that it has, which have seen
    problems of the table.
    """
    found = {}
    for strategy in (
        (RULES, MODEL) if has_model(registry, measured.gpu, measured.problems) else (RULES,)
    ):
        one = judged_as_shipped(measured, registry, strategy)
        found[strategy] = figures(one.verdict)
        if one.served is not None:
            found[strategy] |= {
                "padded_picks": one.served.padded_picks,
                "refused": one.served.refused,
            }
    return found


def _constants(
    design: Design, folds: Folds, fixed: Mapping[str, float], shipped: Mapping[str, float]
) -> dict[str, Any]:
    found = {}
    for term in design.terms:
        values = [some[term] for some in folds.constants]
        spread = {"low": kept(min(values), 4), "high": kept(max(values), 4)}
        found[term] = {"fixed": term in fixed, **spread, "shipped": shipped.get(term)}
    return found
