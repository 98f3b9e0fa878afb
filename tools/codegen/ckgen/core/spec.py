# SPDX-License-Identifier: MIT
"""The base of every family's kernel spec: immutable, named by its fields, and at home in JSON."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, ClassVar, TypeVar, get_type_hints

from ckgen.core import codec
from ckgen.core.errors import FieldError, SpecError

S = TypeVar("S", bound="KernelSpec")


@dataclass(frozen=True)
class KernelSpec(ABC):
    """The complete description of one kernel; equal specs are the same kernel.

    Every field of a subclass is a ``Choice``, a ``Dim3``, ``Extents``, a bool or an int, so that
    nothing a user wrote can reach generated source unchecked.
    """

    family: ClassVar[str]

    @property
    @abstractmethod
    def name(self) -> str:
        """Derived from all fields: two different specs never share a name."""

    def to_json(self) -> dict[str, Any]:
        """The family and every field, as JSON values."""
        values = {name: codec.encode(getattr(self, name)) for name in field_types(type(self))}
        return {"family": self.family, **values}

    @classmethod
    def made_of(cls: type[S], choice: Mapping[str, Any], **derived: Any) -> S:
        """The spec with ``derived`` fields, and all others as ``choice`` has
        them by their names.
        """
        taken = {name: choice[name] for name in field_types(cls) if name not in derived}
        return cls(**taken, **derived)

    def with_field(self: S, name: str, value: Any) -> S:
        """The spec with another value of one field."""
        return self.with_fields({name: value})

    def with_fields(self: S, changed: Mapping[str, Any]) -> S:
        """The spec with other values of some fields. What dataclasses.replace gives, in a third of
        the time: searches make hundreds of thousands.
        """
        kind = type(self)
        other = object.__new__(kind)
        own, new = self.__dict__, other.__dict__
        for field in field_types(kind):
            new[field] = own[field]
        new.update(changed)
        return other

    @classmethod
    def from_json(cls: type[S], data: Mapping[str, object]) -> S:
        """The inverse of ``to_json``; a ``name`` in ``data`` must be the one the fields give."""
        if data.get("family") != cls.family:
            raise SpecError(
                f"the spec is of family {codec.show(data.get('family'))}, not {cls.family!r}"
            )
        types = field_types(cls)
        unknown = [key for key in data if key not in types and key not in ("family", "name")]
        missing = [key for key in types if key not in data]
        if unknown or missing:
            what = f"unknown field {unknown[0]!r}" if unknown else f"no field {missing[0]!r}"
            raise SpecError(f"the spec has {what}; its fields are {', '.join(types)}")
        spec = cls(**{key: _decode_field(key, kind, data[key]) for key, kind in types.items()})
        if data.get("name", spec.name) != spec.name:
            raise SpecError(
                f"the spec calls itself {codec.show(data['name'])}, but its fields give {spec.name}"
            )
        return spec


@cache
def field_types(cls: type[KernelSpec]) -> Mapping[str, type]:
    """The fields of a spec class and their types, in order."""
    hints = get_type_hints(cls)
    return {field.name: hints[field.name] for field in fields(cls)}


def canonical_json(value: object) -> str:
    """Compact JSON with sorted keys: equal values give equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _decode_field(key: str, kind: type, value: object) -> Any:
    try:
        return codec.decode(kind, value)
    except FieldError as error:
        raise SpecError(f"the spec's field {key!r} is wrong: {error}") from error
