# SPDX-License-Identifier: MIT
"""The base of every family's config: fields that are said, validated, corrected and expanded."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar

from ckgen.core import codec
from ckgen.core.declaration import Declaration, Entry, Options, parse_entry
from ckgen.core.errors import CkgenError
from ckgen.core.expand import Expansion, expand
from ckgen.core.family import Family
from ckgen.core.spec import KernelSpec, field_types
from ckgen.core.target import Target
from ckgen.families import FAMILIES

from ckdispatch.config.gpus import arch_specs, gpu_target
from ckdispatch.config.values import as_json, options_to_json, options_to_python
from ckdispatch.errors import IllegalConfig, InvalidArgument
from ckdispatch.wording import quoted

if TYPE_CHECKING:
    from ckdispatch.config.correction import Correction
    from ckdispatch.config.report import Report

C = TypeVar("C", bound="KernelConfig")


class KernelConfig:
    """One kernel, or several by wildcards: what an entry of a declaration says, as an object.

    The fields are those of the family's declarations, and so are their values: one choice, a list
    of choices, or ``"*"`` for every legal one. Fields that are left out, or None, have the
    family's default. A config is immutable, hashable and can be pickled. Two are equal if they say
    the same, or if both mean the same one kernel.

    Which GPU is meant is never part of a config: ``validate``, ``autocorrect`` and ``expand`` take
    its name.
    """

    family: ClassVar[str] = ""
    _options: Mapping[str, Options]

    def __init__(self, **fields: object) -> None:
        cls = type(self)
        if not cls.family:
            raise InvalidArgument(
                "KernelConfig is of no family; use the config of one, such as GemmConfig, or "
                "KernelConfig.parse"
            )
        if "gpus" in fields:
            raise InvalidArgument(
                f"{cls.__name__}: there is no field 'gpus'; validate, autocorrect and expand take "
                "the name of a GPU"
            )
        said = {name: as_json(value) for name, value in fields.items() if value is not None}
        try:
            entry = parse_entry(said, cls.generator_family(), (), cls.__name__)
        except CkgenError as error:
            raise InvalidArgument(str(error)) from error
        self.__dict__["_options"] = MappingProxyType(dict(entry.options))

    @classmethod
    def generator_family(cls) -> Family:
        """The family as the generator knows it."""
        return FAMILIES[cls.family]

    @classmethod
    def field_names(cls) -> tuple[str, ...]:
        """The fields that a config of this family has."""
        return tuple(field.name for field in cls.generator_family().entry_fields)

    def __getattr__(self, name: str) -> Any:
        options = self.__dict__.get("_options", {})
        if name in options:
            return options_to_python(options[name])
        raise AttributeError(
            f"{type(self).__name__} has no field {name!r}; its fields are {', '.join(options)}"
        )

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(
            f"{type(self).__name__} cannot be changed; replace({name}=...) makes another"
        )

    def replace(self: C, **changes: object) -> C:
        """A config with some fields said differently; None takes a field back to its default."""
        kept = {key: value for key, value in self.to_json().items() if key != "family"}
        return type(self)(**{**kept, **changes})

    @property
    def is_explicit(self) -> bool:
        """Whether this says exactly one choice for every field: no wildcard and no list."""
        return all(options.single for options in self._options.values())

    @cached_property
    def spec(self) -> KernelSpec:
        """The generator's spec of the one kernel that an explicit config means, legal or not."""
        open_fields = [name for name, options in self._options.items() if not options.single]
        if open_fields:
            raise InvalidArgument(
                f"this {type(self).__name__} leaves {' and '.join(open_fields)} open, so it means "
                "no single kernel; expand(arch) gives the legal ones"
            )
        choice = {
            name: options.values[0] for name, options in self._options.items() if options.values
        }
        return self.generator_family().build(choice, arch_specs())

    @property
    def name(self) -> str:
        """The name of the one kernel that an explicit config means."""
        return self.spec.name

    def validate(self, arch: str) -> Report:
        """Whether the rules allow this on the GPU ``arch``, and what is wrong if they do not."""
        from ckdispatch.config.report import report_on

        return report_on(self, gpu_target(arch))

    def autocorrect(self: C, arch: str) -> Correction[C]:
        """The nearest legal config on the GPU ``arch``, with every change and its reason.

        Wildcards and lists need no correction as long as one of their choices is legal. Raises
        ``IllegalConfig`` if nothing legal is near.
        """
        from ckdispatch.config.correction import correct

        return correct(self, gpu_target(arch))

    def expand(self: C, arch: str) -> list[C]:
        """The explicit configs of every kernel that this means and that is legal on ``arch``.

        Raises ``IllegalConfig`` if there is none.
        """
        expansion = self.expansion(gpu_target(arch))
        if expansion.errors:
            raise IllegalConfig(expansion.errors[0])
        return [self.from_spec(kernel.spec) for kernel in expansion.kernels]

    def expansion(self, target: Target) -> Expansion:
        """What the generator makes of this on one GPU: kernels, errors, and what was dropped."""
        label = type(self).__name__
        entry = Entry(label, self._options, (target.name,))
        declaration = Declaration(label, self.generator_family(), False, (entry,), ())
        return expand(declaration, target.arch)

    def to_json(self) -> dict[str, Any]:
        """The family and every field that has a value, as an entry of a declaration says it."""
        fields = {name: options_to_json(options) for name, options in self._options.items()}
        said = {name: value for name, value in fields.items() if value is not None}
        return {"family": self.family, **said}

    @classmethod
    def from_json(cls: type[C], data: Mapping[str, Any]) -> C:
        """The inverse of ``to_json``. The JSON of a kernel's spec, which has all of its fields and
        perhaps its name, is understood as well."""
        if not isinstance(data, Mapping):
            raise InvalidArgument(f"{cls.__name__}: expected a JSON object, not {codec.show(data)}")
        if data.get("family") != cls.family:
            raise InvalidArgument(
                f"{cls.__name__}: the data is of family {codec.show(data.get('family'))}, not "
                f"{quoted(cls.family)}"
            )
        spec_type = cls.generator_family().spec_type
        if data.keys() - {"family", "name"} == field_types(spec_type).keys():
            try:
                return cls.from_spec(spec_type.from_json(data))
            except CkgenError as error:
                raise InvalidArgument(f"{cls.__name__}: {error}") from error
        return cls(**{key: value for key, value in data.items() if key != "family"})

    @classmethod
    def from_spec(cls: type[C], spec: KernelSpec) -> C:
        """The explicit config that means ``spec``."""
        family = cls.generator_family()
        try:
            choice = family.choice(spec, arch_specs())
        except CkgenError as error:
            raise InvalidArgument(str(error)) from error
        # Choices are decoded already, and a set may have thousands: nothing is parsed again.
        config = cls.__new__(cls)
        options = {name: Options((value,), single=True) for name, value in choice.items()}
        config.__dict__["_options"] = MappingProxyType(options)
        return config

    @classmethod
    def from_name(cls: type[C], name: str) -> C:
        """The explicit config of the kernel called ``name``."""
        try:
            return cls.from_spec(cls.generator_family().parse_name(name))
        except CkgenError as error:
            raise InvalidArgument(str(error)) from error

    @staticmethod
    def parse(value: object) -> KernelConfig:
        """The config, of whatever family, that a kernel's name, JSON or JSON text describes."""
        from ckdispatch.config.parse import parse_config

        return parse_config(value)

    @cached_property
    def _identity(self) -> tuple[object, ...]:
        if self.is_explicit:
            return (self.family, self.spec)
        return (self.family, *self._options.items())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, KernelConfig):
            return NotImplemented
        return self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored, (type(self), self.to_json()))

    def __repr__(self) -> str:
        defaults = {field.name: field.default for field in self.generator_family().entry_fields}
        said = ", ".join(
            f"{name}={options_to_json(options)!r}"
            for name, options in self._options.items()
            if not options.single or options.values != (defaults[name],)
        )
        return f"{type(self).__name__}({said})"


def _restored(cls: type[C], data: Mapping[str, Any]) -> C:
    return cls.from_json(data)
