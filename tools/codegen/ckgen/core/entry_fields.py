# SPDX-License-Identifier: MIT
"""Fields of declarations that every family has its own of, by the kind of their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ckgen.core import codec
from ckgen.core.choice import Choice
from ckgen.core.family import EntryField
from ckgen.core.target import Target
from ckgen.core.tile import Dim3, Extents

Choices = Callable[[Target, Mapping[str, Any]], Sequence[object]]


def any_of(values: Sequence[object]) -> Choices:
    """The same values whatever the GPU and the choices before."""
    return lambda target, chosen: values


def choice_field(
    name: str, description: str, kind: type[Choice], default: Choice | None = None, **more: Any
) -> EntryField:
    """A field whose ``"*"`` stands for every member of ``kind``."""
    decode = partial(codec.decode, kind)
    return EntryField(name, description, decode, any_of(tuple(kind)), default, **more)


def triple_field(name: str, description: str, choices: Choices, **more: Any) -> EntryField:
    """A required field of three extents."""
    decode = partial(codec.decode, Dim3)
    return EntryField(name, description, decode, choices, required=True, triple=True, **more)


def row_field(name: str, description: str, choices: Choices, **more: Any) -> EntryField:
    """A field of as many extents as the other fields make it."""
    decode = partial(codec.decode, Extents)
    return EntryField(name, description, decode, choices, triple=True, may_be_empty=True, **more)


def switch_field(
    name: str, description: str, choices: Choices, default: bool | None = False, **more: Any
) -> EntryField:
    """A field that is true or false."""
    return EntryField(name, description, partial(codec.decode, bool), choices, default, **more)


def number_field(
    name: str, description: str, choices: Choices, default: int | None = None, **more: Any
) -> EntryField:
    """A field that is one number."""
    return EntryField(name, description, partial(codec.decode, int), choices, default, **more)
