# SPDX-License-Identifier: MIT
"""Small words of sentences."""

from __future__ import annotations


def several(count: int, one: str, many: str = "") -> str:
    """How many of something: 1 kernel, 2 kernels."""
    return f"{count} {one if count == 1 else many or f'{one}s'}"


def spatial_axes(count: int) -> str:
    """1 spatial axis, 2 spatial axes."""
    return several(count, "spatial axis", "spatial axes")


def kind_of(given: object) -> str:
    """What something is, with its article: a list, an ndarray."""
    name = type(given).__name__
    return f"{'an' if name[0].lower() in 'aeio' or name.startswith('nd') else 'a'} {name}"
