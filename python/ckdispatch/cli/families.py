# SPDX-License-Identifier: MIT
"""What the command line must know about each family, behind one face."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, cast

from ckdispatch.cli.exits import UsageError
from ckdispatch.cli.report import Column
from ckdispatch.wording import quoted

if TYPE_CHECKING:
    from ckdispatch.comparison import Comparison
    from ckdispatch.dispatcher import Dispatcher
    from ckdispatch.plan import Plan
    from ckdispatch.selection import Selection


@dataclass(frozen=True)
class _Family:
    """How problems of a family are told: how their first word looks, and an example."""

    module: str
    begins: re.Pattern[str]
    extents: int
    """Words of extents that a problem has."""
    example: str


_FAMILIES = MappingProxyType(
    {
        "gemm": _Family(
            "ckdispatch.cli.gemm.face", re.compile(r"\d+x", re.ASCII), 1, "512x256x1024 fp16 rcr"
        ),
        "grouped_conv": _Family(
            "ckdispatch.cli.grouped_conv.face",
            re.compile(r"n\d+(?!\S)", re.ASCII),
            2,
            "n8 g1 c64 k128 56x56 3x3 pad=1 fp16",
        ),
    }
)
"""A new family is added here."""

_EXTENTS = re.compile(r"\d+(?:[x+]\d+)*", re.ASCII)


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
    return cast(Face, importlib.import_module(_FAMILIES[family].module))


def family_of_text(text: str) -> str | None:
    """The family that a problem's text names, or that its first word is of."""
    words = text.replace(":", " ").split()
    if words and words[0] in _FAMILIES:
        return words[0]
    found = (name for name, one in _FAMILIES.items() if one.begins.match(text.strip()))
    return next(found, None)


def face_of_text(text: str) -> Face:
    """The face of the family that a problem's text is of."""
    family = family_of_text(text)
    if family is None:
        examples = ", or ".join(one.example for one in _FAMILIES.values())
        raise UsageError(f"{quoted(text)} is no problem; write one such as {examples}")
    return family_face(family)


def is_beginning(word: str, before: str) -> bool:
    """Whether a word that follows the text of a problem, or nothing, is the first of another."""
    if family_of_text(word) is None:
        return False
    family = family_of_text(before)
    if family is None:
        return True
    extents = sum(_EXTENTS.fullmatch(one) is not None for one in before.replace(":", " ").split())
    # Those of a convolution look like the first word of a product.
    named = before.replace(":", " ").split() == [family]
    still_open = extents < _FAMILIES[family].extents
    return not (named or (still_open and _EXTENTS.match(word)))


def face_of(problem: Any) -> Face:
    """The face of a problem's family."""
    return family_face(problem.family.name.lower())
