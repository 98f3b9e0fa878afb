# SPDX-License-Identifier: MIT
"""Where the files are that Bazel built for this package.

They are beside it, in the runfiles or in a wheel, or where a variable says.
"""

from __future__ import annotations

import os
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
    program.
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
        for repository in sorted(root.iterdir()) if root.is_dir() else ():
            if found := _search(repository, wanted):
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


def _search(folder: Path, wanted: str) -> Path | None:
    for depth in range(_DEEPEST):
        for found in sorted(folder.glob("/".join([*["*"] * depth, wanted]))):
            # The runfiles of other programs come and go with their builds.
            if not any(part.endswith(".runfiles") for part in found.relative_to(folder).parts):
                return found
    return None
