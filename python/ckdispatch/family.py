# SPDX-License-Identifier: MIT
"""What a family exports as ``FAMILY`` in its module ``family``.

It is read whenever the package is imported, so it names what else the family has; that is imported
when it is first used.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import ctypes

    from ckdispatch.cli.families import FamilyCommands
    from ckdispatch.config.base import KernelConfig
    from ckdispatch.measurements.importer import Importer
    from ckdispatch.measurements.row import Row
    from ckdispatch.problem import Problem
    from ckdispatch.report.grid import Grid


@dataclass(frozen=True)
class Family:
    """A folder of the package with these modules:

    ``config``, ``problem`` with its ``STRUCTURES`` for C, ``methods`` whose class ``Methods`` gives
    a dispatcher what only this family has, and ``cli``, which is a
    ``ckdispatch.cli.families.FamilyCommands``. If tables of others have its times, the module
    ``measurements`` has ``IMPORTERS`` for them, ``KINDS`` of problems, ``group_of`` a problem,
    ``GROUPED_BY`` in words, ``SERVED`` fields of keys, and if they have bounds ``beyond_ours``. If
    its problems can be drawn on a map, the function ``grids`` of the module ``grids`` has those of
    some kernels.
    """

    name: str
    config: str
    problem: str
    public: Mapping[str, str]
    """What the package has from it, by the module that has it."""
    form: str
    """How its problems are written, as a sentence."""
    example: str
    """A problem in words."""
    example_kernels: str
    """A kernel set that computes it."""
    begins: re.Pattern[str]
    """How a problem in words begins."""
    extents: int = 1
    """Words of extents that a problem has."""

    def load(self, module: str, name: str) -> Any:
        """What one of its modules has."""
        return getattr(importlib.import_module(f"ckdispatch.{self.name}.{module}"), name)

    @property
    def config_type(self) -> type[KernelConfig]:
        return cast("type[KernelConfig]", self.load("config", self.config))

    @property
    def problem_type(self) -> type[Problem]:
        return cast("type[Problem]", self.load("problem", self.problem))

    @property
    def structures(self) -> Mapping[str, type[ctypes.Structure]]:
        return cast("Mapping[str, type[ctypes.Structure]]", self.load("problem", "STRUCTURES"))

    @property
    def commands(self) -> FamilyCommands:
        return cast("FamilyCommands", importlib.import_module(f"ckdispatch.{self.name}.cli"))

    @property
    def importers(self) -> tuple[Importer, ...]:
        return (
            cast("tuple[Importer, ...]", self.load("measurements", "IMPORTERS"))
            if self._has_measurements
            else ()
        )

    @property
    def kinds(self) -> Mapping[str, Callable[[Problem], bool]]:
        """Kinds of problems that what was learned on one may not hold for: tells which are of a
        kind.
        """
        found = self.load("measurements", "KINDS") if self._has_measurements else {}
        return cast("Mapping[str, Callable[[Problem], bool]]", found)

    @property
    def served(self) -> tuple[str, ...]:
        """Fields of a key that are the same for all kernels that may compute a problem: what a
        model is for.
        """
        return cast("tuple[str, ...]", self.load("measurements", "SERVED"))

    def group_of(self, problem: Problem) -> str:
        """Problems of one group are never on two sides of a split, because what is learned on one
        tells too much of the other.
        """
        return (
            cast(str, self.load("measurements", "group_of")(problem))
            if self._has_measurements
            else problem.text
        )

    @property
    def grouped_by(self) -> str:
        """What problems of one group have in common, in words."""
        return (
            cast(str, self.load("measurements", "GROUPED_BY"))
            if self._has_measurements
            else "problem"
        )

    def beyond_ours(self, row: Row) -> Mapping[str, float]:
        """What the kernels of a bound do besides what ours do, as an addition to constants of the
        cost model.
        """
        return cast("Mapping[str, float]", self.load("measurements", "beyond_ours")(row))

    @property
    def has_grids(self) -> bool:
        """Whether its problems can be drawn on maps."""
        return self._has("grids")

    def grids(self, specs: Sequence[Mapping[str, Any]], gpu: str) -> Iterator[Grid]:
        """Maps of the problems that kernels of these specs compute on a GPU; none if its problems
        have no such sizes.
        """
        if self.has_grids:
            yield from self.load("grids", "grids")(specs, gpu)

    @property
    def _has_measurements(self) -> bool:
        return self._has("measurements")

    def _has(self, module: str) -> bool:
        return importlib.util.find_spec(f"ckdispatch.{self.name}.{module}") is not None
