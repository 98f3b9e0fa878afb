# SPDX-License-Identifier: MIT
"""What the support matrix asks of a kernel family; all else here knows none."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Container, Iterable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from ckarch import ArchSpecs
from ckdispatch import Dispatcher
from ckdispatch.device import Device
from ckfamilies import FAMILIES, FamilyRow
from ckgen.core.family import Family
from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target
from ckgen.families import FAMILIES as GENERATED

from cksupport.cells import Cell
from cksupport.errors import SupportError
from cksupport.kernels import Kernel
from cksupport.questions import Table
from cksupport.samples import Draw

S = TypeVar("S", bound=KernelSpec)
Launch = Sequence[Any]
"""The problems that are computed at once; each says in its text what it is."""
L = TypeVar("L", bound=Launch)


class Placed(Protocol):
    """A launch with its operands on the device."""

    def run(self, dispatcher: Dispatcher) -> Any:
        """Launch the kernel, and wait for it; returns what ``complaint`` has to know of how."""

    def untouched(self) -> bool:
        """Whether nothing was written to any result, or beside it."""

    def complaint(self, plan: Any) -> str | None:
        """What is wrong with the results, or beside them."""


class SupportFamily(ABC, Generic[S, L]):
    """The matrix of one family, whose kernels are described by ``S`` and
    tried on launches ``L``.
    """

    name: ClassVar[str]
    about_kernels: ClassVar[str]
    """A paragraph of the page: which kernel stands for a cell, and what it is run on."""
    tells_spills: ClassVar[bool] = False
    """Whether a cell whose kernel is right and spills registers is counted apart."""

    @property
    def kernels(self) -> Family:
        """The generator's side of the family."""
        return GENERATED[self.name]

    @property
    def title(self) -> str:
        """What a sentence calls it."""
        return self.kernels.row.title

    @abstractmethod
    def tables(self, arch: ArchSpecs) -> tuple[Table, ...]:
        """Every table, in the order of the page."""

    @abstractmethod
    def cells(self, tables: Sequence[Table], arch: ArchSpecs) -> tuple[Cell, ...]:
        """The cells of some of the tables, in their order."""

    def stages(self, cells: Sequence[Cell]) -> Sequence[Sequence[Kernel]]:
        """The kernels of cells, in groups of which a sweep tries one after the other."""
        return ([cell.kernel for cell in cells if cell.kernel is not None],)

    def draw(self, arch: ArchSpecs, seed: int, gpus: Sequence[str] = ()) -> Draw[S]:
        """Random kernels for ``gpus``, or for all."""
        raise SupportError(
            f"kernels of {self.title} are not drawn at random; "
            "its cells are tried by the command sweep"
        )

    @abstractmethod
    def operands_of(self, spec: S) -> str:
        """What a kernel operates on, and how: a sweep tries some of each before it tries all of
        any.
        """

    @abstractmethod
    def variant(self, spec: S) -> str:
        """The row of a kernel in the table of those drawn at random."""

    def wants_one_multiprocessor(self, spec: S) -> bool:
        """Whether all of a GPU would leave no workgroup a second tile, of a kernel that loops over
        them.
        """
        return False

    @abstractmethod
    def functions(self, spec: S, arch: ArchSpecs) -> Iterable[str]:
        """The device functions of a kernel, all of which must have run."""

    @abstractmethod
    def launches(self, spec: S, target: Target) -> Iterable[L]:
        """What a kernel is tried on."""

    def launches_on(self, library: Path, spec: S, target: Target, /) -> Iterable[L]:
        """The same for the kernel of a library; where they are random, without those that it has
        reason to refuse.
        """
        return self.launches(spec, target)

    def by_design(self, spec: S) -> Container[str]:
        """The kinds of findings of the simulator that are no fault of a kernel."""
        return ()

    @abstractmethod
    def place(self, spec: S, launch: L, device: Device, seed: int, /) -> Placed:
        """A launch with random operands."""


AnyFamily = SupportFamily[Any, Any]


def families() -> tuple[FamilyRow, ...]:
    """The families that have a matrix."""
    return tuple(row for row in FAMILIES if find_spec(f"cksupport.{row.name}") is not None)


@cache
def look_up(name: str) -> AnyFamily:
    """The matrix of the family called ``name``."""
    found: AnyFamily = importlib.import_module(f"cksupport.{name}.family").FAMILY
    return found


def support_of(spec: KernelSpec) -> AnyFamily:
    """The matrix of the family that ``spec`` is of."""
    return look_up(spec.family)
