# SPDX-License-Identifier: MIT
"""Specs of which only some fields are known, so that rules can be asked before all is chosen.

A rule that answers without reading an unknown field gives that answer for every spec that has the
known ones. So no rule needs to say which fields it reads.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any, TypeVar

from ckgen.core.spec import KernelSpec, field_types

S = TypeVar("S", bound=KernelSpec)

_KNOWN = "_known_fields"


class NotChosen(Exception):
    """A field was read that is not known yet."""


def partial_spec(spec: S, known: Collection[str]) -> S:
    """``spec`` as if only its fields ``known`` had a value:
    reading another raises ``NotChosen``.
    """
    made: S = object.__new__(_partial_type(type(spec)))
    made.__dict__.update({name: getattr(spec, name) for name in field_types(type(spec))})
    made.__dict__[_KNOWN] = frozenset(known)
    return made


@cache
def _partial_type(cls: type[S]) -> type[S]:
    names = frozenset(field_types(cls))

    def read(self: Any, name: str) -> Any:
        if name in names and name not in object.__getattribute__(self, _KNOWN):
            raise NotChosen(name)
        return object.__getattribute__(self, name)

    return type(cls.__name__, (cls,), {"__getattribute__": read})
