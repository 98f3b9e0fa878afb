# SPDX-License-Identifier: MIT
"""Finding a compiler for AMD GPUs, and telling exactly which one it is."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ckdispatch.errors import NotFound
from ckdispatch.jit.entry import canonical
from ckdispatch.jit.files import sha256_bytes, sha256_file
from ckdispatch.jit.memo import States, are_as_before, remember, states_of
from ckdispatch.jit.process import ask, clean_environment
from ckdispatch.open_to_all import open_to_all

_SEARCH_LIST = re.compile(r"search starts here:\n(.*?)End of search list", re.DOTALL)
# What the headers of the machine say about their own version: C++, C and HIP.
_STAMPS = ("bits/c++config.h", "features.h", "hip/hip_version.h")


@dataclass(frozen=True)
class Compiler:
    """A clang for AMD GPUs. ``identity`` is a hash of everything that its output depends on."""

    clang: str
    bundler: str
    device_libs: str
    host_triple: str
    version: str
    found_as: str
    identity: str
    seen: States = field(default_factory=dict, repr=False, compare=False)
    """Its files as they were when it was looked at."""

    def is_as_before(self) -> bool:
        """Whether it is still the one that ``identity`` tells: it is run by its path, and the machine may be updated."""
        return are_as_before(self.seen)


class _Unusable(Exception):
    """Why a candidate cannot be used."""


def find_compiler(memos: Path, environment: Mapping[str, str] | None = None) -> Compiler:
    """The compiler to build kernels with; raises ``NotFound`` with what was looked for.

    Nothing but CKDISPATCH_HIPCC is used if it is set. What is found out is kept in ``memos``.
    """
    known = os.environ if environment is None else environment
    refused = []
    for found_as, path in _candidates(known):
        if not path.is_file():
            refused.append(f"{found_as}: {path} is missing")
            continue
        question = {
            "compiler": str(path),
            "found_as": found_as,
            "libraries": known.get("LD_LIBRARY_PATH", ""),
        }
        try:
            facts, seen = remember(memos, question, partial(_look, path, found_as))
        except _Unusable as reason:
            refused.append(f"{found_as}: {reason}")
            continue
        return Compiler(**facts, seen=seen)
    raise NotFound(
        f"a kernel was to be compiled and no HIP compiler was found ({'; '.join(refused)}); "
        "install ROCm or the distribution's hipcc, or set CKDISPATCH_HIPCC to the path of a hipcc "
        "or of a clang++ that has AMD's device libraries."
    )


def _candidates(environment: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    if own := environment.get("CKDISPATCH_HIPCC"):
        yield "CKDISPATCH_HIPCC", Path(os.path.abspath(own))
        return
    folders = [("ROCM_PATH", environment.get("ROCM_PATH")), ("/opt/rocm", "/opt/rocm")]
    for found_as, folder in folders:
        if folder:
            places = [Path(folder) / inside / "clang++" for inside in ("llvm/bin", "lib/llvm/bin")]
            yield found_as, next((place for place in places if place.is_file()), places[0])
    yield "hipcc", Path(shutil.which("hipcc", path=environment.get("PATH")) or "/usr/bin/hipcc")
    versions = [path for path in Path("/usr/bin").glob("clang++-*") if path.name[8:].isdigit()]
    for path in sorted(versions, key=lambda path: -int(path.name[8:])):
        yield path.name, path


def _look(path: Path, found_as: str) -> tuple[dict[str, Any], States]:
    """Everything about the compiler that ``path`` is or calls, and the files that say so as they were before."""
    _check_not_open(path)
    # hipcc hands the question on to clang, which answers with the tool in its own folder.
    bundler = Path(_answer(path, "-print-prog-name=clang-offload-bundler"))
    clang = bundler.with_name("clang++")
    tools = [clang, bundler, bundler.with_name("ld.lld")]
    for tool in tools:
        if not tool.is_absolute() or not tool.is_file():
            raise _Unusable(f"{path} has no {tool.name} beside it")
        _check_not_open(tool)
    device_libs = _device_libs(clang)
    files = {*tools, *device_libs.glob("*.bc"), *_version_stamps(clang)}
    for tool in tools:
        files.update(_loaded_libraries(tool))
    # The folder changes when a library is added to it.
    seen = states_of([path, device_libs, *sorted(files)])
    digests = sorted([file.name, sha256_file(file)[0]] for file in files)
    found = dict(
        clang=str(clang),
        bundler=str(bundler),
        device_libs=str(device_libs),
        host_triple=_answer(clang, "-dumpmachine"),
        version=_answer(clang, "--version").splitlines()[0],
        found_as=found_as,
        identity=sha256_bytes(canonical(digests)),
    )
    return found, seen


def _check_not_open(tool: Path) -> None:
    place = open_to_all(tool)
    if place is not None:
        raise _Unusable(f"{tool} is not run because all users may write to {place}")


def _answer(tool: Path, question: str) -> str:
    code, output, _ = ask([str(tool), question])
    if code != 0 or not output.strip():
        raise _Unusable(f"{tool} does not answer {question}")
    return output.strip()


def _device_libs(clang: Path) -> Path:
    resource = Path(_answer(clang, "-print-resource-dir"))
    inside = ("amdgcn/bitcode", "lib/amdgcn/bitcode")
    places = [resource / name for name in inside]
    # In a ROCm installation clang is in llvm/bin or lib/llvm/bin.
    places += [above / "amdgcn" / "bitcode" for above in clang.resolve().parents[1:4]]
    for place in places:
        if (place / "ocml.bc").is_file():
            return place
    raise _Unusable(f"the AMD device libraries (ocml.bc) of {clang} are missing")


def _version_stamps(clang: Path) -> list[Path]:
    """Files that change when the machine's own headers do."""
    arguments = ["-x", "hip", "--cuda-host-only", "-nogpulib", "-E", "-v", os.devnull]
    code, _, told = ask([str(clang), *arguments])
    lines = [line.strip() for found in _SEARCH_LIST.findall(told) for line in found.split("\n")]
    stamps = [Path(folder) / name for folder in lines if folder for name in _STAMPS]
    stamps = [stamp for stamp in stamps if stamp.is_file()]
    if code != 0 or not any(stamp.name == "hip_version.h" for stamp in stamps):
        raise _Unusable(f"{clang} does not find the headers of HIP")
    return stamps


def _loaded_libraries(tool: Path) -> list[Path]:
    """The shared libraries that the dynamic loader would load for ``tool``."""
    _, output, _ = ask([str(tool)], {**clean_environment(), "LD_TRACE_LOADED_OBJECTS": "1"})
    # Lines such as: libLLVM.so.21.1 => /usr/lib/libLLVM.so.21.1 (0x0000ffffac8d0000)
    return [Path(path) for path in re.findall(r" => (/.*) \(0x[0-9a-f]+\)$", output, re.MULTILINE)]
