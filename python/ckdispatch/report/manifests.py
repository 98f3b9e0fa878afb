# SPDX-License-Identifier: MIT
"""What manifests, and the descriptions beside the libraries, say about kernels. No library is
opened.
"""

from __future__ import annotations

import hashlib
import json
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ckdispatch.cli.families import commands_of
from ckdispatch.errors import CkDispatchError, Damaged, InvalidArgument
from ckdispatch.families import FAMILIES
from ckdispatch.user_files import check_document, read_bytes
from ckdispatch.wording import quoted

VERSION = 1
"""Of manifests and of descriptions."""

FIGURES = (
    "vgprs",
    "agprs",
    "sgprs",
    "lds_bytes",
    "scratch_bytes",
    "vgpr_spills",
    "sgpr_spills",
    "waves_per_simd",
    "code_bytes",
    "matrix_instructions",
)
"""What a manifest says of a kernel on a GPU."""

CLASSES = ("matrix", "valu", "salu", "vmem", "smem", "lds", "control", "other")
"""Of instructions, as a description counts them."""

FUNCTION_FIGURES = (
    "vgprs",
    "agprs",
    "sgprs",
    "lds_bytes",
    "vgpr_spills",
    "waves_per_simd",
    "code_bytes",
)
"""What a description says of each entry point."""


@dataclass(frozen=True)
class Function:
    """One entry point of a code object. ``mix`` has a count for each of ``CLASSES``."""

    name: str
    figures: tuple[int, ...]
    mix: tuple[int, ...]
    limits: tuple[str, ...]
    """What keeps more waves from being on a SIMD."""
    matrix: Mapping[str, int]
    """How often each matrix instruction is there."""


@dataclass(frozen=True)
class Use:
    """What a kernel uses on one GPU; the rest of it is known only with its description."""

    figures: Mapping[str, int]
    object_bytes: int | None = None
    object_sha256: str = ""
    functions: tuple[Function, ...] = ()

    @property
    def mix(self) -> tuple[int, ...] | None:
        """Instructions of all functions, one count for each of ``CLASSES``."""
        return (
            tuple(map(sum, zip(*(one.mix for one in self.functions), strict=True)))
            if self.functions
            else None
        )


@dataclass(frozen=True)
class Kernel:
    """``cells`` are what a list shows, under the family's columns; ``words`` what it can be
    narrowed down by.
    """

    name: str
    family: str
    spec: Mapping[str, Any]
    cells: tuple[str, ...]
    words: Mapping[str, str]
    sha256: str
    library_bytes: int | None
    uses: Mapping[str, Use]


@dataclass(frozen=True)
class Manifest:
    """The kernels of one file. ``undescribed`` counts those without a description that fits the
    manifest.
    """

    path: Path
    set: str
    sha256: str
    kernels: tuple[Kernel, ...]
    undescribed: int


def read(path: Path) -> Manifest:
    """The manifest at ``path``; one that is damaged is one sentence."""
    content = read_bytes(path, "the manifest")
    document = _object(content, f"the manifest {path}")
    kernels = document.get("kernels")
    if document.get("schema_version") != VERSION or not isinstance(kernels, list):
        raise Damaged(
            f"{path} is no manifest of schema version {VERSION}; "
            "give the <set>.manifest.json that a build wrote"
        )
    if not kernels:
        raise Damaged(f"the manifest {path} has no kernels; build the set again")
    found = tuple(_kernel(path, one) for one in kernels)
    twice = len(found) - len({one.name for one in found})
    if twice:
        raise Damaged(f"the manifest {path} lists a kernel twice; build the set again")
    missing = sum(not any(use.functions for use in one.uses.values()) for one in found)
    name = document.get("set")
    return Manifest(
        path,
        name if isinstance(name, str) else path.name,
        hashlib.sha256(content).hexdigest(),
        found,
        missing,
    )


def together(manifests: Sequence[Manifest]) -> tuple[Kernel, ...]:
    """The kernels of all of them, each once; GPUs of one kernel in several manifests are put
    together.
    """
    found: dict[str, Kernel] = {}
    for one in (kernel for manifest in manifests for kernel in manifest.kernels):
        before = found.get(one.name)
        if before is not None:
            first = before if len(before.uses) >= len(one.uses) else one
            uses = {**one.uses, **before.uses}
            one = Kernel(
                one.name,
                one.family,
                one.spec,
                one.cells,
                one.words,
                first.sha256,
                first.library_bytes,
                dict(sorted(uses.items())),
            )
        found[one.name] = one
    return tuple(found.values())


