# SPDX-License-Identifier: MIT
"""How much of the matrix is known, in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ckdispatch.cli.built import spill_error

from cksupport.cells import Cell
from cksupport.digests import Digests
from cksupport.family import support_of
from cksupport.kernels import Kernel
from cksupport.results import Results
from cksupport.verdicts import Verdict

REFUSED = "refused"
UNTESTED = "untested"
STALE = "stale"
SPILLS = "spills"


def state(cell: Cell, results: Results, digests: Digests) -> str:
    """``refused``, ``untested``, ``stale``, the verdict on the kernel of the cell, or that it is
    right and ``spills``, where that is told.
    """
    if cell.kernel is None:
        return REFUSED
    found = kernel_state(cell.kernel, results, digests)
    if (
        found == Verdict.RIGHT.value
        and support_of(cell.kernel.spec).tells_spills
        and spills(cell.kernel, results)
    ):
        return SPILLS
    return found


def spills(kernel: Kernel, results: Results) -> str | None:
    """The sentence about a kernel that was compiled and spills registers."""
    return spill_error(kernel.spec.name, {kernel.gpu: results.known[kernel.key].outcome.resources})


def kernel_state(kernel: Kernel, results: Results, digests: Digests) -> str:
    """``untested``, ``stale``, or the verdict on the kernel."""
    found = results.known.get(kernel.key)
    if found is None:
        return UNTESTED
    if found.digest != digests.of(kernel.spec, kernel.gpu):
        return STALE
    return found.outcome.verdict.value


@dataclass(frozen=True)
class Summary:
    """Cells by their state, kernels, and every kernel that is not right with its sentence."""

    states: Mapping[str, int]
    kernels: int
    bad: Mapping[str, str]

    @classmethod
    def of(cls, cells: Iterable[Cell], results: Results, digests: Digests) -> Summary:
        """Count."""
        cells = tuple(cells)
        bad = {}
        for cell in cells:
            found = results.known.get(cell.key) if cell.key is not None else None
            if found is not None and found.outcome.verdict is not Verdict.RIGHT and cell.key:
                bad[" ".join(cell.key)] = f"{found.outcome.verdict.value}: {found.outcome.why}"
        kernels = {cell.key for cell in cells if cell.key is not None}
        return cls(Counter(state(cell, results, digests) for cell in cells), len(kernels), bad)

    @property
    def complete(self) -> bool:
        """Whether every legal cell is right."""
        return not self.bad and not any(self.states.get(name, 0) for name in (UNTESTED, STALE))

    def to_json(self) -> dict[str, Any]:
        return {
            "complete": self.complete,
            "cells": dict(self.states),
            "kernels": self.kernels,
            "bad": dict(self.bad),
        }

    def __str__(self) -> str:
        counts = ", ".join(f"{number} {name}" for name, number in sorted(self.states.items()))
        lines = [f"{sum(self.states.values())} cells: {counts}; {self.kernels} kernels."]
        lines += [f"  {kernel}: {why}" for kernel, why in self.bad.items()]
        return "\n".join(lines)
