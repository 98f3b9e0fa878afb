# SPDX-License-Identifier: MIT
"""Values of fields between Python, JSON and the generator's own types."""

from __future__ import annotations

from typing import Any

from ckgen.core import codec
from ckgen.core.declaration import WILDCARD, Options


def as_json(value: object) -> Any:
    """What a caller wrote as the generator reads it: tuples are lists, choices plain strings."""
    if isinstance(value, (list, tuple)):
        return [as_json(item) for item in value]
    return codec.encode(value)


def options_to_json(options: Options) -> Any:
    """What was said about a field: ``"*"``, a choice, or a list of choices."""
    if options.values is None:
        return WILDCARD
    values = [as_json(value) for value in options.values]
    return values[0] if options.single else values


def options_to_python(options: Options) -> Any:
    """As ``options_to_json``, but choices are enums and extents, and lists are tuples."""
    if options.values is None:
        return WILDCARD
    return options.values[0] if options.single else options.values
