# SPDX-License-Identifier: MIT
"""Small words of sentences."""

from __future__ import annotations

PARTS = "parts of the sum"
"""What kernels divide long sums into, such as those of the K of a product."""


def several(count: int, one: str, many: str = "") -> str:
    """How many of something: 1 kernel, 2 kernels."""
    return f"{count} {one if count == 1 else many or f'{one}s'}"


def spatial_axes(count: int) -> str:
    """1 spatial axis, 2 spatial axes."""
    return several(count, "spatial axis", "spatial axes")


def kind_of(given: object) -> str:
    """What something is, with its article: a list, an ndarray."""
    name = type(given).__name__
    if isinstance(given, int) and given.bit_length() > 256:
        return f"a number of {given.bit_length()} bits"
    return f"{'an' if name[0].lower() in 'aeio' or name.startswith('nd') else 'a'} {name}"


_LONGEST = 200
"""Characters of what a caller gave that a sentence quotes."""


def quoted(given: object) -> str:
    """What a caller gave, as a sentence quotes it: short, and whatever its own ``repr`` does."""
    if isinstance(given, (str, bytes)):
        given = given[: _LONGEST + 1]
    try:
        told = repr(given)
    except Exception:  # noqa: BLE001 - such as that of a number of 5,000 digits
        return kind_of(given)
    told = " ".join(told.split()) if "\n" in told else told
    return told if len(told) <= _LONGEST else f"{told[: _LONGEST - 1]}…"
