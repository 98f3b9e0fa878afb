# SPDX-License-Identifier: MIT
"""What ``evaluate`` reports: figures of strategies, as a document and for people."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from ckdispatch.cli.report import Block, Column, Facts, Table
from ckdispatch.evaluation import PREDICTING
from ckdispatch.wording import several

if TYPE_CHECKING:
    from ckdispatch.evaluation.kernels import Gathered
    from ckdispatch.evaluation.measured import Measured
    from ckdispatch.evaluation.strategies import Judged, JudgedBounds
    from ckdispatch.judging.cases import Case, Way

_FIGURES = (
    "problems",
    "mean %",
    "95 % of means",
    "median",
    "P10",
    "min",
    "top-1",
    "top-5",
    "ranks",
    "their median",
    "error %",
    "P90",
    "ratio",
    "scaled %",
)
_COLUMNS = (Column("strategy"), *(Column(title, right=True) for title in _FIGURES))
_BOUNDS = (
    Column("strategy"),
    *(Column(title, right=True) for title in ("shapes", "not too fast %", "ratio")),
)
_MEANING = (
    "Of each problem the efficiency is the time of the fastest measured kernel over that of the "
    "picked one. The error is that of predicted times, "
    "and the ratio the median of predicted over measured."
)

_SEEN = (
    "What {} chooses by was made from this table, or a part of it: these are no figures of "
    "problems that it has not seen. docs/selection.md has those."
)


WITH_MORE = "rules_with_more"
"""Bounds with what the kernels that were timed do besides ours added to what the cost model
predicts.
"""
_MORE = (
    "rules_with_more adds what the kernels of these times do besides ours, such as scaling "
    "blocks of a sum: an estimate."
)


@dataclass
class Judgement:
    """All there is to report. ``skipped`` says why a strategy is not judged."""

    measured: Measured
    gathered: Gathered | None
    judged: dict[str, Judged] = field(default_factory=dict)
    bounds: dict[str, JudgedBounds] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)


def document(found: Judgement) -> dict[str, Any]:
    """What programs read."""
    measured, table = found.measured, found.measured.table
    found_out: dict[str, Any] = {
        "measurements": {
            "file": str(table.path),
            "sha256": table.sha256,
            "format": table.format,
            "rows": len(table.rows),
            "provenance": dict(Counter(row.provenance for row in table.rows)),
            "left_out": [
                {"why": one.why, "rows": one.count, "lines": list(one.lines[:20])}
                for one in table.left_out
            ],
        },
        "gpu": measured.gpu,
        "problems": len(measured.cases),
        "strategies": {name: _figures(one, table.sha256) for name, one in found.judged.items()},
        "skipped": found.skipped,
    }
    if found.gathered is not None:
        one = found.gathered
        counts = {
            "measured": len(table.kernels()),
            "given": one.given,
            "built": one.built,
            "cached": one.cached,
        }
        found_out["kernels"] = {**counts, "missing": one.missing}
    if found.bounds:
        found_out["bounds"] = {
            name: {**(asdict(one.bounded) if one.bounded else {}), "unserved": one.unserved}
            for name, one in found.bounds.items()
        }
    found_out["cases"] = [_case(found, place) for place in range(len(measured.cases))]
    return found_out


def _figures(judged: Judged, sha256: str) -> dict[str, Any]:
    """The figures of a strategy; those of picks are there if picks could be judged."""
    verdict, served = judged.verdict, judged.served
    figures: dict[str, Any] = {"problems": 0}
    if verdict.picks is not None:
        picks = verdict.picks
        figures = {
            "problems": picks.cases,
            **asdict(picks.efficiency),
            "top1": picks.top1,
            "top5": picks.top5,
        }
    figures |= {
        "unmeasured": verdict.unmeasured,
        "unpicked": verdict.unpicked,
        "rank_correlation": verdict.rank_correlation,
        "median_rank_correlation": verdict.median_rank_correlation,
        "error": None if verdict.error is None else asdict(verdict.error),
    }
    if served is not None:
        figures |= {
            "made_from_this_table": sha256 in served.made_from,
            "padded": served.padded,
            "refused": served.refused,
            "padded_picks": served.padded_picks,
        }
    return figures


def _case(found: Judgement, place: int) -> dict[str, Any]:
    case = found.measured.cases[place]
    best = min(case.measured, key=lambda way: case.measured[way])
    return {
        "case": case.name,
        "problem": found.measured.problems[place].text,
        "complete": case.complete,
        "best": _way(case, best),
        "picks": {
            name: _pick(case, one, place)
            for name, one in found.judged.items()
            if one.picks is not None
        },
    }


def _way(case: Case, way: Way) -> dict[str, Any]:
    return {"kernel": way[0], "parts": way[1], "microseconds": case.measured.get(way)}


def _pick(case: Case, judged: Judged, place: int) -> dict[str, Any] | None:
    way = judged.picks[place] if judged.picks is not None else None
    if way is None:
        return None
    predicted = None if judged.served is None else judged.served.predicted[place].get(way)
    return {**_way(case, way), "efficiency": case.efficiency(way), "predicted": predicted}


def blocks(found: Judgement) -> tuple[Block, ...]:
    """What people read."""
    shown: list[Block] = [_facts(found)]
    if found.judged:
        shown += [
            Table(_COLUMNS, tuple(_row(name, one) for name, one in found.judged.items())),
            _MEANING,
        ]
    if found.bounds:
        shown += [
            Table(_BOUNDS, tuple(_bounds_row(name, one) for name, one in found.bounds.items()))
        ]
        shown += [_MORE] if WITH_MORE in found.bounds else []
    shown += [_SEEN.format(name) for name in _made_from_it(found)]
    return (*shown, *(f"{sentence}." for sentence in dict.fromkeys(found.skipped.values())))


def _made_from_it(found: Judgement) -> list[str]:
    """Strategies that know the table already."""
    sha256 = found.measured.table.sha256
    return [
        name
        for name in PREDICTING
        if (one := found.judged.get(name)) and one.served and sha256 in one.served.made_from
    ]


def _facts(found: Judgement) -> Facts:
    measured, table = found.measured, found.measured.table
    kinds = Counter(row.provenance for row in table.rows)
    facts = [
        ("measurements", f"{table.path}, {table.format}"),
        ("times", ", ".join(f"{count} {kind}" for kind, count in kinds.items())),
        *(
            ("left out", f"{several(one.count, 'row')}, because {one.why}")
            for one in table.left_out
        ),
        ("GPU", measured.gpu),
    ]
    if found.gathered is not None:
        one = found.gathered
        facts.append(("problems", str(len(measured.cases))))
        facts.append(
            ("kernels", f"{one.given} of --kernels, {one.built} built, {one.cached} of the cache")
        )
        facts += [("not built", f"{name}: {why}") for name, why in one.missing.items()]
    served = next((one.served for one in found.judged.values() if one.served is not None), None)
    if served is not None and served.padded + served.refused:
        facts.append(
            (
                "refusals",
                (
                    f"{served.padded} times a kernel takes a problem padded, "
                    f"{served.refused} times not at all"
                ),
            )
        )
    unmeasured = {
        name: one.verdict.unmeasured for name, one in found.judged.items() if one.verdict.unmeasured
    }
    facts += [
        ("not judged", f"{several(count, 'pick')} of {name}, which have no time")
        for name, count in unmeasured.items()
    ]
    unpicked = max((one.verdict.unpicked for one in found.judged.values()), default=0)
    reason = next(
        (one.served.reason for one in found.judged.values() if one.served and one.served.reason), ""
    )
    told = f"; such as: {reason}" if reason else ""
    facts += [("no kernel", f"for {several(unpicked, 'problem')}{told}")] if unpicked else []
    facts += [
        ("no kernel", f"for {several(one.unserved, 'shape')}")
        for one in found.bounds.values()
        if one.unserved
    ]
    return Facts(tuple(facts))


def _row(name: str, judged: Judged) -> tuple[str, ...]:
    verdict = judged.verdict
    picks, error = verdict.picks, verdict.error
    cells = ["0", *["-"] * 7]
    if picks is not None:
        of = picks.efficiency
        low, high = of.intervals["mean"]
        figures = (of.median, of.p10, of.min, picks.top1, picks.top5)
        cells = [
            str(picks.cases),
            f"{of.mean:.1f}",
            f"{low:.1f} to {high:.1f}",
            *(f"{figure:.1f}" for figure in figures),
        ]
    cells += [
        "-" if one is None else f"{one:.3f}"
        for one in (verdict.rank_correlation, verdict.median_rank_correlation)
    ]
    cells += (
        ["-"] * 4
        if error is None
        else [
            f"{error.median:.1f}",
            f"{error.p90:.1f}",
            f"{error.ratio:.2f}",
            f"{error.scaled:.1f}",
        ]
    )
    return (name, *cells)


def _bounds_row(name: str, judged: JudgedBounds) -> tuple[str, ...]:
    if judged.bounded is None:
        return (name, "0", "-", "-")
    return (
        name,
        str(judged.bounded.shapes),
        f"{judged.bounded.kept:.1f}",
        f"{judged.bounded.ratio:.2f}",
    )
