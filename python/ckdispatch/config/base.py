# SPDX-License-Identifier: MIT
"""The base of every family's config: fields that are said, validated, corrected and expanded."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, NoReturn, TypeVar, cast

from ckgen.core import codec
from ckgen.core.declaration import Declaration, Entry, Options, parse_entry
from ckgen.core.errors import CkgenError, FieldError
from ckgen.core.expand import Expansion, expand
from ckgen.core.family import Family
from ckgen.core.foreign import EXTENTS, with_whole_extents
from ckgen.core.nearest import nearest_legal
from ckgen.core.rules import Finding, first_violation
from ckgen.core.spec import KernelSpec, field_types
from ckgen.core.target import Target
from ckgen.families import FAMILIES as GENERATORS

from ckdispatch.config.report import Change, Correction, Report, Violation
from ckdispatch.config.values import (
    arch_specs,
    as_json,
    gpu_target,
    options_to_json,
    options_to_python,
)
from ckdispatch.errors import IllegalConfig, InvalidArgument
from ckdispatch.families import EXAMPLE, FAMILIES
from ckdispatch.user_files import check_document
from ckdispatch.wording import quoted

C = TypeVar("C", bound="KernelConfig")


class KernelConfig:
    """One kernel, or several by wildcards: what an entry of a declaration says, as an object.

    The fields are those of the family's declarations, and so are their values: one choice, a list
    of choices, or ``"*"`` for every legal one. Fields that are left out, or None, have the
    family's default. A config is immutable, hashable and can be pickled. Two are equal if they say
    the same, or if both mean the same one kernel.

    Which GPU is meant is never part of a config: ``validate``, ``autocorrect`` and ``expand`` take
    its name.

    Where extents are said one by one, as ``KernelConfig(tile_m=256, tile_n=256, tile_k=64)``, what
    is left out is filled in with what is usual, and without a family they are of the first.
    """

    family: ClassVar[str] = ""
    _options: Mapping[str, Options]

    def __new__(cls: type[C], **fields: object) -> C:
        known = bool(cls.family) or not EXTENTS.keys() & fields
        return super().__new__(cls if known else cast("type[C]", EXAMPLE.config_type))

    def __init__(self, **fields: object) -> None:
        cls = type(self)
        family = cls.generator_family()
        if "gpus" in fields:
            raise InvalidArgument(
                f"{cls.__name__}: there is no field 'gpus'; validate, "
                "autocorrect and expand take the name of a GPU"
            )
        said = {name: as_json(value) for name, value in fields.items() if value is not None}
        try:
            entry = parse_entry(dict(with_whole_extents(family, said)), family, (), cls.__name__)
        except FieldError as error:
            raise InvalidArgument(f"{cls.__name__}: {error}") from error
        except CkgenError as error:
            raise InvalidArgument(str(error)) from error
        self.__dict__["_options"] = MappingProxyType(dict(entry.options))

    @classmethod
    def generator_family(cls) -> Family:
        """The family as the generator knows it."""
        if not cls.family:
            raise InvalidArgument(
                f"KernelConfig is of no family; use the config of one, such as {EXAMPLE.config}, "
                "or KernelConfig.parse"
            )
        return GENERATORS[cls.family]

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

    def validate(self: C, arch: str) -> Report[C]:
        """Whether the rules allow this on the GPU ``arch``, and what is wrong if they do not."""
        target = gpu_target(arch)
        if not self.is_explicit:
            expansion = self.expansion(target)
            return Report(self, arch, len(expansion.kernels), dropped=expansion.dropped)
        family = self.generator_family()
        violated = family.judge(self.spec, target).violations
        if not violated:
            return Report(self, arch, 1)
        nearest = nearest_legal(family, self.spec, target)
        return Report(
            self,
            arch,
            0,
            violations=tuple(_violation(finding, self.spec, nearest) for finding in violated),
            nearest=None if nearest is None else self.from_spec(nearest),
        )

    def autocorrect(self: C, arch: str) -> Correction[C]:
        """The nearest legal config on the GPU ``arch``, with every change and its reason.

        Wildcards and lists need no correction as long as one of their choices is legal. Raises
        ``IllegalConfig`` if nothing legal is near.
        """
        target = gpu_target(arch)
        if not self.is_explicit:
            errors = self.expansion(target).errors
            if errors:
                raise IllegalConfig(errors[0])
            return Correction(self, ())
        family = self.generator_family()
        nearest = nearest_legal(family, self.spec, target)
        if nearest is None:
            raise IllegalConfig(str(self.validate(arch)))
        if nearest == self.spec:
            return Correction(self, ())
        before, after = (family.choice(spec, target.arch) for spec in (self.spec, nearest))
        changes = tuple(
            Change(
                name,
                as_json(before[name]),
                as_json(after[name]),
                _why(self, name, before, after, target),
            )
            for name in after
            if before[name] != after[name]
        )
        return Correction(self.from_spec(nearest), changes)

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
                f"{cls.__name__}: the data is of family {codec.show(data.get('family'))}, "
                f"not {quoted(cls.family)}"
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
        """The config, of whatever family, that a kernel's name, JSON or JSON text describes.

        A config is taken as it is, and a spec as what it means.
        """
        if isinstance(value, KernelConfig):
            return value
        if isinstance(value, KernelSpec):
            return _config_class(value.family).from_spec(value)
        if isinstance(value, str):
            return _from_json_text(value) if value.lstrip().startswith("{") else _from_name(value)
        if isinstance(value, Mapping):
            check_document(dict(value), "a kernel's config")
            return _config_class(value.get("family")).from_json(value)
        raise InvalidArgument(
            f"a kernel's config was expected, or its name or JSON, not {quoted(value)}"
        )

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
        return type(self).from_json, (self.to_json(),)

    def __repr__(self) -> str:
        defaults = {field.name: field.default for field in self.generator_family().entry_fields}
        said = ", ".join(
            f"{name}={options_to_json(options)!r}"
            for name, options in self._options.items()
            if not options.single or options.values != (defaults[name],)
        )
        return f"{type(self).__name__}({said})"


def _from_name(name: str) -> KernelConfig:
    for family in FAMILIES:
        if name.startswith(f"{family}_"):
            return _config_class(family).from_name(name)
    raise InvalidArgument(
        f"{quoted(name)} is not the name of a kernel; those begin with their family, "
        f"{' or '.join(FAMILIES)}"
    )


def _from_json_text(text: str) -> KernelConfig:
    try:
        return KernelConfig.parse(codec.parse_json(text))
    except (FieldError, RecursionError) as error:
        raise InvalidArgument(f"a kernel's config is {error}") from error


def _config_class(family: object) -> type[KernelConfig]:
    if isinstance(family, str) and family in FAMILIES:
        return FAMILIES[family].config_type
    raise InvalidArgument(
        f"there is no kernel family {codec.show(family)}; there is {', '.join(FAMILIES)}"
    )


def _violation(finding: Finding, spec: KernelSpec, nearest: KernelSpec | None) -> Violation:
    rule = finding.rule
    values = {name: as_json(getattr(spec, name)) for name in rule.fields}
    better = {} if nearest is None else {n: as_json(getattr(nearest, n)) for n in rule.fields}
    return Violation(
        rule.id,
        rule.sentence,
        finding.complaint or "",
        values,
        {name: value for name, value in better.items() if value != values[name]},
    )


def _why(
    config: KernelConfig,
    name: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    target: Target,
) -> str:
    """What is wrong with the correction if it keeps this one field as it was."""
    family = config.generator_family()
    kept = family.build({**after, name: before[name]}, target.arch)
    finding = first_violation(family.rules, kept, target)
    if finding is None:
        # Of two changes that would each do alone, the search may have made both.
        finding = first_violation(family.rules, config.spec, target)
    return str(finding)
