# SPDX-License-Identifier: MIT
"""The archive of headers that Bazel makes: the same bytes wherever it is made, and readable."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from ckdispatch.jit.headers import PACKED, composable_kernel

PACKER = PACKED.with_name("pack.py")


def pack(folder: Path, output: Path, root: str = "ck_tile") -> subprocess.CompletedProcess[str]:
    """Pack what is below ``folder``, with the arguments in a file as Bazel gives them."""
    files = sorted(str(path) for path in folder.rglob("*") if path.is_file())
    words = ["--root", root, "--output", str(output), *reversed(files)]
    parameters = folder.parent / f"{output.name}.params"
    parameters.write_text("\n".join(words) + "\n")
    command = [sys.executable, str(PACKER), f"@{parameters}"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def checkout(folder: Path) -> Path:
    for name, text in {"core.hpp": "// core\n", "ops/gemm.hpp": "// gemm\n"}.items():
        path = folder / "include" / "ck_tile" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_the_archive_does_not_depend_on_place_time_or_rights(tmp_path: Path) -> None:
    first = checkout(tmp_path / "a" / "one")
    second = checkout(tmp_path / "b" / "another place")
    for path in second.rglob("*.hpp"):
        os.utime(path, (1, 1))
        path.chmod(0o600)
    assert pack(first, tmp_path / "1.tar").returncode == 0
    assert pack(second, tmp_path / "2.tar").returncode == 0
    assert (tmp_path / "1.tar").read_bytes() == (tmp_path / "2.tar").read_bytes()
    with tarfile.open(tmp_path / "1.tar") as archive:
        assert [(member.name, member.mtime, member.uid) for member in archive] == [
            ("ck_tile/core.hpp", 0, 0),
            ("ck_tile/ops/gemm.hpp", 0, 0),
        ]


def test_a_file_outside_the_root_is_an_error(tmp_path: Path) -> None:
    done = pack(checkout(tmp_path / "a"), tmp_path / "1.tar", root="other")
    assert done.returncode == 1 and "is not below a folder called other." in done.stderr


@pytest.mark.skipif(not PACKED.exists(), reason="nothing is packed outside Bazel")
def test_the_packed_headers_are_composable_kernel(tmp_path: Path) -> None:
    content = composable_kernel(tmp_path, {}).read()
    assert b"#include" in content["ck_tile/core.hpp"]
    assert len(content) > 300 and all(name.startswith("ck_tile/") for name in content)
