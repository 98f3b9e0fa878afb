# SPDX-License-Identifier: MIT
"""The D tensors of a call: matrices like C, or one row or one column of it that is repeated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ckdispatch.errors import InvalidArgument
from ckdispatch.gemm.matrices import Matrix, matrix

if TYPE_CHECKING:
    from ckdispatch.device import Device


@dataclass(frozen=True)
class DTensor:
    """``repeats`` says which line of it is repeated, if there is one: r for a row, c for a column."""

    operand: Matrix
    repeats: str | None

    @property
    def on_device(self) -> bool:
        return self.operand.tensor is not None

    @property
    def natural(self) -> tuple[str, ...]:
        """The letters in which it is read where it is."""
        if self.repeats is None:
            return self.operand.letters
        step = self.operand.strides[-1 if self.repeats == "r" else -2]
        length = self.operand.columns if self.repeats == "r" else self.operand.rows
        return (self.repeats,) if step == 1 or length == 1 else ()

    def repeated(self, letter: str) -> bool:
        """Whether it stays a single line in a problem whose D tensors have that letter.

        On the host, one line for each matrix of a batch is written out.
        """
        return self.repeats == letter and (self.on_device or len(self.operand.shape) == 2)

    def strides(self, letter: str) -> tuple[int | None, int | None]:
        """The leading dimension and the batch stride in a problem; None is packed."""
        one = self.operand
        batch: int | None = None if len(one.shape) == 3 else 0
        if self.on_device and len(one.shape) == 3:
            batch = one.strides[0]
        if self.repeated(letter):
            return 0, batch
        return (one.leading(letter) if self.on_device else None), batch


def d_tensors(given: Sequence[Any], device: Device, shape: tuple[int, int, int]) -> list[DTensor]:
    """The D tensors behind arrays, for a C of ``shape``: batch, rows and columns."""
    found = []
    for i, one in enumerate(given):
        seen = matrix(f"D{i}", one, device, vectors=True)
        found.append(DTensor(seen, _repeats(seen, shape)))
    kinds = sorted({one.operand.dtype for one in found})
    if len(kinds) > 1:
        raise InvalidArgument(
            f"D tensors of {' and '.join(kinds)} were given; all must be of one dtype"
        )
    return found


def _repeats(one: Matrix, shape: tuple[int, int, int]) -> str | None:
    batch, m, n = shape
    fits_batch = len(one.shape) == 2 or one.shape[0] == batch
    if fits_batch and one.shape[-2:] == (m, n):
        return None
    if fits_batch and one.shape[-2:] == (1, n):
        return "r"
    if fits_batch and one.shape[-2:] == (m, 1):
        return "c"
    matrices = f"a batch of {batch} matrices {m} x {n}" if batch > 1 else f"{m} x {n}"
    raise InvalidArgument(
        f"{one.name} has the shape {one.shape}, and C is {matrices}; a D tensor is like C, or has "
        "one row (or is a vector) or one column of it"
    )


def d_letters(ds: Sequence[DTensor]) -> list[str]:
    """The letters that all D tensors can have, the one that needs the fewest copies first."""
    offered = [
        letter
        for letter in "rc"
        if all(letter in one.natural or not one.on_device for one in ds)
    ]
    if not offered:
        raise InvalidArgument(
            "the D tensors on the device are not all of contiguous rows, or all of contiguous "
            "columns; one row that is repeated counts as rows, one column as columns"
        )
    return sorted(offered, key=lambda letter: sum(letter not in one.natural for one in ds))
