# SPDX-License-Identifier: MIT
"""Damaged libraries and code objects are refused with a sentence; no damage ends the process."""

from __future__ import annotations

import ctypes
import os
import shutil
import zlib
from pathlib import Path

import numpy as np
import pytest
from gfxsim import HipError

from tests.gfxsim.bad_input.attempts import (
    BUNDLE,
    CODE_OBJECT,
    COMPRESSED_BUNDLE,
    with_header,
    works,
)
from tests.gfxsim.programs.device import Module, Program, error, hip

LIBRARY = Path("tests/gfxsim/programs/libcontrol.so")
FOLDER = Path(os.environ["TEST_TMPDIR"])


@pytest.fixture(scope="module")
def module() -> Module:
    return Module(CODE_OBJECT.read_bytes())


def test_bundles_in_every_form_are_loaded() -> None:
    plain, compressed = BUNDLE.read_bytes(), COMPRESSED_BUNDLE.read_bytes()
    assert compressed.startswith(b"CCOB")
    by_zlib = zlib.compress(plain)
    for image in (
        plain,
        compressed,
        with_header(2, 0, len(plain), by_zlib),
        with_header(3, 0, len(plain), by_zlib),
    ):
        assert works(Module(image))


def test_compressed_bundles_that_say_what_is_not_true(module: Module) -> None:
    plain = BUNDLE.read_bytes()
    size, data = len(plain), zlib.compress(plain)
    wrong = {
        "of version 7": with_header(7, 0, size, data),
        "unknown method, 9": with_header(2, 9, size, data),
        "is damaged": with_header(2, 0, size - 1, data),
        "compressed code is damaged": with_header(2, 1, size, data),
        "is no bundle": with_header(2, 0, 100, zlib.compress(bytes(100))),
    }
    for words, image in wrong.items():
        name, sentence = load_file(image)
        assert name == "hipErrorInvalidImage" and words in sentence, sentence
    assert works(module)


def load_file(content: bytes) -> tuple[str, str]:
    """The error of loading a file, if there is one, and its sentence."""
    path = FOLDER / "image.co"
    path.write_bytes(content)
    handle = ctypes.c_void_p()
    status = hip().hipModuleLoad(ctypes.byref(handle), str(path).encode())
    if status == 0:
        hip().hipModuleUnload(handle)
        return "", ""
    return error(status)


def test_a_code_object_that_was_cut_off_anywhere(module: Module) -> None:
    whole = CODE_OBJECT.read_bytes()
    assert load_file(whole) == ("", "")
    for length in range(0, len(whole), len(whole) // 60):
        name, sentence = load_file(whole[:length])
        assert name == "hipErrorInvalidImage", length
        assert "image.co" in sentence and sentence.endswith("."), sentence
    assert works(module)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x7fELF",
        b"#!/bin/sh\n" * 100,
        b"__CLANG_OFFLOAD_BUNDLE__" + b"\xff" * 200,
        b"CCOB" + b"\xff" * 200,
    ],
)
def test_files_that_are_no_code_objects(module: Module, content: bytes) -> None:
    name, sentence = load_file(content)
    assert name == "hipErrorInvalidImage"
    assert "image.co" in sentence and sentence.endswith(".")
    assert works(module)


def test_a_file_that_does_not_exist(module: Module) -> None:
    status = hip().hipModuleLoad(ctypes.byref(ctypes.c_void_p()), b"no/such/file.co")
    name, sentence = error(status)
    assert name == "hipErrorFileNotFound" and "no/such/file.co" in sentence
    assert works(module)


def test_a_code_object_of_another_gpu(module: Module) -> None:
    name, sentence = load_file(Path("tests/gfxsim/bad_input/kernels.gfx1100.co").read_bytes())
    assert name == "hipErrorNoBinaryForGpu"
    assert "gfx1100" in sentence and "gfx942" in sentence
    assert works(module)


def add(program: Program) -> None:
    a, c = np.ones(10, np.float32), np.zeros(10, np.float32)
    program.run("run_add", a, a, c, 10, 64)
    assert (c == 2).all()


# Where the bundle in a library has its magic, its number of entries, and an entry's offset, size
# and length of name.
@pytest.mark.parametrize("place", [0, 24, 32, 40, 48])
def test_a_library_with_a_damaged_bundle(module: Module, place: int) -> None:
    content = bytearray(LIBRARY.read_bytes())
    magic = content.index(b"__CLANG_OFFLOAD_BUNDLE__")
    content[magic + place : magic + place + 8] = b"\xff" * 8
    damaged = FOLDER / f"libdamaged{place}.so"
    damaged.write_bytes(content)
    with pytest.raises(HipError, match=r"hipError(InvalidImage|NoBinaryForGpu)") as raised:
        add(Program(damaged))
    assert damaged.name in str(raised.value) and str(raised.value).endswith(".")
    add(Program(LIBRARY))
    assert works(module)


def test_a_library_whose_code_is_damaged(module: Module) -> None:
    content = bytearray(LIBRARY.read_bytes())
    magic = content.index(b"__CLANG_OFFLOAD_BUNDLE__")
    for start in range(magic + 4096, len(content) - 64, 4096):
        if content[start : start + 4] == b"\x7fELF":
            content[start + 32 : start + 64] = b"\xff" * 32
    damaged = FOLDER / "libdamaged_code.so"
    damaged.write_bytes(content)
    shutil.copymode(LIBRARY, damaged)
    with pytest.raises(HipError, match="hipErrorInvalidImage"):
        add(Program(damaged))
    assert works(module)
