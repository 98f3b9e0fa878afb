# SPDX-License-Identifier: MIT
"""ctypes and the C compiler agree on where each field of a structure is."""

from __future__ import annotations

import ctypes
import os
import subprocess

import pytest
from c_probe import structures


def in_c() -> dict[str, dict[str, tuple[int, int]]]:
    """Offsets and sizes by the compiler that reads the header; a structure's own size is that of
    ``.``.
    """
    told = subprocess.run([os.environ["PROBE"]], capture_output=True, text=True, check=True).stdout
    found: dict[str, dict[str, tuple[int, int]]] = {}
    for line in told.splitlines():
        name, field, offset, size = line.split()
        found.setdefault(name, {})[field] = (int(offset), int(size))
    return found


def in_python(structure: type[ctypes.Structure]) -> dict[str, tuple[int, int]]:
    fields = (getattr(structure, one[0]) for one in structure._fields_)
    places = {
        one[0]: (field.offset, field.size)
        for one, field in zip(structure._fields_, fields, strict=True)
    }
    return {".": (0, ctypes.sizeof(structure)), **places}


@pytest.mark.parametrize("name", structures())
def test_every_field_is_where_the_header_has_it(name: str) -> None:
    assert in_python(structures()[name]) == in_c()[name]


@pytest.mark.parametrize("name", structures())
def test_no_field_is_left_out(name: str) -> None:
    """What lies between two fields is less than the next one's alignment."""
    end = 0
    for field, (offset, size) in in_python(structures()[name]).items():
        if field != ".":
            assert 0 <= offset - end < 8, field
            end = offset + size
    assert ctypes.sizeof(structures()[name]) - end < 8
