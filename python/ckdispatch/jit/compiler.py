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

from ckgen.core.recipe import load_recipe

from ckdispatch.errors import NotFound
from ckdispatch.jit.entry import canonical
from ckdispatch.jit.files import sha256_bytes, sha256_file
from ckdispatch.jit.memo import States, are_as_before, remember, states_of
from ckdispatch.jit.places import cache_folder
from ckdispatch.jit.process import ask, clean_environment
from ckdispatch.user_files import open_to_all

_SEARCH_LIST = re.compile(r"search starts here:\n(.*?)End of search list", re.DOTALL)
# What the headers of the machine say about their own version: C++ and C; HIP's are in the recipe.
_STAMPS = ("bits/c++config.h", "features.h")


@dataclass(frozen=True)
class Compiler:
    """A clang for AMD GPUs. ``identity`` is a hash of everything that its output depends on."""

    clang: str
    device_libs: str
    link_files: Mapping[str, str]
    host_triple: str
    version: str
    found_as: str
    identity: str
    seen: States = field(default_factory=dict, repr=False, compare=False)
    """Its files as they were when it was looked at."""

    @property
    def tools(self) -> str:
        """The folder of clang and of the tools that go with it."""
        return os.path.dirname(self.clang)

    def is_as_before(self) -> bool:
        """Whether it is still the one that ``identity`` tells: it is run by its path, and the
        machine may be updated.
        """
        return are_as_before(self.seen)


class _Unusable(Exception):
    """Why a candidate cannot be used."""


