# SPDX-License-Identifier: MIT
"""Builds that nobody made: specs of declarations, with figures made up from their names, as
manifests, descriptions and libraries.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ckarch import load_specs
from ckdispatch.gemm.problem import GemmProblem
from ckdispatch.report.document import Content
from ckdispatch.report.grid import Axis, Grid
from ckdispatch.report.layers import Layer, Timed
from ckdispatch.report.manifests import Kernel, Manifest, read, together
from ckdispatch.report.times import Map, Picked
from ckdispatch.selection import Candidate
from ckgen.core.declaration import load_declaration
from ckgen.core.expand import expand
from ckgen.core.sets import named_sets, restrict
from ckgen.families import FAMILIES

REMARK = "All figures and times of this page are made up, for a test."

Spec = dict[str, Any]


def declared(paths: Iterable[Path]) -> dict[str, list[tuple[Spec, tuple[str, ...]]]]:
    """The sets of declarations: specs with the GPUs that they are legal on."""
    arch = load_specs()
    found: dict[str, list[tuple[Spec, tuple[str, ...]]]] = {}
    for path in paths:
        declaration = load_declaration(path, FAMILIES, arch.gpus, path.name)
        for one in named_sets(declaration, path.stem):
            kernels = expand(restrict(declaration, one), arch).kernels
            found[one.name] = [
                ({**kernel.spec.to_json(), "name": kernel.name}, tuple(kernel.gpus))
                for kernel in kernels
            ]
    return found


def more(
    specs: Sequence[tuple[Spec, tuple[str, ...]]], count: int
) -> list[tuple[Spec, tuple[str, ...]]]:
    """So many specs: those, and again under other names."""
    return [
        (
            {
                **specs[place % len(specs)][0],
                "name": f"{specs[place % len(specs)][0]['name']}_{place // len(specs)}",
            },
            specs[place % len(specs)][1],
        )
        for place in range(count)
    ]


def write_set(
    folder: Path, name: str, kernels: Iterable[tuple[Spec, Sequence[str]]], *, salt: str = ""
) -> Path:
    """A manifest in a folder, with descriptions and libraries beside it. Another ``salt`` is
    another compiler.
    """
    folder.mkdir(parents=True, exist_ok=True)
    entries = [_entry(folder, spec, gpus, salt) for spec, gpus in kernels]
    document = {
        "kernels": entries,
        "schema_version": 1,
        "set": name,
        "spilling": [one["name"] for one in entries if one["spills"]],
    }
    path = folder / f"{name}.manifest.json"
    path.write_text(json.dumps(document, indent=2))
    return path


def _entry(folder: Path, spec: Spec, gpus: Sequence[str], salt: str) -> dict[str, Any]:
    name = spec["name"]
    uses = {gpu: _use(name, gpu, salt) for gpu in gpus}
    described = json.dumps({"gpus": uses, "name": name, "schema_version": 1, "spec": spec}).encode()
    (folder / f"{name[:200]}.json").write_bytes(described)
    library = b"made up " * (4000 + _random(name, "", salt).randrange(6000))
    (folder / f"lib{name[:200]}.so").write_bytes(library)
    summary = {gpu: use["summary"] for gpu, use in uses.items()}
    return {
        "description_sha256": hashlib.sha256(described).hexdigest(),
        "gpus": list(gpus),
        "library": f"lib{name}.so",
        "library_sha256": hashlib.sha256(library).hexdigest(),
        "name": name,
        "path": f"lib{name[:200]}.so",
        "spec": spec,
        "spills": any(one["vgpr_spills"] for one in summary.values()),
        "summary": summary,
    }


def _random(*seed: str) -> random.Random:
    return random.Random("/".join(seed).encode(errors="backslashreplace"))


def _use(name: str, gpu: str, salt: str) -> dict[str, Any]:
    functions = {
        f"{name}__{part}": _function(name, gpu, part, salt)
        for part in ("cold_even", "cold_odd", "hot_full")
    }
    some = list(functions.values())
    summary = {
        field: max(one[field] for one in some)
        for field in ("vgprs", "agprs", "sgprs", "lds_bytes", "scratch_bytes")
    }
    summary |= {
        field: sum(one[field] for one in some)
        for field in ("vgpr_spills", "sgpr_spills", "code_bytes")
    }
    summary |= {
        "matrix_instructions": sum(one["instructions"]["matrix"] for one in some),
        "waves_per_simd": min(one["waves_per_simd"] for one in some),
    }
    digest = hashlib.sha256(json.dumps(functions).encode()).hexdigest()
    return {
        "code_object_bytes": summary["code_bytes"] + 9000,
        "functions": {},
        "kernels": functions,
        "sha256": digest,
        "summary": summary,
    }


def _function(name: str, gpu: str, part: str, salt: str) -> dict[str, Any]:
    drawn, other = _random(name, gpu, part), _random(name, gpu, part, salt)
    spills = drawn.randrange(1, 40) if drawn.random() < 0.01 else 0
    if salt and other.random() < 0.08:
        spills = other.randrange(1, 60)
    counts = {
        "matrix": drawn.choice((16, 32, 64, 64, 128)),
        "valu": drawn.randrange(200, 600),
        "salu": drawn.randrange(80, 220),
        "vmem": drawn.randrange(16, 60),
        "smem": drawn.randrange(4, 9),
        "lds": drawn.randrange(48, 180),
        "control": drawn.randrange(40, 90),
        "other": 0,
    }
    vgprs = drawn.randrange(64, 256)
    if salt and other.random() < 0.5:
        counts["valu"] += other.randrange(-60, 30)
        vgprs = max(32, vgprs + other.randrange(-24, 10))
    return {
        "agprs": drawn.choice((0, 32, 64)),
        "code_bytes": 6 * sum(counts.values()),
        "dynamic_stack": False,
        "instructions": {**counts, "total": sum(counts.values())},
        "kernarg_bytes": 64,
        "lds_bytes": drawn.choice((8192, 16384, 32768)),
        "matrix_mnemonics": {"v_mfma_f32_32x32x8_f16": counts["matrix"]},
        "max_workgroup_size": 256,
        "occupancy_limits": ["vgprs"],
        "scratch_bytes": 4 * spills,
        "sgpr_spills": 0,
        "sgprs": drawn.randrange(20, 60),
        "vgpr_spills": spills,
        "vgprs": vgprs,
        "wavefront_size": 64,
        "waves_per_simd": max(1, 512 // vgprs),
    }


@cache
def _luck(name: str) -> float:
    return _random(name).uniform(1.0, 1.2)


def _picked(kernels: Sequence[Kernel], m: int, n: int, k: int, words: str = "fp16 rcr") -> Picked:
    """Large tiles win large problems, by times that nobody predicted."""

    def microseconds(kernel: Kernel) -> float:
        tile_m, tile_n, _ = kernel.spec["tile"]
        rounds = -(-m // tile_m) * -(-n // tile_n)
        waste = 1 + 40 / tile_m + 40 / tile_n
        return float(
            3 + waste * -(-rounds // 304) * tile_m * tile_n * k * _luck(kernel.name) / 2.2e6
        )

    ways = sorted((microseconds(one), one.name) for one in kernels)[:2]
    candidates = [Candidate(name, us, "cost_model", 1, 0) for us, name in ways]
    return Picked(
        f"{m}x{n}x{k} {words}",
        2.0 * m * n * k,
        2.0 * (m * k + n * k + m * n),
        candidates[0],
        candidates[1] if len(ways) > 1 else None,
    )


def maps(
    kernels: Sequence[Kernel], gpus: Sequence[str], titles: Sequence[str] = ("fp16 rcr",)
) -> Iterator[Map]:
    """Maps with winners by size."""
    m = Axis("M", (1, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192))
    n = Axis("N", (64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384))
    k = Axis("K", (512, 2048, 8192))
    for gpu in gpus:
        some = [one for one in kernels if gpu in one.uses and "tile" in one.spec][:30]
        for title in titles:
            picks: list[Picked | None] = [
                _picked(some, i, j, each) for each in k.values for i in m.values for j in n.values
            ]
            picks[0] = None
            yield Map(gpu, "gemm", Grid(title, m, n, k, lambda *_: None), tuple(picks))  # type: ignore[arg-type]  # nobody draws its problems


def layers(kernels: Sequence[Kernel], gpu: str) -> Iterator[Layer]:
    """A list of layers, some of which were timed."""
    some = [one for one in kernels if gpu in one.uses and "tile" in one.spec][:30]
    for place, (m, n, k) in enumerate(
        [
            (4096, 4096, 4096),
            (1, 4096, 4096),
            (512, 14336, 4096),
            (512, 4096, 14336),
            (128, 6144, 4096),
            (1, 128256, 4096),
        ]
    ):
        picked = _picked(some, m, n, k)
        timed = (
            Timed(picked.first.kernel, picked.first.microseconds * (1.1 + 0.05 * place), "measured")
            if place % 2 == 0
            else None
        )
        yield Layer("made-up-llm", f"layer {place}", gpu, GemmProblem(m, n, k), picked, timed)


def content(
    manifests: Sequence[Path], before: Sequence[Path] = (), *, titles: Sequence[str] = ("fp16 rcr",)
) -> Content:
    """All that a page can have, made up."""
    found: list[Manifest] = [read(path) for path in manifests]
    kernels = together(found)
    gpus = sorted({gpu for one in kernels for gpu in one.uses})
    return Content(
        manifests=found,
        before=[read(path) for path in before],
        maps=tuple(maps(kernels, gpus[:2], titles)),
        layers=tuple(layers(kernels, gpus[0])),
        remarks=(REMARK,),
    )
