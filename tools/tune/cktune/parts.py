# SPDX-License-Identifier: MIT
"""The parts of the page that are made from the record, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ckdispatch.errors import Damaged
from ckdispatch.evaluation import MODEL, RULES
from ckdispatch.judging.bounds import TOO_FAST

from cktune.markdown import aligned, short_names, table
from cktune.settings import Bar, Settings

_NAMES = {"random": "random kernel", "best_single": "best single kernel", "first_fit": "first fit"}
_FIGURES = {
    "mean": "mean",
    "p10": "P10",
    "min": "min",
    "error_median": "median error of times, %",
    "kept": "not too fast, %",
}
_BOUNDS = {
    "rules_as_predicted": "rules, as predicted",
    "rules": "rules, with what the timed kernels do besides ours added",
    "model": "model, as predicted",
}
_SPREAD = ("mean", "95 % of means", "median", "P10", "95 % of P10", "min")

Record = Mapping[str, Any]


def _of(record: Record, name: str) -> Record:
    found: Record | None = record["tables"].get(name)
    if found is None:
        raise Damaged(
            f"the page has a part about {name}, which is not among the tables of the record; "
            "write the page anew"
        )
    return found


def _number(value: Any, digits: int = 1) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _interval(ends: Sequence[float] | None) -> str:
    return "-" if ends is None else f"{ends[0]:.1f} to {ends[1]:.1f}"


def _skipped(one: Record) -> str | None:
    why = one.get("skipped")
    return None if why is None else f"This table was not judged: {why}."


def _tables(record: Record, settings: Settings) -> str:
    lines = [
        [
            f"`{name}`",
            one["format"],
            f"`{one['sha256']}`",
            one["rows"],
            one["kernels"] or "-",
            one["problems"],
        ]
        for name, one in record["tables"].items()
    ]
    out = [
        f"- `{name}`: {left['rows']} rows, because {left['why']}."
        for name, one in record["tables"].items()
        for left in one["left_out"]
    ]
    told = ["", "Rows that were left out:", "", *out] if out else ["", "No rows were left out."]
    first = table(["table", "format", "SHA-256", "times", "kernels", "problems"], lines, words=3)
    return "\n".join([first, *told])


def _strategies(figures: Mapping[str, Record]) -> str:
    titles = ["strategy", *_SPREAD, "top-1", "top-5", "ranks", "error, %", "P90", "ratio"]
    rows = []
    for name, one in figures.items():
        cells = [
            _number(one.get("mean")),
            _interval(one.get("mean_interval")),
            _number(one.get("median")),
        ]
        cells += [_number(one.get("p10")), _interval(one.get("p10_interval"))]
        cells += [_number(one.get(figure)) for figure in ("min", "top1", "top5")]
        cells += [
            _number(one.get("ranks"), 2),
            *(_number(one.get(f"error_{figure}")) for figure in ("median", "p90")),
        ]
        rows.append([_NAMES.get(name, name), *cells, _number(one.get("error_ratio"), 2)])
    return table(titles, rows)


def _unseen(record: Record, settings: Settings, of: str) -> str:
    one = _of(record, of)
    return _skipped(one) or _strategies(one["unseen"])


def _shipped(record: Record, settings: Settings, of: str) -> str:
    one = _of(record, of)
    return _skipped(one) or _strategies(one["shipped"])


def _transfers(record: Record, settings: Settings, of: str) -> str:
    one = _of(record, of)
    if "transfers" not in one:
        return _skipped(one) or "Its picks cannot be judged."
    titles = [
        "trained on → judged by",
        "strategy",
        "problems",
        "mean",
        "median",
        "P10",
        "min",
        "error, %",
    ]
    rows = []
    for trial, both in one["transfers"].items():
        for name, found in both.items():
            cells = [
                _number(found.get(figure))
                for figure in ("mean", "median", "p10", "min", "error_median")
            ]
            rows.append([trial.replace("->", "→"), name, found.get("problems", "-"), *cells])
    return table(titles, rows, words=2)


def _constants(record: Record, settings: Settings, of: str) -> str:
    one = _of(record, of)
    if "constants" not in one:
        return _skipped(one) or ""
    rows = []
    for term, found in one["constants"].items():
        spread = "not fitted" if found["fixed"] else f"{found['low']:.4f} to {found['high']:.4f}"
        rows.append(
            [f"`{term}`", _number(found["shipped"], 4), spread, record["terms"].get(term, "")]
        )
    return aligned(["term", "shipped", "over the folds", "what it counts"], rows, "wnww")


def value_of(record: Record, bar: Bar, figure: str) -> float | None:
    """The figure that a bar is about; None if it was not found out."""
    one = record["tables"].get(bar.table, {})
    for place in ("transfers", "bounds"):
        if bar.trial in one.get(place, {}):
            found: float | None = one[place][bar.trial].get(bar.strategy, {}).get(figure)
            return found
    found = one.get(bar.trial, {}).get(bar.strategy, {}).get(figure)
    return found


def is_met(found: float | None, wanted: float, *, least: bool) -> bool:
    """Whether a figure reaches a bar."""
    return found is not None and (found >= wanted if least else found <= wanted)


def _bars(record: Record, settings: Settings) -> str:
    rows = []
    for bar in settings.bars:
        for figure, wanted in (*bar.least.items(), *bar.most.items()):
            least = figure in bar.least
            found = value_of(record, bar, figure)
            met = (
                "not known"
                if found is None
                else "yes"
                if is_met(found, wanted, least=least)
                else "**no**"
            )
            sign = "≥" if least else "≤"
            who = bar.strategy.partition("_")[0]
            rows.append(
                [
                    bar.what,
                    who,
                    _FIGURES.get(figure, figure),
                    f"{sign} {wanted:g}",
                    _number(found),
                    met,
                ]
            )
    return aligned(["what", "strategy", "figure", "bar", "is", "met"], rows, "wwwnnw")


def _worst(record: Record, settings: Settings, strategy: str, of: str) -> str:
    one = _of(record, of)
    if "worst" not in one:
        return _skipped(one) or "Its picks cannot be judged."
    names = short_names(one["by_kernel"])

    def shown(kernel: Record) -> list[str]:
        name: str = kernel["kernel"]
        return [names.get(name, name), _number(kernel["measured"]), _number(kernel["predicted"])]

    rows = [
        [
            f"`{found['problem']}`",
            _number(found["efficiency"]),
            *shown(found["best"]),
            *shown(found["picked"]),
        ]
        for found in one["worst"][strategy]
    ]
    return aligned(
        ["problem", "%", "fastest", "took, µs", "predicted", "picked", "took, µs", "predicted"],
        rows,
        "wnwnnwnn",
    )


def _kernels(record: Record, settings: Settings, of: str) -> str:
    one = _of(record, of)
    if "by_kernel" not in one:
        return _skipped(one) or ""
    names = short_names(one["by_kernel"])
    picks = all("fastest" in found for found in one["by_kernel"].values())
    titles = ["kernel", "times", "rules: ratio", "error, %", "model: ratio", "error, %"]
    titles += ["fastest on", "taken by rules", "by the model"] if picks else []
    rows = []
    for kernel, found in one["by_kernel"].items():
        both = (found[RULES], found[MODEL])
        cells = [
            cell for some in both for cell in (_number(some["ratio"], 2), _number(some["error"]))
        ]
        counts = [found["fastest"], found[RULES]["picked"], found[MODEL]["picked"]] if picks else []
        rows.append([names[kernel], found["times"], *cells, *counts])
    return table(titles, rows)


def _errors(found: Record) -> list[str]:
    return [
        _number(found["error_median"]),
        _number(found["error_p90"]),
        _number(found["error_ratio"], 2),
    ]


def _times(record: Record, settings: Settings, of: str) -> str:
    one = _of(record, of)
    if told := _skipped(one):
        return told
    shipped = "as shipped, " + (
        "in-sample" if one["shipped_from_it"] else "whose constants are not from this table"
    )
    rows = [
        [f"{name}, {where}", found["error_times"], *_errors(found)]
        for where, place in ((one["folds"], "unseen"), (shipped, "shipped"))
        for name, found in one[place].items()
        if "error_median" in found
    ]
    said = (
        f"{one['kernels_given']} of its {one['kernels']} kernels were given; "
        f"{one['unknown_times']} times are of none of them."
    )
    return f"{table(['predicted by', 'times', 'error, %', 'P90', 'ratio'], rows)}\n\n{said}"


def _bounds(record: Record, settings: Settings, of: str) -> str:
    one = _of(record, of)
    if told := _skipped(one):
        return told
    rows = [
        [
            _BOUNDS[name],
            found["shapes"],
            _number(found["kept"]),
            _number(found["ratio"], 2),
            found["unserved"],
        ]
        for name in _BOUNDS
        if (found := one["bounds"].get(name))
    ]
    titles = [
        "predicted by",
        "shapes",
        f"at least {TOO_FAST:g} of the best, %",
        "predicted / best",
        "shapes without a kernel",
    ]
    return table(titles, rows)


MAKERS: dict[str, Callable[..., str]] = {
    "tables": _tables,
    "unseen": _unseen,
    "shipped": _shipped,
    "transfers": _transfers,
    "constants": _constants,
    "bars": _bars,
    "worst": _worst,
    "kernels": _kernels,
    "times": _times,
    "bounds": _bounds,
}