def _object(content: bytes, what: str) -> dict[str, Any]:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Damaged(f"{what} is damaged: it is not JSON ({error})") from None
    try:
        check_document(document, what)
    except InvalidArgument as error:
        raise Damaged(str(error)) from None
    if not isinstance(document, dict):
        raise Damaged(f"{what} is damaged: it holds {quoted(document)} and no object")
    return document


def _kernel(path: Path, entry: Any) -> Kernel:
    fields = entry if isinstance(entry, dict) else {}
    name, spec, summary, library = (fields.get(key) for key in ("name", "spec", "summary", "path"))
    if not (
        isinstance(name, str)
        and name
        and isinstance(spec, dict)
        and isinstance(summary, dict)
        and summary
    ):
        raise Damaged(
            f"the manifest {path} is damaged: a kernel has no name, no spec or no summary; "
            "build the set again"
        )
    family = spec.get("family")
    if not isinstance(family, str) or family not in FAMILIES:
        raise Damaged(
            f"the manifest {path} is damaged: {quoted(name)} is of the family {quoted(family)}; "
            f"there is {', '.join(FAMILIES)}"
        )
    commands = commands_of(family)
    try:
        cells = tuple(commands.cells(spec))
        words = {title: str(spec[field]) for title, field in commands.FIELDS.items()}
    except (KeyError, TypeError, ValueError) as error:
        raise Damaged(
            f"the manifest {path} is damaged: the spec of {quoted(name)} lacks or garbles {error}"
        ) from None
    file = (
        path.parent / library
        if isinstance(library, str) and library and "\0" not in library
        else None
    )
    uses = {
        gpu: Use(_figures(path, name, gpu, figures)) for gpu, figures in sorted(summary.items())
    }
    described = _described(file, name, fields.get("description_sha256"))
    if described is not None:
        try:
            uses = {gpu: _use(use, described.get(gpu)) for gpu, use in uses.items()}
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise Damaged(
                f"the description of {name} is damaged: it lacks or garbles {error}; "
                "build the set again"
            ) from None
    sha256 = fields.get("library_sha256")
    return Kernel(
        name,
        family,
        spec,
        cells,
        words,
        sha256 if isinstance(sha256, str) else "",
        _size(file),
        uses,
    )


def _figures(path: Path, name: str, gpu: str, given: Any) -> dict[str, int]:
    fields = given if isinstance(given, dict) else {}
    for field in FIGURES:
        if type(fields.get(field)) is not int:
            raise Damaged(
                f"the manifest {path} is damaged: {quoted(name)} has no number {field} for "
                f"{quoted(gpu)}; build the set again"
            )
    return {field: fields[field] for field in FIGURES}


def _size(file: Path | None) -> int | None:
    try:
        return file.stat().st_size if file is not None else None
    except (OSError, ValueError):
        return None


def _described(library: Path | None, name: str, sha256: Any) -> Mapping[str, Any] | None:
    """The GPUs of the description beside a library; None if it is not the one that the manifest was
    made with.
    """
    if library is None or "/" in name or "\0" in name:
        return None
    try:
        content = read_bytes(library.parent / f"{name}.json", "the description")
    except CkDispatchError:
        return None
    if hashlib.sha256(content).hexdigest() != sha256:
        return None
    gpus = _object(content, f"the description of {name}").get("gpus")
    return gpus if isinstance(gpus, dict) else None


def _use(use: Use, described: Any) -> Use:
    if not isinstance(described, dict):
        return use
    functions = tuple(_function(name, one) for name, one in sorted(described["kernels"].items()))
    return Use(
        use.figures,
        operator.index(described["code_object_bytes"]),
        str(described["sha256"]),
        functions,
    )


def _function(name: str, one: Mapping[str, Any]) -> Function:
    return Function(
        name.rpartition("__")[2],
        tuple(operator.index(one[field]) for field in FUNCTION_FIGURES),
        tuple(operator.index(one["instructions"][kind]) for kind in CLASSES),
        tuple(map(str, one["occupancy_limits"])),
        {
            str(mnemonic): operator.index(count)
            for mnemonic, count in one["matrix_mnemonics"].items()
        },
    )
