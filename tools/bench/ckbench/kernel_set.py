# SPDX-License-Identifier: MIT
"""The kernel sets that the benchmark works on, as the generator sees them, and the kernels of them
that are compiled.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TypeVar, cast

import ckarch
from ckarch import ArchSpecs
from ckgen.core import codec
from ckgen.core.declaration import parse_declaration
from ckgen.core.expand import expand
from ckgen.core.nearest import nearest_legal
from ckgen.core.sets import named_sets, restrict
from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target
from ckgen.families import FAMILIES
from ckgen.gemm.spec import GemmSpec, Variant
from ckgen.product.geometry import wave_layouts
from ckgen.product.pipelines import PIPELINE_CLASSES
from ckgen.product.spec import Epilogue, Pipeline, Scheduler

from ckbench.errors import BenchError

SET_NAME = "gemm_fp16_rcr_all"
SET_TARGET = f"//kernels:{SET_NAME}"
DECLARATION = "gemm_16bit.json"
"""The set that is generated, built, edited and cloned."""

_Item = TypeVar("_Item")


@dataclass(frozen=True)
class KernelSet:
    """A declaration's JSON and its kernels that are legal on one GPU, in declared order."""

    data: Mapping[str, Any]
    specs: tuple[KernelSpec, ...]


def declaration_file(workspace: Path, declaration: str = DECLARATION) -> Path:
    """Where ``workspace`` declares a set."""
    return workspace / "kernels" / declaration


def load_arch(gpu: str) -> ArchSpecs:
    """What is known about GPUs; an unknown ``gpu`` is a ``BenchError``."""
    arch = ckarch.load_specs()
    if gpu not in arch.gpus:
        raise BenchError(
            f"--gpu asks for {gpu!r}, which is not known; known GPUs are {', '.join(arch.gpus)}."
        )
    return arch


def load_kernel_set(path: Path, arch: ArchSpecs, gpu: str, name: str = SET_NAME) -> KernelSet:
    """The set ``name``, declared in ``path``."""
    data = codec.load_json(path)
    if not isinstance(data, dict):
        raise BenchError(f"{path} holds no kernel set; it must hold a JSON object.")
    return make_kernel_set(data, arch, gpu, name)


def make_kernel_set(
    data: Mapping[str, Any], arch: ArchSpecs, gpu: str, name: str = SET_NAME
) -> KernelSet:
    """The set ``name`` that ``data`` declares;
    an entry that is legal nowhere is a ``BenchError``.
    """
    declaration = parse_declaration(dict(data), FAMILIES, arch.gpus, name)
    sets = {one.name: one for one in named_sets(declaration, name)}
    expansion = expand(restrict(declaration, sets[name]), arch)
    if expansion.errors:
        raise BenchError(expansion.errors[0])
    return KernelSet(data, tuple(k.spec for k in expansion.kernels if gpu in k.gpus))


@dataclass(frozen=True)
class Sampled:
    """A kernel to compile, and the one of the set whose commands the build has for it."""

    spec: KernelSpec
    like: KernelSpec


def fitting(specs: Iterable[KernelSpec], pattern: str) -> list[KernelSpec]:
    """Those whose names fit ``pattern``; none is a ``BenchError``."""
    specs = list(specs)
    found = [spec for spec in specs if fnmatchcase(spec.name, pattern)]
    if not found:
        raise BenchError(
            f"--matching asks for {pattern}, which is none of the {len(specs)} kernels that can be "
            f"compiled in both ways; one of them is {specs[len(specs) // 2].name}."
        )
    return found


def sample(specs: Sequence[KernelSpec], count: int, by: Sequence[str]) -> list[Sampled]:
    """``count`` kernels of each combination of the fields ``by``.

    They are those that decide more than anything else how long a kernel compiles.
    """
    groups: dict[tuple[str, ...], list[KernelSpec]] = {}
    for spec in specs:
        fields = spec.to_json()
        groups.setdefault(tuple(str(fields[name]) for name in by), []).append(spec)
    chosen = [spec for members in groups.values() for spec in spread(members, count)]
    return [Sampled(spec, spec) for spec in chosen]


def with_other_pipelines(sampled: Sequence[Sampled], target: Target) -> list[Sampled]:
    """``sampled``, and one kernel of each pipeline of the GPU that the set has none of.

    It is as near to one of ``sampled`` as is legal with that pipeline.
    """
    specs = [cast(GemmSpec, item.spec) for item in sampled]
    present = {spec.pipeline for spec in specs}
    added: list[Sampled] = []
    for pipeline in PIPELINE_CLASSES:
        changed = ((_of_pipeline(spec, pipeline, target), spec) for spec in specs)
        legal = (Sampled(spec, like) for spec, like in changed if spec is not None)
        if pipeline not in present and (found := next(legal, None)):
            added.append(found)
    return [*sampled, *added]


def of_pipelines(sampled: Sequence[Sampled], pipelines: Collection[str]) -> list[Sampled]:
    """Those of ``sampled`` that have one of ``pipelines``; none is a ``BenchError``."""
    of_them = [item for item in sampled if _pipeline(item.spec) in pipelines]
    if not of_them:
        asked = ", ".join(sorted(pipelines))
        there = ", ".join(sorted({_pipeline(item.spec) for item in sampled}))
        raise BenchError(
            f"--pipelines asks for {asked}, and the GPU has none of them; it has {there}."
        )
    return of_them


def _pipeline(spec: KernelSpec) -> str:
    return str(spec.to_json()["pipeline"])


def _of_pipeline(spec: GemmSpec, pipeline: Pipeline, target: Target) -> GemmSpec | None:
    changed = replace(spec, pipeline=pipeline)
    if pipeline is Pipeline.PRESHUFFLEV2:
        changed = replace(changed, variant=Variant.PRESHUFFLE, scheduler=Scheduler.DEFAULT)
    if PIPELINE_CLASSES[pipeline].takes_turns:
        (waves,) = wave_layouts(pipeline, target)
        changed = replace(changed, waves=waves, epilogue=Epilogue.DEFAULT)
    legal = nearest_legal(FAMILIES["gemm"], changed, target)
    if isinstance(legal, GemmSpec) and (legal.pipeline, legal.variant) == (
        pipeline,
        changed.variant,
    ):
        return legal
    return None


def spread(items: Sequence[_Item], count: int) -> list[_Item]:
    """``count`` of ``items``, or all if there are fewer, evenly spread over their order."""
    count = min(count, len(items))
    return [items[(2 * i + 1) * len(items) // (2 * count)] for i in range(count)]
