# SPDX-License-Identifier: MIT
"""Keys and values that lie in pages, are appended there, and are rotated on the way."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ckdispatch.comparison import Reference
from ckdispatch.errors import InvalidArgument
from ckdispatch.fmha.reference.options import UNIT
from ckdispatch.reference.formats import Wide, round_to, widened
from ckdispatch.reference.tolerance import STORED, Tolerance
from ckdispatch.wording import quoted

ROTARY = ("none", "interleaved", "half")


def gathered(pages: NDArray[Any], block_table: NDArray[Any], seqlen: int) -> NDArray[Any]:
    """[batch, seqlen, heads, hdim] of pages [page, row, heads, hdim] by a table [batch, pages of a
    sequence].
    """
    page_rows = pages.shape[1]
    row = np.arange(seqlen)
    table = np.asarray(block_table)
    if table.shape[1] * page_rows < seqlen:
        raise InvalidArgument(
            f"{seqlen} keys were asked for; a row of the block table has {table.shape[1]} pages of "
            f"{page_rows}"
        )
    dense: NDArray[Any] = pages[table[:, row // page_rows], row % page_rows]
    return dense


def listed(
    tokens: NDArray[Any], indptr: ArrayLike, pages: ArrayLike, page_rows: int = 1
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Packed keys of sequences whose pages are ``pages[indptr[i]:indptr[i + 1]]``, and where each
    begins.

    ``tokens`` are [page * page_rows + row, heads, hdim]; all rows of the last page count.
    """
    starts, order = np.asarray(indptr, np.int64), np.asarray(pages, np.int64)
    rows = (order[: starts[-1], None] * page_rows + np.arange(page_rows)).ravel()
    return tokens[rows], starts * page_rows


def rotated(
    x: NDArray[Any], cos: NDArray[Any], sin: NDArray[Any], positions: NDArray[Any], kind: str
) -> Reference:
    """x [batch, rows, heads, hdim] with pairs of columns turned by the angle of ``positions``
    [batch, rows].

    ``cos`` and ``sin`` are [position, rotary_dim / 2]. Pairs are (2i, 2i + 1) if ``kind`` is
    interleaved, (i, i + rotary_dim / 2) if half.
    """
    if kind not in ROTARY:
        raise InvalidArgument(
            f"a rotation {quoted(kind)} was asked for; there are {', '.join(ROTARY)}"
        )
    wide = widened(x)
    exact, error = wide.copy(), np.zeros_like(wide)
    if kind != "none":
        half = cos.shape[1]
        one, other = (
            (slice(0, 2 * half, 2), slice(1, 2 * half, 2))
            if kind == "interleaved"
            else (slice(0, half), slice(half, 2 * half))
        )
        c, s = (widened(table)[np.asarray(positions)][:, :, None, :] for table in (cos, sin))
        x0, x1 = wide[..., one], wide[..., other]
        exact[..., one], exact[..., other] = x0 * c - x1 * s, x1 * c + x0 * s
        error[..., one] = error[..., other] = (
            2 * UNIT * (np.abs(x0 * c) + np.abs(x1 * s) + np.abs(x1 * c) + np.abs(x0 * s))
        )
    return Reference(exact, round_to(exact, x.dtype), Tolerance(error, roundings=STORED))


def appended(
    cache: NDArray[Any],
    new: Wide | NDArray[Any],
    seqlen_k: ArrayLike,
    *,
    block_table: NDArray[Any] | None = None,
    cache_index: ArrayLike | None = None,
) -> NDArray[Any]:
    """The cache after ``new`` [batch, rows, heads, hdim] was put behind the first ``seqlen_k``
    [batch] rows of each sequence.

    The cache is [sequence, rows, heads, hdim], where sequence i is ``cache_index[i]``, or pages by
    a block table. It has the dtype of ``new``, so that unrounded rows and their bounds are placed
    as well as stored ones.
    """
    result = cache.astype(new.dtype)
    for i, length in enumerate(np.asarray(seqlen_k)):
        row = int(length) + np.arange(new.shape[1])
        if block_table is None:
            result[i if cache_index is None else np.asarray(cache_index)[i], row] = new[i]
        else:
            result[np.asarray(block_table)[i, row // cache.shape[1]], row % cache.shape[1]] = new[i]
    return result
