# SPDX-License-Identifier: MIT
"""Fits the constants of a family's cost model on one half of a table's problems, and judges them by
the other half.

Which half a problem is in is decided by a hash of its text, once and for all. Example, whose output
belongs in arch/:
  ./bazelw run //tools/tune:fit -- --measurements times.csv --gpu gfx950 --fix matrix=1.22 --write
  $PWD/arch/cost_constants.json
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from ckarch.costs import costs_text, read_costs
from ckarch.errors import ArchError
from ckdispatch.cli.commands.train import fixed_constant
from ckdispatch.cli.exits import exit_code
from ckdispatch.cli.gathering import add_gathering, gathered_kernels
from ckdispatch.cli.kernel_sources import load_kernels
from ckdispatch.errors import CkDispatchError, InvalidArgument, IoFailed
from ckdispatch.evaluation.measured import measured_on
from ckdispatch.judging.verdict import Verdict
from ckdispatch.learning.design import Design, Designer
from ckdispatch.learning.fitting import fitted
from ckdispatch.learning.training import folds_by_hash
from ckdispatch.learning.validation import FOLDS, judged, predicted
from ckdispatch.measurements.reading import read
from ckdispatch.measurements.table import Table

_DIGITS = 4
"""That constants are written with; what a fold changes is more."""


@dataclass(frozen=True)
class Fit:
    """Constants of the training half, their least and most over folds, and what they are worth on
    the other half.
    """

    family: str
    gpu: str
    constants: dict[str, float]
    spread: dict[str, tuple[float, float]]
    trial: Verdict
    folds: Verdict
    trained_on: int
    problems: int


def main(arguments: Sequence[str]) -> int:
    """Run the command line; returns the exit status."""
    options = _parser().parse_args(arguments)
    if folder := os.environ.get("BUILD_WORKING_DIRECTORY"):
        os.chdir(folder)
    try:
        fixed = {"first": 0.0, **dict(options.fix)}
        if options.write is not None:
            read_costs(options.write)  # what cannot take constants is said before any are fitted
        table = read(options.measurements)
        measured = measured_on(table, options.gpu)
        given = load_kernels(options.kernels) if options.kernels else None
        found = fit(Designer(measured, gathered_kernels(measured, given, options).registry), fixed)
        print(json.dumps(document(found), indent=2) if options.json else text(found, fixed))
        if options.write is not None:
            write(options.write, found, table, fixed, dict(options.add), options.because)
    except (ArchError, CkDispatchError) as error:
        print(f"fit: {error}", file=sys.stderr)
        return exit_code(error) if isinstance(error, CkDispatchError) else 1
    return 0


def fit(designer: Designer, fixed: dict[str, float]) -> Fit:
    """Of all rows of a designer's measurements."""
    design = designer.design()

    def constants_of(rows: Any) -> dict[str, float]:
        some = fitted(design.terms, design.term_rows[rows], design.microseconds[rows], fixed)
        return {term: round(some[term], _DIGITS) for term in design.terms}

    half = folds_by_hash(design.groups, 2) == 1
    constants = constants_of(half)
    folds = folds_by_hash(design.groups, FOLDS)
    each = [constants_of(folds != fold) for fold in range(FOLDS)]
    by_others = np.zeros(len(folds))
    for fold, some in enumerate(each):
        by_others[folds == fold] = predicted(design, some)[folds == fold]
    return Fit(
        designer.family,
        designer.measured.gpu,
        constants,
        {
            term: (min(some[term] for some in each), max(some[term] for some in each))
            for term in design.terms
        },
        judged(designer, design, predicted(design, constants), ~half),
        judged(designer, design, by_others, np.ones(len(folds), dtype=bool)),
        _problems(design, half),
        _problems(design, np.ones(len(folds), dtype=bool)),
    )


def _problems(design: Design, rows: Any) -> int:
    return len({case for case, here in zip(design.cases, rows, strict=True) if here})


def document(found: Fit) -> dict[str, Any]:
    """What was found, as JSON has it."""
    return {
        "family": found.family,
        "gpu": found.gpu,
        "constants": found.constants,
        "spread": {term: list(both) for term, both in found.spread.items()},
        "problems": found.problems,
        "trained_on": found.trained_on,
        "trial": _figures(found.trial),
        "folds": _figures(found.folds),
    }


def _figures(verdict: Verdict) -> dict[str, float]:
    picks = (
        {}
        if verdict.picks is None
        else {
            name: getattr(verdict.picks.efficiency, name)
            for name in ("mean", "median", "p10", "min")
        }
    )
    error = {} if verdict.error is None else {"median_error_percent": verdict.error.median}
    return {name: round(value, 2) for name, value in (picks | error).items()}


def text(found: Fit, fixed: dict[str, float]) -> str:
    """What was found, for people."""
    lines = [
        f"{found.family} on {found.gpu}: fitted on {found.trained_on} of {found.problems} problems"
    ]
    ranges = {
        term: "fixed"
        if term in fixed
        else "{:.4f} to {:.4f} over folds".format(*found.spread[term])
        for term in found.constants
    }
    lines += [
        f"  {term:12} {value:8.4f}   {ranges[term]}" for term, value in found.constants.items()
    ]
    lines += [
        f"{name}: {_figures(verdict)}"
        for name, verdict in (("the other half", found.trial), (f"{FOLDS} folds", found.folds))
    ]
    return "\n".join(lines)


def write(
    path: Path,
    found: Fit,
    table: Table,
    fixed: dict[str, float],
    added: dict[str, float],
    because: str,
) -> None:
    """Put the constants in the file of the cost model, in place of those for the same family and
    GPU.
    """
    unknown = sorted(set(added) - set(found.constants))
    if unknown:
        raise InvalidArgument(
            f"the constant {unknown[0]} was to be added; there is {', '.join(found.constants)}"
        )
    costs = read_costs(path)
    source = f"{table.path.name}, {found.trained_on} of its {found.problems} problems by hash"
    if found.trial.error is not None:
        source += f"; times of the others are off by {found.trial.error.median:.1f} % in the median"
    others = {term: value for term, value in fixed.items() if value}
    if others:
        source += "; not fitted: " + ", ".join(
            f"{term} = {value:g}" for term, value in others.items()
        )
    if added:
        source += f"; {because}: " + ", ".join(
            f"{term} = {value:g}" for term, value in added.items()
        )
    row = {
        "family": found.family,
        "gpu": found.gpu,
        "values": {**found.constants, **added},
        "source": source,
        "tables": [{"name": table.path.name, "sha256": table.sha256, "rows": len(table.rows)}],
    }
    rows = costs["constants"]
    place = next(
        (
            i
            for i, one in enumerate(rows)
            if (one["family"], one["gpu"]) == (found.family, found.gpu)
        ),
        len(rows),
    )
    rows[place : place + 1] = [row]
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        unfinished.write_text(costs_text(costs), "utf-8")
        unfinished.replace(path)
    except OSError as error:
        raise IoFailed(
            f"the constants of the cost model {path} cannot be written: {error.strerror}"
        ) from error
    finally:
        unfinished.unlink(missing_ok=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="fit", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_gathering(parser)
    parser.add_argument(
        "--fix",
        action="append",
        default=[],
        type=fixed_constant,
        metavar="TERM=VALUE",
        help="a constant that is not to be fitted",
    )
    parser.add_argument(
        "--add",
        action="append",
        default=[],
        type=fixed_constant,
        metavar="TERM=VALUE",
        help="write this constant, which the table hides",
    )
    parser.add_argument(
        "--because", default="added", metavar="TEXT", help="why constants are added, for the file"
    )
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the constants in this file")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    return parser
