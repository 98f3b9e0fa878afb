# SPDX-License-Identifier: MIT
"""Operands of products: matrices and batches of them, with a layout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ckdispatch.errors import InvalidArgument
from ckdispatch.tensors.operands import Operand, operand

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
        """r if its rows are contiguous, c if its columns are; both for some single rows and columns, none for gaps everywhere."""
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
        raise InvalidArgument(f"{name} has the shape {one.shape}; a matrix, or a batch of them, with no extent of 0 is needed")
    return Matrix(one.name, one.shape, one.strides, one.dtype, one.array, one.tensor, one.given)
