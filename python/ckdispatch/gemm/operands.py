# SPDX-License-Identifier: MIT
"""Operands of products: matrices and batches of them, D tensors,
and what is done to the product.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ckdispatch.errors import InvalidArgument
from ckdispatch.product.fused_ops import ADD, check_fused_op, with_bias
from ckdispatch.tensors.operands import Operand, operand
from ckdispatch.wording import quoted

if TYPE_CHECKING:
    from ckdispatch.device import Device


class Matrix(Operand):
    """A matrix or a batch of them."""

    @property
    def rows(self) -> int:
        return self.shape[-2]

    @property
    def columns(self) -> int:
        return self.shape[-1]

    @property
    def letters(self) -> tuple[str, ...]:
        """r if its rows are contiguous, c if its columns are; both for some single rows and
        columns, none for gaps everywhere.
        """
        row, column = self.strides[-2:]
        by_rows = (column == 1 or self.columns == 1) and (row >= self.columns or self.rows == 1)
        by_columns = (row == 1 or self.rows == 1) and (column >= self.rows or self.columns == 1)
        return ("r",) * by_rows + ("c",) * by_columns

    def leading(self, letter: str) -> int:
        """Elements from one row, or column, to the next."""
        by_rows = letter == "r"
        width, lines = (self.columns, self.rows) if by_rows else (self.rows, self.columns)
        return width if lines == 1 else self.strides[-2 if by_rows else -1]


def matrix(name: str, given: Any, device: Device, *, vectors: bool = False) -> Matrix:
    """The matrix behind what was given; where ``vectors`` may be, one is a matrix of one row."""
    one = operand(name, given, device)
    if vectors and len(one.shape) == 1:
        one = one.reshaped(0, (1, *one.shape))
    if len(one.shape) not in (2, 3) or 0 in one.shape:
        raise InvalidArgument(
            f"{name} has the shape {one.shape}; a matrix, or a batch of them, "
            "with no extent of 0 is needed"
        )
    return Matrix(one.name, one.shape, one.strides, one.dtype, one.array, one.tensor, one.given)


@dataclass(frozen=True)
class DTensor:
    """``repeats`` says which line of it is repeated, if there is one: r for a row,
    c for a column.
    """

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
        letter for letter in "rc" if all(letter in one.natural or not one.on_device for one in ds)
    ]
    if not offered:
        raise InvalidArgument(
            "the D tensors on the device are not all of contiguous rows, or all of contiguous "
            "columns; one row that is repeated counts as rows, one column as columns"
        )
    return sorted(offered, key=lambda letter: sum(letter not in one.natural for one in ds))


def epilogue(ds: Sequence[Any], bias: Any, fused_op: str | None) -> tuple[list[Any], str | None]:
    """The D tensors, and the name of the operation on them and the product.

    A bias is the first D tensor, and is added before an activation such as ``Relu``. D tensors
    without an operation are added.
    """
    if not isinstance(ds, (list, tuple)):
        raise InvalidArgument(f"ds was asked for as {quoted(ds)}; it is a list of D tensors")
    check_fused_op(fused_op)
    if bias is None:
        return list(ds), fused_op if fused_op or not ds else ADD
    shape = getattr(bias, "shape", None)
    if not isinstance(shape, tuple) or len(shape) != 1:
        raise InvalidArgument(
            f"a bias of the shape {shape} was given; it is a vector with a value for each column. "
            "Give other shapes as ds"
        )
    together = with_bias(fused_op)
    if together is None:
        raise InvalidArgument(
            f"a bias was given with {fused_op}, and a bias is added; give the vector as one of ds"
        )
    return [bias, *ds], together
