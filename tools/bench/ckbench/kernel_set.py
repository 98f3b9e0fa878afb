# SPDX-License-Identifier: MIT
"""The kernel set that the benchmark works on, as the generator sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import ckarch
from ckarch import ArchSpecs
from ckgen.core import codec
from ckgen.core.declaration import parse_declaration
from ckgen.core.expand import expand
from ckgen.core.spec import KernelSpec
from ckgen.families import FAMILIES

from ckbench.errors import BenchError

SET_NAME = "gemm_fp16_rcr_all"
SET_TARGET = f"//kernels:{SET_NAME}"

_Item = TypeVar("_Item")


@dataclass(frozen=True)
class KernelSet:
    """A declaration's JSON and its kernels that are legal on one GPU, in declared order."""

    data: Mapping[str, Any]
    specs: tuple[KernelSpec, ...]


def declaration_file(workspace: Path) -> Path:
    """Where ``workspace`` declares the set."""
    return workspace / "kernels" / f"{SET_NAME}.json"


def load_arch(gpu: str) -> ArchSpecs:
    """What is known about GPUs; an unknown ``gpu`` is a ``BenchError``."""
    arch = ckarch.load_specs()
    if gpu not in arch.gpus:
        raise BenchError(
            f"--gpu asks for {gpu!r}, which is not known; known GPUs are {', '.join(arch.gpus)}."
        )
    return arch


def load_kernel_set(path: Path, arch: ArchSpecs, gpu: str) -> KernelSet:
    """The set declared in ``path``."""
    data = codec.load_json(path)
    if not isinstance(data, dict):
        raise BenchError(f"{path} holds no kernel set; it must hold a JSON object.")
    return make_kernel_set(data, arch, gpu)


def make_kernel_set(data: Mapping[str, Any], arch: ArchSpecs, gpu: str) -> KernelSet:
    """The set that ``data`` declares; an entry that is legal nowhere is a ``BenchError``."""
    declaration = parse_declaration(dict(data), FAMILIES, arch.gpus, SET_NAME)
    expansion = expand(declaration, arch)
    if expansion.errors:
        raise BenchError(expansion.errors[0])
    return KernelSet(data, tuple(k.spec for k in expansion.kernels if gpu in k.gpus))


def sample(specs: Sequence[KernelSpec], count: int) -> list[KernelSpec]:
    """``count`` kernels of each pipeline, which decides more than anything else how long one compiles."""
    by_pipeline: dict[str, list[KernelSpec]] = {}
    for spec in specs:
        by_pipeline.setdefault(str(spec.to_json()["pipeline"]), []).append(spec)
    return [spec for members in by_pipeline.values() for spec in spread(members, count)]


def spread(items: Sequence[_Item], count: int) -> list[_Item]:
    """``count`` of ``items``, or all if there are fewer, evenly spread over their order."""
    count = min(count, len(items))
    return [items[(2 * i + 1) * len(items) // (2 * count)] for i in range(count)]
