# SPDX-License-Identifier: MIT
"""What the core asks of a kernel family; the core itself knows none."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

from ckarch import ArchSpecs
from ckfamilies import FAMILIES, REPOSITORY, FamilyRow

from ckgen.core.errors import UsageError
from ckgen.core.rules import Finding, Rule, Verdict, first_violation
from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target

_HEADERS = REPOSITORY / "kernel_library" / "include"
_ABI = REPOSITORY / "abi"


@dataclass(frozen=True)
class EntryField:
    """Something that an entry of a declaration may say.

    ``decode`` turns one JSON value into one choice. ``choices`` lists what ``"*"`` stands for on a
    GPU, given the choices already made for the fields before this one. A ``triple``, or another row
    of numbers, is a JSON list itself, so that only a list of lists means several choices; it
    ``may_be_empty`` or not. ``set_level`` fields may also stand
    at the top of a declaration, and are options of the family's command, called ``option``, or by
    an alias. ``usual`` stands for a required field where people come from pages on which it may be
    left out: in the family's command, and where extents are said one by one.
    """

    name: str
    description: str
    decode: Callable[[object], object]
    choices: Callable[[Target, Mapping[str, Any]], Sequence[object]]
    default: object = None
    required: bool = False
    triple: bool = False
    may_be_empty: bool = False
    set_level: bool = False
    option: str = ""
    aliases: tuple[str, ...] = ()
    usual: object = None


class Family(ABC):
    """A kernel family: its spec, its rules, what a declaration may say, and its template."""

    name: ClassVar[str]
    folder: ClassVar[Path]
    """Where its template lies."""
    summary: ClassVar[str]
    spec_type: ClassVar[type[KernelSpec]]
    rules: ClassVar[tuple[Rule, ...]]
    entry_fields: ClassVar[tuple[EntryField, ...]]
    made_of: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({})
    """The entry fields that ``build`` makes a field of the spec from, where not from the one of its
    name.
    """
    profiles: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Selections that users of CK know by name, and what each is for."""
    foreign_files: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Programs and other files of AMD's pages about the family, and what to type in their place."""
    field_weights: ClassVar[Mapping[str, float]]
    """How reluctantly a field is changed when looking for the nearest legal spec; 1 if absent."""

    @property
    def row(self) -> FamilyRow:
        """What the table says of it."""
        return next(row for row in FAMILIES if row.name == self.name)

    @abstractmethod
    def build(self, choice: Mapping[str, Any], arch: ArchSpecs) -> KernelSpec:
        """The spec that one choice for every entry field describes."""

    def choice(self, spec: KernelSpec, arch: ArchSpecs) -> Mapping[str, Any]:
        """The choice for every entry field that describes ``spec``: the inverse of ``build``.

        As a rule each entry field is the spec's field of that name. Raises ``SpecError`` if a
        declaration cannot describe ``spec``.
        """
        unlike, names = self.differing(spec, arch), (field.name for field in self.entry_fields)
        return {name: unlike[name] if name in unlike else getattr(spec, name) for name in names}

    def differing(self, spec: KernelSpec, arch: ArchSpecs) -> Mapping[str, Any]:
        """The choices for entry fields that are not the spec's field of that name."""
        return {}

    @abstractmethod
    def parse_name(self, name: str) -> KernelSpec:
        """The spec called ``name``; raises ``SpecError`` if no spec has that name."""

    @abstractmethod
    def alternatives(self, spec: KernelSpec, field: str, target: Target) -> Iterable[Any]:
        """Values worth trying for ``field`` when ``spec`` is illegal on ``target``."""

    def keeps(self, wish: KernelSpec, spec: KernelSpec) -> bool:
        """Whether ``spec`` may stand for ``wish``: it computes what that was to compute."""
        return True

    @abstractmethod
    def context(self, spec: KernelSpec, arch: ArchSpecs) -> Mapping[str, Any]:
        """The variables of the family's template."""

    @property
    def template(self) -> Path:
        """The jinja2 template of one kernel."""
        return self.folder / "templates" / "kernel.cpp.j2"

    @property
    def headers(self) -> Mapping[str, Path]:
        """The project's headers that generated sources include, by the name they include."""
        inside = sorted(path for path in _HEADERS.rglob("*.*") if path.suffix in (".hpp", ".inc"))
        return {
            **{path.relative_to(_HEADERS).as_posix(): path for path in inside},
            **{path.name: path for path in sorted(_ABI.glob("*.h"))},
        }

    @abstractmethod
    def set_words(self, spec: KernelSpec, field: str) -> tuple[str, ...]:
        """The words that a declaration may say in the set-level ``field`` to get ``spec``."""

    @abstractmethod
    def catalogue(self, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        """A declaration of all that is worth trying with the given set-level fields."""

    def of_profile(self, name: str, target: Target) -> Iterable[KernelSpec]:
        """The kernels of a profile for a GPU, before any rule; ``name`` is one of ``profiles``."""
        return ()

    def judge(self, spec: KernelSpec, target: Target) -> Verdict:
        """What every rule of this family says about ``spec``."""
        return Verdict(tuple(Finding(rule, rule.complaint(spec, target)) for rule in self.rules))

    def is_legal(self, spec: KernelSpec, target: Target) -> bool:
        """Whether ``spec`` satisfies every rule on ``target``."""
        return first_violation(self.rules, spec, target) is None


def look_up_family(families: Mapping[str, Family], name: object) -> Family:
    """The family called ``name``; raises ``UsageError`` with the known names otherwise."""
    if isinstance(name, str) and name in families:
        return families[name]
    raise UsageError(f"there is no kernel family {name!r}; there is {', '.join(families)}")
