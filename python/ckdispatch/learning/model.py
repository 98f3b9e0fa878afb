# SPDX-License-Identifier: MIT
"""A whole model from measurements: constants, trees, and a manifest that says what they were made
from and are worth.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from ckdispatch.errors import InvalidArgument
from ckdispatch.evaluation.measured import Measured
from ckdispatch.families import FAMILIES
from ckdispatch.judging.verdict import Verdict
from ckdispatch.learning.artefact import Artefact
from ckdispatch.learning.design import Designer
from ckdispatch.learning.training import PARAMETERS, TREES
from ckdispatch.learning.trees import trees_of
from ckdispatch.learning.validation import FOLDS, Trial, make, trials
from ckdispatch.registry import Registry


@dataclass(frozen=True)
class Trained:
    """A model, and how it did where it had not been trained."""

    artefact: Artefact
    trials: list[Trial]
    rows: int
    problems: int


def trained(
    measured: Measured,
    registry: Registry,
    fixed: Mapping[str, float],
    tell: Callable[[], None] = lambda: None,
    seed: int = 0,
) -> Trained:
    """The model of all rows; its figures are of models of some rows, judged by the others."""
    designer = Designer(measured, registry)
    first = designer.design()
    judged = trials(designer, first, fixed, tell, seed)
    made = make(designer, first, np.ones(len(first.microseconds), dtype=bool), fixed, seed)
    rows = made.design.feature_rows
    artefact = Artefact(
        family=designer.family,
        gpu=measured.gpu,
        serves=_served(registry),
        features=made.design.features,
        ranges={
            name: (float(low), float(high))
            for name, low, high in zip(
                made.design.features, rows.min(axis=0), rows.max(axis=0), strict=True
            )
        },
        constants=made.constants,
        trees=trees_of(made.booster.dump_model()),
        manifest=_manifest(
            measured, judged, fixed, len(rows), len(set(first.cases)), first.unknown, seed
        ),
    )
    return Trained(artefact, judged, len(rows), len(set(first.cases)))


def _served(registry: Registry) -> dict[str, str]:
    """What the kernels compute, which must be the same for all."""
    found: dict[str, str] | None = None
    for kernel in registry:
        signature = {
            name: str(kernel.spec[name]) for name in FAMILIES[kernel.spec["family"]].served
        }
        if found is not None and signature != found:
            raise InvalidArgument(
                "the measurements are of kernels that compute different things; a model is for one"
            )
        found = signature
    if found is None:
        raise InvalidArgument("there are no kernels to train a model for")
    return found


def _manifest(
    measured: Measured,
    judged: list[Trial],
    fixed: Mapping[str, float],
    rows: int,
    problems: int,
    unknown: int,
    seed: int,
) -> dict[str, Any]:
    table = measured.table
    provenances = sorted({row.provenance for row in table.rows})
    if len(provenances) != 1:
        raise InvalidArgument(
            f"the measurements are {' and '.join(provenances)}; a model is trained on one kind"
        )
    return {
        "provenance": provenances[0],
        "tables": [
            {
                "name": table.path.name,
                "sha256": table.sha256,
                "format": table.format,
                "rows": len(table.rows),
            }
        ],
        "left_out": [{"why": one.why, "rows": one.count} for one in table.left_out],
        "times": rows,
        "problems": problems,
        "without_a_kernel": unknown,
        "split": f"{FOLDS} folds by the SHA-256 of a problem's group",
        "fixed": dict(fixed),
        "metrics": {
            trial.name: {"rules": _figures(trial.rules), "model": _figures(trial.learned)}
            for trial in judged
        },
        "trees": {"count": TREES, "seed": seed, **PARAMETERS},
        "versions": {
            "python": ".".join(map(str, sys.version_info[:3])),
            **{name: _version(name) for name in ("lightgbm", "numpy", "scipy")},
        },
    }


def _figures(verdict: Verdict) -> dict[str, float]:
    found: dict[str, float] = {}
    if verdict.picks is not None:
        spread = verdict.picks.efficiency
        found |= {
            name: round(getattr(spread, name), 3) for name in ("mean", "median", "p10", "min")
        }
    if verdict.error is not None:
        found["median_error_percent"] = round(verdict.error.median, 3)
    return found


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