def find_compiler(memos: Path, environment: Mapping[str, str] | None = None) -> Compiler:
    """The compiler to build kernels with; raises ``NotFound`` with what was looked for.

    The recipe says where. What is found out is kept in ``memos``.
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
            "search": load_recipe().search,
        }
        try:
            facts, seen = remember(memos, question, partial(_look, path, found_as))
        except _Unusable as reason:
            refused.append(f"{found_as}: {reason}")
            continue
        return Compiler(**facts, seen=seen)
    raise NotFound(
        f"a kernel was to be compiled and no HIP compiler was found ({'; '.join(refused)}); "
        f"install ROCm or the distribution's hipcc,{_in_a_sealed_root(known)} or set "
        "CKDISPATCH_HIPCC to the path of a hipcc or of a clang++ that has AMD's device libraries."
    )


def _in_a_sealed_root(environment: Mapping[str, str]) -> str:
    """What to do with the compiler of a sealed root, which finds its own libraries only inside."""
    roots = cache_folder(environment).parent / "sealed"
    made = next(roots.glob("*/etc/ckdispatch-sealed"), None)
    if made is None:
        return ""
    return f" or run this in `./bazelw --sealed-shell`, whose root {made.parents[1]} has one,"


def rocm_places(environment: Mapping[str, str]) -> list[tuple[str, Path]]:
    """Every place where ROCm is looked for, in order: what it is called, and its prefix."""
    called: dict[str, str] = {}
    for place in load_recipe().search["places"]:
        if "variable" in place:
            if chosen := environment.get(place["variable"]):
                return [(place["called"], Path(os.path.abspath(chosen)))]
        elif os.path.exists(place.get("only_with", "/")):
            called.setdefault(place["prefix"], place["called"])
    return [(name, Path(prefix)) for prefix, name in called.items()]


def _candidates(environment: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    """Every program that may be a compiler or call one, in order, and what its place is called."""
    search = load_recipe().search
    if own := environment.get(search["variable"]):
        yield search["variable"], Path(os.path.abspath(own))
        return
    places = rocm_places(environment)
    for called, prefix in places:
        programs = [folder / "clang++" for folder in _below(prefix)]
        yield from (
            (called, program)
            for program in [path for path in programs if path.is_file()] or programs[:1]
        )
    by_variable = {place["called"] for place in search["places"] if "variable" in place}
    program = shutil.which(search["program"], path=environment.get("PATH"))
    if program and places[0][0] not in by_variable:
        yield search["program"], Path(program)


def _below(prefix: Path) -> list[Path]:
    """The folders below a prefix that may hold the tools, in order."""
    search = load_recipe().search
    start = prefix / search["versions"]
    versions = [path.name.removeprefix(start.name) for path in start.parent.glob(f"{start.name}*")]
    newest = sorted((version for version in versions if version.isdecimal()), key=int, reverse=True)
    return [
        *(prefix / folder for folder in search["folders"]),
        *(Path(f"{start}{version}/bin") for version in newest),
    ]


def _look(path: Path, found_as: str) -> tuple[dict[str, Any], States]:
    """Everything about the compiler that ``path`` is or calls, and the files that say so as they
    were before.
    """
    search = load_recipe().search
    _check_not_open(path)
    # hipcc hands the question on to clang, which answers with the tool in its own folder.
    folder = Path(_answer(path, "-print-prog-name=clang-offload-bundler")).parent
    clang, tools = folder / "clang++", [folder / tool for tool in search["tools"]]
    for tool in tools:
        if not tool.is_absolute() or not tool.is_file():
            raise _Unusable(f"{path} has no {tool.name} beside it")
        _check_not_open(tool)
    device_libs = _device_libs(clang)
    link_files = {
        name: _link_file(clang, name) for name in (*search["link_before"], *search["link_after"])
    }
    files = {*tools, *device_libs.glob("*.bc"), *_version_stamps(clang), *link_files.values()}
    for program in {tool.resolve() for tool in tools}:
        files.update(_loaded_libraries(program))
    # The folder changes when a library is added to it.
    seen = states_of([path, device_libs, *sorted(files)])
    digests = sorted([file.name, sha256_file(file)[0]] for file in files)
    found = dict(
        clang=str(clang),
        device_libs=str(device_libs),
        link_files={name: str(file) for name, file in link_files.items()},
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
    search = load_recipe().search
    resource = Path(_answer(clang, "-print-resource-dir"))
    for place in (resource, *clang.parent.resolve().parents[:3]):
        for inside in search["device_libs"]:
            found: Path = place / inside
            if (found / search["device_lib"]).is_file():
                return found
    raise _Unusable(f"the AMD device libraries ({search['device_lib']}) of {clang} are missing")


def _link_file(clang: Path, name: str) -> Path:
    """A file of the machine that libraries are linked with."""
    path = Path(_answer(clang, f"-print-file-name={name}"))
    if not path.is_absolute() or not path.is_file():
        raise _Unusable(f"{clang} does not find {name}, which libraries are linked with")
    return path


def _version_stamps(clang: Path) -> list[Path]:
    """Files that change when the machine's own headers do."""
    search = load_recipe().search
    code, _, told = ask([str(clang), *search["include_dirs"]])
    lines = [line.strip() for found in _SEARCH_LIST.findall(told) for line in found.split("\n")]
    stamps = [
        Path(folder) / name
        for folder in lines
        if folder
        for name in (*_STAMPS, search["hip_header"])
    ]
    stamps = [stamp for stamp in stamps if stamp.is_file()]
    if code != 0 or not any(str(stamp).endswith(search["hip_header"]) for stamp in stamps):
        raise _Unusable(f"{clang} does not find the headers of HIP")
    return stamps


def _loaded_libraries(tool: Path) -> list[Path]:
    """The shared libraries that the dynamic loader would load for ``tool``."""
    _, output, _ = ask([str(tool)], {**clean_environment(), "LD_TRACE_LOADED_OBJECTS": "1"})
    # Lines such as: libLLVM.so.21.1 => /usr/lib/libLLVM.so.21.1 (0x0000ffffac8d0000)
    return [Path(path) for path in re.findall(r" => (/.*) \(0x[0-9a-f]+\)$", output, re.MULTILINE)]
