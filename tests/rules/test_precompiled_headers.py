# SPDX-License-Identifier: MIT
"""What precompiling the headers must not change, and must not hold."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest


def files(variable: str) -> list[Path]:
    found = [Path(name) for name in os.environ[variable].split()]
    assert found, variable
    return found


def of_gpu(gpu: str, variable: str) -> bytes:
    (path,) = [path for path in files(variable) if path.name.endswith(f".{gpu}.co")]
    return path.read_bytes()


@pytest.mark.parametrize("gpu", ["gfx942", "gfx1100"])
def test_a_code_object_is_the_same_with_and_without_precompiled_headers(gpu: str) -> None:
    ours = of_gpu(gpu, "CK_PRECOMPILED")
    assert ours.startswith(b"\x7fELF")
    assert ours == of_gpu(gpu, "CK_PLAIN")


def test_precompiled_headers_name_no_path_of_the_machine() -> None:
    (precompiled,) = files("CK_PCH")
    text = precompiled.read_bytes()
    paths = re.findall(rb"(?<![\w.+~*-])(?:/[\w.+~-]+)+/[\w.+~-]+\.hp?p?(?!\w)", text)
    places = {
        path.decode().partition("/external/")[0].partition("/kernel_library/")[0] for path in paths
    }
    assert places == {"/proc/self/cwd"}
    assert any(path.endswith(b"/ck_tile/core.hpp") for path in paths)
