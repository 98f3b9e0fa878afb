# SPDX-License-Identifier: MIT
"""``train``: a model from a table of measured times, judged on problems that it has not seen."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ckdispatch.cli.exits import UsageError
from ckdispatch.cli.gathering import add_gathering, gathered_kernels
from ckdispatch.cli.kernel_sources import load_kernels
from ckdispatch.cli.options import Commands, add_command, whole
from ckdispatch.cli.progress import Steps
from ckdispatch.cli.report import Block, Column, Report, Table
from ckdispatch.user_files import check_writable
from ckdispatch.wording import quoted, several

if TYPE_CHECKING:
    from ckdispatch.learning.model import Trained
    from ckdispatch.learning.validation import Trial

_FIGURES = ("mean", "median", "p10", "min")
_COLUMNS = (
    Column("trained on -> judged by"),
    Column("by"),
    *(Column(name, right=True) for name in (*_FIGURES, "error, %")),
)


def add_to(commands: Commands) -> None:
    """The parser of the command."""
    parser = add_command(
        commands,
        "train",
        run,
        "make a model that corrects the cost model, from a table of measured times",
        "Constants of the cost model are fitted first, and trees then learn what is left. Figures "
        "are of\n"
        "problems that were not trained on. docs/models.md has the file, docs/measurements.md the "
        "tables.\n\n"
        "Example:\n  ckdispatch train --measurements times.csv --gpu gfx950 --output my_model.json",
    )
    add_gathering(parser)
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="where to write the model; without it only figures are made",
    )
    parser.add_argument(
        "--fix",
        action="append",
        default=[],
        type=fixed_constant,
        metavar="TERM=VALUE",
        help="a constant of the cost model that is not to be fitted; "
        "`first` is 0 unless it is given",
    )
    parser.add_argument(
        "--seed",
        type=whole(0),
        default=0,
        metavar="N",
        help="of what LightGBM draws at random; 0 by default",
    )


def fixed_constant(given: str) -> tuple[str, float]:
    """A term and the value of its constant."""
    term, _, value = given.partition("=")
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not term or not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(
            f"{quoted(given)} is no constant; write a term and a number from 0, such as matrix=1.2"
        )
    return term, number


def run(options: argparse.Namespace) -> Report:
    """The figures of each trial; the model is written last."""
    from ckdispatch.evaluation.measured import measured_on
    from ckdispatch.learning.model import trained
    from ckdispatch.learning.validation import steps_of
    from ckdispatch.measurements.reading import read

    if options.output is not None:
        check_writable(options.output, "--output")
    measured = measured_on(read(options.measurements), options.gpu)
    if not measured.cases:
        raise UsageError(
            f"{options.measurements} has no times of kernels, so there is nothing to train on"
        )
    given = load_kernels(options.kernels) if options.kernels else None
    gathered = gathered_kernels(measured, given, options)
    steps = Steps("trials", steps_of(measured.problems), quiet=options.quiet)
    found = trained(
        measured, gathered.registry, {"first": 0.0, **dict(options.fix)}, steps, options.seed
    )
    if options.output is not None:
        found.artefact.write(options.output)
    return Report(_document(found, options), _blocks(found, options))


def _document(found: Trained, options: argparse.Namespace) -> dict[str, Any]:
    return {
        "output": None if options.output is None else str(options.output),
        "family": found.artefact.family,
        "gpu": found.artefact.gpu,
        "serves": dict(found.artefact.serves),
        "constants": dict(found.artefact.constants),
        "manifest": dict(found.artefact.manifest),
    }


def _blocks(found: Trained, options: argparse.Namespace) -> tuple[Block, ...]:
    head = (
        f"A model of {found.artefact.family} on {found.artefact.gpu}, for kernels with "
        f"{', '.join(f'{name} {word}' for name, word in found.artefact.serves.items())}: "
        f"{several(found.rows, 'time')} of {several(found.problems, 'problem')}. Efficiencies of "
        "picks in per cent of the fastest measured kernel, on problems that "
        "were not trained on."
    )
    rows = tuple(row for trial in found.trials for row in _rows(trial))
    written = (
        f"Written to {options.output}."
        if options.output is not None
        else "Nothing was written: there is no --output."
    )
    return (head, Table(_COLUMNS, rows), written)


def _rows(trial: Trial) -> tuple[tuple[str, ...], ...]:
    found = []
    for by, verdict in (("rules", trial.rules), ("model", trial.learned)):
        picks = verdict.picks
        figures = (
            ("-",) * len(_FIGURES)
            if picks is None
            else tuple(f"{getattr(picks.efficiency, name):.1f}" for name in _FIGURES)
        )
        error = "-" if verdict.error is None else f"{verdict.error.median:.1f}"
        found.append((trial.name, by, *figures, error))
    return tuple(found)
