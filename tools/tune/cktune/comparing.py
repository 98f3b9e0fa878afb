# SPDX-License-Identifier: MIT
"""A record of figures against what is found anew: what got worse, and what is no longer so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

TOLERANCE = 0.05
"""Points of per cent that a figure may be worse by, and what other numbers may differ by."""
_RELATIVE = 0.01
_PIXELS = 2.0

_HIGH_IS_GOOD = ("mean", "p10", "min", "kept")
_LOW_IS_GOOD = ("error_median",)
_NUMBERS = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass(frozen=True)
class Worse:
    """A figure that was better."""

    where: str
    was: float
    now: float


def worse(recorded: Any, found: Any, where: tuple[str, ...] = ()) -> Iterator[Worse]:
    """The figures of a record that got worse. The spread of a figure, and what is said about single
    problems, are none.
    """
    if not isinstance(recorded, Mapping) or not isinstance(found, Mapping):
        return
    for name, was in recorded.items():
        now = found.get(name)
        if isinstance(was, Mapping):
            yield from worse(was, now, (*where, name))
        elif isinstance(was, (int, float)) and isinstance(now, (int, float)):
            lost = (
                was - now if name in _HIGH_IS_GOOD else now - was if name in _LOW_IS_GOOD else 0.0
            )
            if lost > TOLERANCE:
                yield Worse(", ".join((*where, name)), was, now)


def different(recorded: Any, found: Any, where: str = "") -> Iterator[str]:
    """Where two documents differ by more than what another machine's arithmetic makes."""
    if isinstance(recorded, Mapping) and isinstance(found, Mapping):
        for name in dict.fromkeys((*recorded, *found)):
            yield from different(
                recorded.get(name), found.get(name), f"{where}, {name}" if where else str(name)
            )
    elif isinstance(recorded, list) and isinstance(found, list) and len(recorded) == len(found):
        for place, (one, other) in enumerate(zip(recorded, found, strict=True)):
            yield from different(one, other, f"{where} {place + 1}")
    elif _is_number(recorded) and _is_number(found):
        if abs(recorded - found) > max(TOLERANCE, _RELATIVE * abs(recorded)):
            yield f"{where}: {recorded} before, {found} now"
    elif recorded != found:
        yield f"{where}: {_short(recorded)} before, {_short(found)} now"


def alike(one: str, other: str) -> bool:
    """Whether two pictures are the same but for a little in their numbers."""
    if _NUMBERS.sub("#", one) != _NUMBERS.sub("#", other):
        return False
    pairs = zip(_NUMBERS.findall(one), _NUMBERS.findall(other), strict=True)
    return all(abs(float(first) - float(second)) <= _PIXELS for first, second in pairs)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _short(value: Any) -> str:
    if value is None:
        return "nothing"
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
