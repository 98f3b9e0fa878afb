# SPDX-License-Identifier: MIT
"""A file is taken for a kernel library only if it is one."""

from __future__ import annotations

import random
import struct
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from ckdispatch.errors import Damaged
from ckdispatch.jit.library import check_library

NAME = "the_kernel"


@pytest.fixture
def good(library: Path, tmp_path: Path) -> Path:
    path = tmp_path / "libthe_kernel.so"
    path.write_bytes(library.read_bytes() + NAME.encode())
    return path


def test_a_library_with_the_entry_point_and_the_kernel_is_taken(good: Path) -> None:
    check_library(good, NAME)


def test_a_library_with_another_kernel_is_refused(good: Path) -> None:
    with pytest.raises(Damaged, match="does not hold the kernel another"):
        check_library(good, "another")


def test_a_library_of_another_machine_is_refused(good: Path) -> None:
    data = bytearray(good.read_bytes())
    struct.pack_into("<H", data, 18, 0x1234)
    good.write_bytes(data)
    with pytest.raises(Damaged, match="is no shared library for this machine"):
        check_library(good, NAME)


def test_a_program_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Damaged, match="exports ck_kernel_get_api"):
        check_library(Path(sys.executable).resolve(), NAME)


def test_whatever_is_cut_off_is_refused_or_whole(good: Path) -> None:
    data = good.read_bytes()
    for length in range(0, len(data) - len(NAME), 997):
        good.write_bytes(data[:length])
        with pytest.raises(Damaged):
            check_library(good, NAME)


def test_noise_is_refused_without_another_error(good: Path) -> None:
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    data = good.read_bytes()
    for _ in range(300):
        noisy = bytearray(data)
        for _ in range(200):
            noisy[chance.randrange(64, len(noisy))] = chance.randrange(256)
        good.write_bytes(noisy)
        with suppress(Damaged):
            check_library(good, NAME)
