# SPDX-License-Identifier: MIT
"""What the command line must know about each family, behind one face."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, cast

from ckdispatch.cli.report import Column

if TYPE_CHECKING:
    from ckdispatch.comparison import Comparison
    from ckdispatch.dispatcher import Dispatcher
    from ckdispatch.plan import Plan
    from ckdispatch.selection import Selection

_FACES = MappingProxyType({"gemm": "ckdispatch.cli.gemm.face"})
"""The modules; a new family is added here."""

_DEFAULT = "gemm"


class Workload(Protocol):
    """The operands of a problem on a device."""

    tensors: Sequence[Any]
    bytes: int
    """What all operands hold, each counted once."""

    def launch(self) -> None:
        """Run the plan once, and wait for it."""

    def compare(self) -> Comparison:
        """How the result of the last launch differs from the reference."""


class Face(Protocol):
    """The module of a family."""

    FIELDS: Mapping[str, str]
    """What a list can be narrowed down by, and the words of a registry for it."""

    COLUMNS: tuple[Column, ...]

    def cells(self, spec: Mapping[str, Any]) -> tuple[str, ...]:
        """What a list shows about a kernel, under ``COLUMNS``."""

    def workgroup_size(self, spec: Mapping[str, Any], wave_size: int) -> int:
        """Work-items of a workgroup on a GPU with waves of ``wave_size``."""

    def parse_problem(self, text: str) -> Any:
        """The problem that ``text`` says."""

    def problem_text(self, problem: Any) -> str:
        """The inverse."""

    def with_split_k(self, problem: Any, parts: int) -> Any:
        """The problem with its sum in ``parts``, 0 to let the dispatcher choose."""

    def preshuffled(self, problem: Any, selection: Selection) -> Any:
        """The problem with its weights in an order that kernels of the selection read."""

    def planned(
        self, dispatcher: Dispatcher, problem: Any, kernel: str | None, pad: bool
    ) -> tuple[Plan, tuple[str, ...]]:
        """The best plan, and in sentences how what it computes differs from the problem.

        If a ``kernel`` is named, the dispatcher has no other.
        """

    def workload(self, dispatcher: Dispatcher, problem: Any, plan: Plan, seed: int) -> Workload:
        """Random operands on the device."""


def family_face(family: str) -> Face:
    """The face of the family called ``family``."""
    return cast(Face, importlib.import_module(_FACES[family]))


def face_of_text(text: str) -> Face:
    """The face of the family that a problem's text begins with; gemm if it names none."""
    word = text.strip().partition(":")[0].partition(" ")[0]
    return family_face(word if word in _FACES else _DEFAULT)


def face_of(problem: Any) -> Face:
    """The face of a problem's family."""
    return family_face(problem.family.name.lower())
