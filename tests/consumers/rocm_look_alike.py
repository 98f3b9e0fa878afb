# SPDX-License-Identifier: MIT
"""A folder laid out like a ROCm installation, made of links to the compiler in use."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path


def make_rocm(folder: Path, found: str) -> None:
    """Make the folder; `found` is what `bazel run //rules:which_rocm` printed."""
    clang = Path(_field(r"HIP compiler: .* \((.*)\)", found))
    links = {
        "amdgcn/bitcode": Path(_field("device libraries: (.*)", found)),
        "include/hip": _header(clang, "hip/hip_runtime_api.h").parent,
        "lib/libamdhip64.so": _library(clang, "libamdhip64.so"),
        "llvm": clang.parent.parent,
    }
    for name, target in links.items():
        link = folder / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target)


def _field(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    assert match, f"{pattern} is not in {text}"
    return match.group(1)


def _library(clang: Path, name: str) -> Path:
    return Path(_run([clang, f"-print-file-name={name}"]).strip())


def _header(clang: Path, name: str) -> Path:
    """Where the compiler finds a header, as its list of dependencies says."""
    dependencies = _run(
        [clang, "-x", "c", "-M", "-D__HIP_PLATFORM_AMD__", "-"], f"#include <{name}>\n"
    )
    return Path(_field(rf"(\S+/{re.escape(name)})", dependencies))


def _run(command: Sequence[Path | str], text: str = "") -> str:
    return subprocess.run(command, input=text, check=True, capture_output=True, text=True).stdout
