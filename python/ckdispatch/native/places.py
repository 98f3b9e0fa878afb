# SPDX-License-Identifier: MIT
"""Where the files are that Bazel built for this package.

They are beside it, in the runfiles or in a wheel, or where a variable says.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from ckfamilies import REPOSITORY

from ckdispatch.arguments import checked_path
from ckdispatch.errors import Damaged, InvalidArgument, NotFound
from ckdispatch.families import EXAMPLE
from ckdispatch.user_files import open_to_all
from ckdispatch.wording import quoted

_BUILT = (REPOSITORY / "kernels", REPOSITORY / "bazel-bin")
"""Where kernel sets are outside of runfiles: in a wheel, and in a clone."""

_DEEPEST = 6
"""Folders between a repository's root and a manifest that are searched; runfiles can be large."""


def native_library() -> Path:
    """libckdispatch.so."""
    return _find(
        "CKDISPATCH_LIBRARY",
        "dispatcher/libckdispatch.so",
        "the runtime library",
        "//dispatcher:libckdispatch.so",
    )


def simulator_library() -> Path:
    """The simulator's HIP runtime."""
    return _find(
        "CKDISPATCH_SIMULATOR",
        "tools/gfxsim/libamdhip64.so.*",
        "the simulator",
        "//tools/gfxsim:hip_runtime",
    )


def reference_code(gpu: str) -> Path:
    """The plain kernels for a GPU, which check others."""
    return _find(
        "CKDISPATCH_REFERENCE_CODE",
        f"python/reference_code/reference_{gpu}.co",
        f"the reference's code for {gpu}",
        "//python/reference_code:reference",
    )


def _find(variable: str, pattern: str, what: str, target: str) -> Path:
    if named := os.environ.get(variable):
        path = Path(named)
        if path.is_file():
            return _checked(path.absolute(), what)
        raise NotFound(f"{variable} names {named} as {what}, and there is no such file.")
    for root in (REPOSITORY, REPOSITORY / "bazel-bin"):
        for found in sorted(root.glob(pattern)):
            return _checked(found, what)
    raise NotFound(
        f"{what} ({pattern}) is not beside the package; depend on {target}, "
        f"or build it and set {variable}."
    )


def _checked(path: Path, what: str) -> Path:
    place = open_to_all(path)
    if place is not None:
        raise Damaged(
            f"{what} {path} is not loaded because all users may write to {place}; `chmod o-w "
            f"{place}` if you trust it."
        )
    return path


def runfiles_roots() -> Iterator[Path]:
    """The folders that hold one folder for each repository of the running program, or a clone's
    build output.
    """
    for variable in ("RUNFILES_DIR", "TEST_SRCDIR"):
        if folder := os.environ.get(variable):
            yield Path(folder)
    if REPOSITORY.parent.name.endswith(".runfiles"):
        yield REPOSITORY.parent


def find_manifest(name_or_path: str | os.PathLike[str]) -> Path:
    """A manifest by its path, or by the name of its kernel set among the files of the running
    program; the name may say the repository, as in ``my_module.my_set``.
    """
    path = checked_path("a kernel set", name_or_path)
    if path.suffix == ".json" or len(path.parts) > 1:
        if path.is_file():
            return path
        raise NotFound(f"the manifest {path} was asked for, and there is no such file")
    name = str(name_or_path)
    if not name or name.startswith("."):
        raise InvalidArgument(
            f"a kernel set called {quoted(name)} was asked for; a set's name is a word such as "
            f"{EXAMPLE.example_kernels}"
        )
    wanted = f"{name}.manifest.json"
    searched = []
    for root in dict.fromkeys(runfiles_roots()):
        searched.append(str(root))
        if found := find_in_repositories(root, name):
            return found
    for built in _BUILT:
        if built.is_dir() and (found := _search(built, wanted)):
            return found
        searched += [str(built)] if any(built.glob("*.manifest.json")) else []
    places = " and ".join(searched) or "no runfiles"
    raise NotFound(
        f"the kernel set {name} was asked for and is not among the files of this program "
        f"({places}); make it `data` of the target, or give the path of its manifest"
    )


def find_in_repositories(root: Path, name: str) -> Path | None:
    """A manifest in folders that are called as Bazel calls repositories; a name that two manifests
    have is ``InvalidArgument``.
    """
    found = [
        (_repository(folder.name), path)
        for folder in (sorted(root.iterdir()) if root.is_dir() else ())
        for path in _manifests(folder, {name, name.rpartition(".")[2]})
    ]
    fitting = [one for one in found if one[1].name == f"{name}.manifest.json"]
    fitting = fitting or [one for one in found if _full_name(*one) == name]
    if len(fitting) > 1:
        first, second = fitting[:2]
        typed, also_typed = _full_name(*first), _full_name(*second)
        raise InvalidArgument(
            f"the kernel set {name} was asked for, and this program has two: {first[1]} and "
            f"{second[1]}; give the path of one"
            if typed == also_typed
            else f"the kernel set {name} was asked for, and two repositories have one, {first[0]} "
            f"and {second[0]}; ask for {typed} or {also_typed}"
        )
    return fitting[0][1] if fitting else None


def _repository(folder: str) -> str:
    """What a repository is called by the module that has it, or that declares it in an extension.

    Bazel's own names are ``module~version`` and ``module~version~extension~name``, those of Bazel 8
    with ``+``; a project that is not used by another leaves its name and version out.
    """
    parts = re.split(r"[~+]", folder)
    return parts[0] if len(parts) <= 2 else parts[-1]


def _full_name(repository: str, manifest: Path) -> str:
    """The name of a set with its repository, which is that name where the repository is its own."""
    name = manifest.name.removesuffix(".manifest.json")
    return repository if repository.endswith(f".{name}") else f"{repository}.{name}"


def _manifests(folder: Path, names: set[str]) -> Iterator[Path]:
    """Those of sets with such names, as deep as is searched."""
    wanted = {f"{name}.manifest.json" for name in names}
    for place, folders, files in os.walk(folder):
        depth = len(Path(place).relative_to(folder).parts)
        # The runfiles of other programs come and go with their builds. Bazel 7 has the files of
        # every other repository a second time, below `external`.
        folders[:] = sorted(
            one
            for one in folders
            if depth + 1 < _DEEPEST
            and not one.endswith(".runfiles")
            and (depth > 0 or one != "external")
        )
        yield from (Path(place, name) for name in sorted(wanted.intersection(files)))


def _search(folder: Path, wanted: str) -> Path | None:
    for depth in range(_DEEPEST):
        for found in sorted(folder.glob("/".join([*["*"] * depth, wanted]))):
            # The runfiles of other programs come and go with their builds.
            if not any(part.endswith(".runfiles") for part in found.relative_to(folder).parts):
                return found
    return None
