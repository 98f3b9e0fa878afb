# SPDX-License-Identifier: MIT
"""Lengths, starts and pages: whole numbers that kernels read,
checked where they lie on the host.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ckdispatch.errors import InvalidArgument
from ckdispatch.tensors.device_tensor import DeviceTensor
from ckdispatch.tensors.operands import operand
from ckdispatch.wording import quoted, several

if TYPE_CHECKING:
    from ckdispatch.device import Device

Ints = NDArray[np.int64]

PAST_THE_END = 128
"""Entries behind a list of rows that a kernel may look at, and that must be rows of the cache too.
"""


@dataclass(frozen=True)
class Table:
    """Numbers of 32 bits: ``array`` if they are on the host, ``tensor`` if on the device. ``given``
    is what the caller has.
    """

    name: str
    shape: tuple[int, ...]
    array: Ints | None
    tensor: DeviceTensor | None

    @property
    def on_host(self) -> Ints:
        """What it holds; from the device it is copied."""
        if self.array is not None:
            return self.array
        assert self.tensor is not None
        return self.tensor.numpy().astype(np.int64)

    def staged(self, device: Device) -> DeviceTensor:
        """On the device, packed but for the strides of a tensor that is there already."""
        if self.tensor is not None:
            return self.tensor
        assert self.array is not None
        copy = DeviceTensor.allocate(device, self.shape, "int32")
        copy.write(self.array.astype(np.int32))
        return copy


def table(name: str, given: Any, device: Device, dimensions: int = 1) -> Table:
    """Of a list, an array of any integers on the host, or of int32 on the device."""
    array = _host_array(given)
    if array is None:
        one = operand(name, given, device)
        if one.dtype != "int32":
            raise InvalidArgument(
                f"{name} holds {one.dtype} on the device; kernels read int32 there"
            )
        if one.tensor is None:
            array = one.on_host
        elif len(one.shape) == dimensions and one.strides[-1] not in (0, 1):
            raise InvalidArgument(
                f"{name} is on the device with the strides {one.strides}; "
                "its last dimension must be contiguous"
            )
        shape, tensor = one.shape, one.tensor
    else:
        shape, tensor = array.shape, None
    if len(shape) != dimensions:
        raise InvalidArgument(
            f"{name} has the shape {shape}; it has {several(dimensions, 'extent')}"
        )
    if array is None:
        return Table(name, shape, None, tensor)
    if array.dtype.kind not in "iu" and array.size:
        raise InvalidArgument(f"{name} holds {array.dtype}; it holds whole numbers")
    wide = array.astype(np.int64)
    if wide.size and (wide.min() < -(2**31) or wide.max() >= 2**31):
        raise InvalidArgument(
            f"{name} holds {quoted(int(np.abs(wide).max()))}; its numbers have 32 bits"
        )
    return Table(name, shape, wide, None)


def _host_array(given: Any) -> NDArray[Any] | None:
    if isinstance(given, (list, tuple)):
        try:
            return np.array(given, np.int64 if not given else None)
        except (TypeError, ValueError, OverflowError):
            raise InvalidArgument(
                f"{quoted(given)} was given where whole numbers are needed"
            ) from None
    if isinstance(given, np.ndarray):
        return given
    if type(given).__module__.partition(".")[0] == "torch" and given.device.type == "cpu":
        found: NDArray[Any] = given.detach().numpy()  # DLPack here has no 64-bit integers
        return found
    return None


def check_starts(starts: Table, rows: int, of: str) -> None:
    """Where sequences begin in ``rows`` rows: from 0 on, each behind the one before."""
    if starts.shape[0] < 2:
        raise InvalidArgument(
            f"{starts.name} has {several(starts.shape[0], 'number')}; "
            "it has one more than there are sequences"
        )
    found = starts.array
    if found is None:
        return
    if found[0] != 0 or (np.diff(found) < 0).any():
        raise InvalidArgument(
            f"{starts.name} is {quoted(found.tolist())}; it begins with 0, and none of its numbers "
            "is less than the one before"
        )
    if found[-1] > rows:
        raise InvalidArgument(
            f"{starts.name} ends with {found[-1]}, and {of} has {several(rows, 'row')}"
        )


def check_lengths(lengths: Table, batch: int, room: Ints | int, of: str) -> None:
    """How many rows of each sequence count."""
    if lengths.shape != (batch,):
        raise InvalidArgument(
            f"{lengths.name} has the shape {lengths.shape}; there are "
            f"{several(batch, 'sequence')}, and it has a number for each"
        )
    found = lengths.array
    if found is None:
        return
    bad = np.flatnonzero((found < 0) | (found > room))
    if bad.size:
        i = int(bad[0])
        most = int(np.broadcast_to(room, found.shape)[i])
        raise InvalidArgument(
            f"{lengths.name} has {found[i]} for sequence {i}; "
            f"{of} has room for {several(most, 'row')}"
        )


def check_pages(pages: Table, lengths: Ints | None, page_rows: int, count: int) -> None:
    """Those of a block table that the keys of each sequence are in; without ``lengths`` all of
    them.
    """
    found = pages.array
    if found is None:
        return
    used = np.ones(found.shape, bool)
    if lengths is not None:
        used = np.arange(found.shape[1]) < -(-lengths[:, None] // page_rows)
    bad = np.argwhere(used & ((found < 0) | (found >= count)))
    if bad.size:
        i, j = (int(one) for one in bad[0])
        raise InvalidArgument(
            f"{pages.name} has the page {found[i, j]} for sequence {i}; "
            f"the cache has pages from 0 to {count - 1}"
        )


def check_listed(pages: Table, count: int) -> None:
    """Pages of a list."""
    found = pages.array
    if found is not None:
        bad = np.flatnonzero((found < 0) | (found >= count))
        if bad.size:
            raise InvalidArgument(
                f"{pages.name} has the page {found[bad[0]]}; "
                f"the cache has pages from 0 to {count - 1}"
            )


def check_index(index: Table, batch: int, sequences: int, *, written: bool) -> None:
    """Which of the cache's sequences are meant; none twice if they are ``written``."""
    if index.shape != (batch,):
        raise InvalidArgument(
            f"{index.name} has the shape {index.shape}; there are {several(batch, 'sequence')}, "
            "and it has a number for each"
        )
    found = index.array
    if found is None:
        return
    bad = np.flatnonzero((found < 0) | (found >= sequences))
    if bad.size:
        raise InvalidArgument(
            f"{index.name} has {found[bad[0]]}; the cache has sequences from 0 to {sequences - 1}"
        )
    if written and len(set(found.tolist())) != batch:
        raise InvalidArgument(
            f"{index.name} names a sequence twice, and new rows are written to each; "
            "give each its own"
        )


def rows_of_pages(
    pages: list[Ints], lengths: Ints, page_rows: int, apart: int
) -> tuple[Ints, Ints]:
    """Where the list of each sequence begins, and the row of each of its keys, where pages are
    ``apart`` rows from each other.
    """
    lists = []
    for own, length in zip(pages, lengths.tolist(), strict=True):
        key = np.arange(length)
        lists.append(own[key // page_rows] * apart + key % page_rows)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return starts, np.concatenate([*lists, np.zeros(PAST_THE_END, np.int64)]).astype(np.int64)
