# SPDX-License-Identifier: MIT
"""Values that no caller should give, and some that look as if they could be right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np


class Liar:
    """Pretends to be whatever is looked for, and fails when it is used."""

    shape = "liar"
    address = "liar"
    dtype = "liar"

    def __dlpack__(self) -> Any:
        raise RuntimeError("lied")

    def __index__(self) -> int:
        raise TypeError("lied")

    def __fspath__(self) -> str:
        raise TypeError("lied")

    def data_ptr(self) -> str:
        return "liar"


def _looping() -> list[Any]:
    loop: list[Any] = []
    loop.append(loop)
    return loop


def _read_only() -> Any:
    array = np.zeros((64, 64), np.float16)
    array.flags.writeable = False
    return array


NUMBERS: dict[str, Any] = {
    "-1": -1,
    "0": 0,
    "3": 3,
    "2^31": 2**31,
    "-2^31-1": -(2**31) - 1,
    "2^32": 2**32,
    "2^61+8": 2**61 + 8,
    "2^63": 2**63,
    "2^64": 2**64,
    "2^64+1": 2**64 + 1,
    "2^80": 2**80,
    "-2^80": -(2**80),
    "10^5000": 10**5000,
    "1.5": 1.5,
    "nan": float("nan"),
    "inf": float("inf"),
    "complex": 1j,
    "true": True,
    "false": False,
    "np.int64": np.int64(3),
    "np.uint64": np.uint64(2**64 - 1),
    "np.float32": np.float32(1),
    "np.bool": np.True_,
}
TEXTS: dict[str, Any] = {
    "''": "",
    "'x'": "x",
    "a surrogate": "\ud800",
    "a null": "\0",
    "a null inside": "fp16\0x",
    "a million letters": "x" * 10**6,
    "not ASCII": "ü€𝄞",
    "lines": "a\nb",
    "b''": b"",
    "bytes": b"fp16",
    "bytes that are no text": b"\xff\xfe",
    "a path": Path("/nowhere"),
    "a path of a surrogate": Path("/no\udc80where"),
}
CONTAINERS: dict[str, Any] = {
    "None": None,
    "[]": [],
    "[[]]": [[]],
    "()": (),
    "{}": {},
    "a set": {1, 2},
    "a dict": {1: 2},
    "a list of None": [None] * 3,
    "a list of -1": [-1] * 3,
    "a list of 2^80": [2**80] * 3,
    "a list of nan": [float("nan")] * 3,
    "a list of texts": ["x"] * 3,
    "ten thousand": [1] * 10_000,
    "itself": _looping(),
    "a range": range(3),
    "a class": int,
    "a function": len,
    "an object": object(),
    "a liar": Liar(),
    "an exception": ValueError("x"),
}
ARRAYS: dict[str, Any] = {
    "an empty array": np.zeros((0, 64), np.float16),
    "an array of no extents": np.zeros((), np.float16),
    "a vector": np.zeros(64, np.float16),
    "five extents": np.zeros((1, 1, 1, 64, 64), np.float16),
    "an array of fp64": np.zeros((64, 64)),
    "of complex": np.zeros((64, 64), complex),
    "of texts": np.full((64, 64), "x"),
    "of objects": np.full((64, 64), None),
    "of dates": np.zeros((64, 64), "M8[s]"),
    "of records": np.zeros((64, 64), [("a", "f2"), ("b", "i4")]),
    "of another byte order": np.zeros((64, 64), ">f2"),
    "of uint16": np.zeros((64, 64), np.uint16),
    "read-only": _read_only(),
    "backwards": np.zeros((64, 64), np.float16)[::-1, ::-1],
    "with gaps": np.zeros((128, 128), np.float16)[::2, ::2],
    "broadcast": np.broadcast_to(np.float16(1), (64, 64)),
    "a matrix": np.asmatrix(np.zeros((64, 64), np.float16)),
    "masked": np.ma.masked_array(np.zeros((64, 64), np.float16)),
    "not aligned": np.zeros(64 * 64 * 2 + 1, np.uint8)[1:].view(np.float16).reshape(64, 64),
}
ODD: dict[str, Any] = {**NUMBERS, **TEXTS, **CONTAINERS, **ARRAYS}
