# SPDX-License-Identifier: MIT
"""The kernels that ``build`` is asked for: by a declaration, by their names, or in words."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ckgen.core import codec
from ckgen.core.declaration import Declaration, parse_declaration
from ckgen.core.errors import CkgenError
from ckgen.core.expand import expand
from ckgen.core.nearest import why_not
from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target
from ckgen.families import FAMILIES

from ckdispatch.cli.config_options import said_entries
from ckdispatch.cli.exits import UsageError
from ckdispatch.config.base import KernelConfig
from ckdispatch.config.values import arch_specs, gpu_target
from ckdispatch.errors import CkDispatchError, presentable
from ckdispatch.user_files import check_document, read_text

_WORDS = "the command line"


@dataclass(frozen=True)
class Asked:
    """What to build: kernels by the GPUs that each is legal on among those asked for."""

    gpus: tuple[str, ...]
    kernels: Mapping[tuple[str, ...], list[KernelSpec]]
    forbid_spills: bool = False


def asked(options: argparse.Namespace) -> Asked:
    """What the options of ``build`` say; raises ``UsageError`` if a rule refuses any of it."""
    gpus = _gpus(options.gpu)
    said = said_entries(options)
    if sum(map(bool, (options.declaration, options.kernel, said))) != 1:
        raise UsageError(
            "kernels are to be said in one way: by a DECLARATION, by --kernel, or by words such as "
            "--dtype fp16 --layout rcr --tile 64x64x64"
        )
    if options.kernel:
        return Asked(gpus, {gpus: _named(options.kernel)})
    declaration = _declaration(options.declaration, said, gpus)
    return Asked(gpus, _expanded(declaration, gpus), declaration.forbid_spills)


def _gpus(text: str) -> tuple[str, ...]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise UsageError("--gpu names no GPU; write one such as gfx942")
    return tuple(gpu_target(name).name for name in dict.fromkeys(names))


def _named(names: list[str]) -> list[KernelSpec]:
    return [KernelConfig.parse(name).spec for name in names]


def _declaration(
    path: str | None, said: dict[str, Any] | None, gpus: tuple[str, ...]
) -> Declaration:
    known = arch_specs().gpus
    try:
        if said is None:
            return parse_declaration(_document(Path(path or "")), FAMILIES, known, path or "")
        (entry,) = said["kernels"]
        data = {**said, "kernels": [{**entry, "gpus": list(gpus)}]}
        return parse_declaration(data, FAMILIES, known, _WORDS)
    except CkgenError as error:
        raise UsageError(presentable(str(error))) from None


def _document(path: Path) -> Any:
    """What a declaration says, checked before anything is made of it."""
    try:
        document = codec.parse_json(read_text(path, "the declaration"))
    except CkDispatchError as error:
        raise UsageError(str(error)) from None
    except RecursionError:
        raise UsageError(
            f"the declaration {path} cannot be read: it is nested too deeply"
        ) from None
    except CkgenError as error:
        raise UsageError(f"the declaration {path} cannot be read: {error}") from None
    check_document(document, f"the declaration {path}")
    return document


def _expanded(
    declaration: Declaration, gpus: tuple[str, ...]
) -> dict[tuple[str, ...], list[KernelSpec]]:
    expansion = expand(declaration, arch_specs())
    if expansion.errors:
        more = f" (and {len(expansion.errors) - 1} more)" if len(expansion.errors) > 1 else ""
        # There is but one entry on a command line.
        raise UsageError(expansion.errors[0].replace(f"{_WORDS}, entry 1", _WORDS) + more)
    wanted: dict[tuple[str, ...], list[KernelSpec]] = {}
    for kernel in expansion.kernels:
        legal = tuple(gpu for gpu in gpus if gpu in kernel.gpus)
        if legal:
            wanted.setdefault(legal, []).append(kernel.spec)
    if not wanted:
        # Its sentence is the only one that is read, and has to say what would be legal.
        first = expansion.kernels[0]
        why = why_not(declaration.family, first.spec, Target.of(arch_specs(), gpus[0]))
        raise UsageError(
            f"no kernel of {declaration.source} is legal on {', '.join(gpus)}; {first.name}: "
            f"{why or first.refused[gpus[0]]}"
        )
    return wanted
