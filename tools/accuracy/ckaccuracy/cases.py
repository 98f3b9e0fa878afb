# SPDX-License-Identifier: MIT
"""What is measured: a kernel of a shipped set on a stated problem with stated numbers.
``cases.json`` has all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ckdispatch.cli.problems import parse_problem
from ckdispatch.problem import Problem

_FILE = Path(__file__).parents[1] / "cases.json"

Key = tuple[str, str, str]
"""By what results are found: the GPU, the kernel and the problem."""


@dataclass(frozen=True)
class Case:
    """``values`` says how operands are drawn: ``{"uniform": 0.5}`` from -0.5 to 0.5 and rounded to
    their dtype, or whole numbers of at most so much, ``{"integers": 127}``, all alike.
    """

    gpu: str
    set: str
    kernel: str
    problem: str
    values: Mapping[str, float]
    seed: int
    note: str = ""

    @property
    def key(self) -> Key:
        return self.gpu, self.kernel, self.problem

    def parsed(self) -> Problem:
        """The problem itself."""
        return parse_problem([self.problem])

    def drawn(self) -> str:
        """``values`` in words."""
        ((how, most),) = self.values.items()
        return f"[-{most:g}, {most:g}]" if how == "uniform" else f"whole, [-{most:g}, {most:g}]"


def read_cases() -> tuple[Case, ...]:
    """All of them, in the order of the page."""
    document: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return tuple(Case(**one, seed=document["seed"]) for one in document["cases"])
