# SPDX-License-Identifier: MIT
"""``explain``: which kernels would compute a problem, how fast, and why the others would not."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ckdispatch import device_list
from ckdispatch.cli.exits import ExitCode
from ckdispatch.cli.families import add_problem_options, changed
from ckdispatch.cli.kernel_sources import load_kernels
from ckdispatch.cli.options import Commands, add_command, add_kernels, add_problem
from ckdispatch.cli.predictions import BASES, PREDICTED, how_predicted
from ckdispatch.cli.problems import parse_problem
from ckdispatch.cli.report import Block, Column, Report, Table
from ckdispatch.families import EXAMPLE
from ckdispatch.wording import PARTS, several

if TYPE_CHECKING:
    from ckdispatch.registry import Registry
    from ckdispatch.selection import Ranking

_FIT = (
    Column("rank", right=True),
    Column("kernel", whole=False),
    Column(PARTS, right=True),
    Column("predicted us", right=True),
)
_REFUSED = (Column("refused", whole=False), Column("why", whole=False))


def add_to(commands: Commands) -> None:
    """The parser of the command."""
    parser = add_command(
        commands,
        "explain",
        run,
        "rank the kernels for a problem, and say why the others do not fit",
        f"{PREDICTED}\n\nExample:\n  ckdispatch explain {EXAMPLE.example} --kernels "
        f"{EXAMPLE.example_kernels}",
    )
    add_problem(parser, "+")
    add_kernels(parser)
    parser.add_argument("--gpu", help="the GPU; needed only if the kernels hold code for several")
    add_problem_options(parser)


def run(options: argparse.Namespace) -> Report:
    """The ranking; nothing found if no kernel fits."""
    problem = parse_problem(options.problem)
    registry = load_kernels(options.kernels)
    gpu = _gpu(registry, options.gpu)
    problem = changed(problem, options, registry, registry.selection(gpu))
    ranking = registry.rank(problem, gpu=gpu)
    if ranking.fit:
        return Report(_document(ranking), _blocks(ranking))
    complaint = f"no kernel of {len(ranking.refused)} computes {ranking.problem} on {gpu}"
    if registry.gpus and gpu not in registry.gpus:
        complaint += f": they hold code for {', '.join(registry.gpus)}; build them for {gpu}"
    else:
        complaint += " as it is; `run` pads it if that helps"
    return Report(_document(ranking), _blocks(ranking), ExitCode.NOT_FOUND, complaint)


def _gpu(registry: Registry, asked: str | None) -> str:
    """The GPU that was asked for, the only one there is code for, or that of the device."""
    if asked is not None:
        return asked
    if len(registry.gpus) == 1:
        return registry.gpus[0]
    name = device_list.choose("auto", registry.gpus)
    known = {device.name: device.gpu for device in device_list.devices()}
    return known.get(name, name.removeprefix("sim:"))


def _document(ranking: Ranking) -> dict[str, Any]:
    return {
        "problem": ranking.problem,
        "gpu": ranking.gpu,
        "predicted": True,
        "costs": asdict(ranking.costs),
        "models": [dict(model) for model in ranking.models],
        "fit": [asdict(candidate) for candidate in ranking.fit],
        "refused": [
            {"kernel": one.kernel, "code": one.code.name.lower(), "reason": one.reason}
            for one in ranking.refused
        ],
    }


def _blocks(ranking: Ranking) -> tuple[Block, ...]:
    head = (
        f"{ranking.problem} on {ranking.gpu}: {several(len(ranking.fit), 'way')} to compute it, "
        f"{several(len(ranking.refused), 'kernel')} refused."
    )
    bases = {one.basis for one in ranking.fit}
    by_rules = bases == {"cost_model"}
    if ranking.fit:
        head += f" {how_predicted(bases, ranking)}"
    columns = _FIT if by_rules else (*_FIT, Column("by"))
    fit = tuple(
        (str(place), one.kernel, str(one.parts), f"{one.microseconds:.1f}", BASES[one.basis])[
            : len(columns)
        ]
        for place, one in enumerate(ranking.fit, 1)
    )
    # Reasons begin with the kernel's name, which has a column of its own.
    refused = tuple(
        (one.kernel, one.reason.removeprefix(one.kernel).strip()) for one in ranking.refused
    )
    tables = (Table(columns, fit) if fit else None, Table(_REFUSED, refused) if refused else None)
    return (head, *(table for table in tables if table is not None))
