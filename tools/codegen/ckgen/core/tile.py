# SPDX-License-Identifier: MIT
"""Extents along m, n and k or along any axes,
and how a tile is divided among waves and warp tiles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ckgen.core.errors import FieldError
from ckgen.core.limits import MOST_NUMBER


class Dim3(NamedTuple):
    """Extents along m, n and k; prints as ``128x128x32``."""

    m: int
    n: int
    k: int

    def __str__(self) -> str:
        return f"{self.m}x{self.n}x{self.k}"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __mul__(self, other: object) -> Dim3:
        """The product along each axis."""
        if not isinstance(other, Dim3):
            return NotImplemented
        return Dim3(self.m * other.m, self.n * other.n, self.k * other.k)

    @property
    def volume(self) -> int:
        """The product of the three extents."""
        return self.m * self.n * self.k

    @classmethod
    def parse(cls, text: str) -> Dim3:
        """The inverse of ``str``."""
        parts = text.split("x")
        if len(parts) != 3 or not all(part.isascii() and part.isdigit() for part in parts):
            raise FieldError(f"{text!r} is not three extents such as 128x128x32")
        if max(map(len, parts)) > len(str(MOST_NUMBER)):
            raise FieldError(
                f"{text[:40]!r} begins three extents of which one is more than {MOST_NUMBER}"
            )
        return cls(*(int(part) for part in parts))


class Extents(tuple[int, ...]):
    """Any number of extents, none of them negative; prints as ``128x64x32x64``, and without any as
    nothing.
    """

    __slots__ = ()

    @classmethod
    def of(cls, *extents: int) -> Extents:
        """Those extents."""
        return cls(extents)

    def __str__(self) -> str:
        return "x".join(map(str, self))

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    @classmethod
    def parse(cls, text: str) -> Extents:
        """The inverse of ``str``."""
        parts = text.split("x") if text else []
        if not all(part.isascii() and part.isdigit() for part in parts):
            raise FieldError(f"{text[:40]!r} is not a row of extents such as 128x64x32")
        if any(len(part) > len(str(MOST_NUMBER)) for part in parts):
            raise FieldError(
                f"{text[:40]!r} begins a row of extents of which one is more than {MOST_NUMBER}"
            )
        return cls(int(part) for part in parts)


@dataclass(frozen=True)
class TileConfig:
    """A workgroup's tile, the layout of its waves, and the tile of one matrix instruction."""

    tile: Dim3
    waves: Dim3
    warp_tile: Dim3

    @property
    def coverage(self) -> Dim3:
        """What all waves together cover with one warp tile each.

        Waves along k take turns with whole tiles, so that k counts once.
        """
        return Dim3(self.waves.m, self.waves.n, 1) * self.warp_tile

    @property
    def repeat(self) -> Dim3:
        """How often a wave repeats its warp tile along each axis, rounded down."""
        covered = self.coverage
        return Dim3(self.tile.m // covered.m, self.tile.n // covered.n, self.tile.k // covered.k)

    @property
    def wave_count(self) -> int:
        """Waves in one workgroup."""
        return self.waves.volume

    def threads(self, wave_size: int) -> int:
        """Threads in one workgroup."""
        return self.wave_count * wave_size
