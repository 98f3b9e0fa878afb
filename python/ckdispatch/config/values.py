# SPDX-License-Identifier: MIT
"""Values of fields between Python, JSON and the generator's own types; GPUs by name."""

from __future__ import annotations

from functools import cache
from typing import Any

from ckarch import ArchSpecs, load_specs
from ckgen.core import codec
from ckgen.core.declaration import WILDCARD, Options
from ckgen.core.target import Target

from ckdispatch.errors import InvalidArgument
from ckdispatch.wording import quoted

_DEEPEST = 8
_MOST_BITS = 63


def as_json(value: Any, depth: int = 0) -> Any:
    """What a caller wrote as the generator reads it: tuples are lists, choices plain strings."""
    if hasattr(value, "tolist") and not isinstance(value, type):  # NumPy's numbers and arrays
        value = value.tolist()
    if depth > _DEEPEST:
        raise InvalidArgument(
            f"a config was asked for with {quoted(value)}, which is nested too deeply"
        )
    if isinstance(value, (list, tuple)):
        return [as_json(item, depth + 1) for item in value]
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        raise InvalidArgument(
            f"a config was asked for with {quoted(value)}; no number of a kernel is as large"
        )
    if not isinstance(value, (str, int, float, type(None))):
        raise InvalidArgument(
            f"a config was asked for with {quoted(value)}; a field is a word, a number, "
            "or a list of these"
        )
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


@cache
def arch_specs() -> ArchSpecs:
    """The project's facts about GPUs."""
    return load_specs()


def gpu_target(name: str) -> Target:
    """The GPU called ``name``; raises ``InvalidArgument`` with the known names otherwise."""
    specs = arch_specs()
    if not isinstance(name, str) or name not in specs.gpus:
        raise InvalidArgument(
            f"there is no GPU {quoted(name)}; known ones are {', '.join(specs.gpus)}"
        )
    return Target.of(specs, name)
