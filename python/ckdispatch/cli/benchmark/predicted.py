# SPDX-License-Identifier: MIT
"""Times of problems by what selects kernels, where nothing can be run or is to be."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ckdispatch.cli.benchmark.selected import Measured
from ckdispatch.cli.families import changed
from ckdispatch.cli.predictions import how_predicted
from ckdispatch.cli.running import planned
from ckdispatch.errors import NoKernel, Unsupported

if TYPE_CHECKING:
    from ckdispatch.problem import Problem
    from ckdispatch.registry import Registry

PREDICTED = "predicted"
"""Beside the words of ``Dispatcher.benchmark`` for where a time is from."""


def predict_all(
    registry: Registry, gpu: str, problems: Iterable[Problem], options: argparse.Namespace
) -> list[Measured]:
    """What each is predicted to take on a GPU, or why no kernel computes it."""
    found = []
    for problem in problems:
        try:
            document = _predict(registry, gpu, problem, options)
        except (NoKernel, Unsupported) as refusal:
            document = {"error": str(refusal)}
        found.append(Measured(problem.text, {"problem": problem.to_json(), **document}))
    return found


def _predict(
    registry: Registry, gpu: str, problem: Problem, options: argparse.Namespace
) -> dict[str, Any]:
    selection = registry.selection(gpu)
    problem = changed(problem, options, registry, selection)
    plan, changes = planned(selection.select, problem, options)
    milliseconds = plan.predicted_microseconds / 1000
    document = {
        "kernel": plan.kernel,
        "parts": plan.parts,
        "changes": list(changes),
        "times": PREDICTED,
        "median": milliseconds,
    }
    return document | ({"tflops": problem.flops / milliseconds / 1e9} if milliseconds > 0 else {})


def said_of(registry: Registry, gpu: str, problems: Iterable[Problem]) -> str:
    """What people have to know before they read predicted times."""
    rankings = [registry.rank(problem, gpu=gpu) for problem in problems]
    bases = {ranking.best.basis for ranking in rankings if ranking.best is not None}
    return f"The GPU is {gpu}, and nothing was run. {how_predicted(bases, rankings[0])}"
