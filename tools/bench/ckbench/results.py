# SPDX-License-Identifier: MIT
"""Everything that was measured, and its form as one JSON object."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ckbench.clone import CloneBuild
from ckbench.compilation import Comparison, Compilation, Side
from ckbench.edit import Rebuild
from ckbench.execution_log import Spawn, by_mnemonic
from ckbench.families import GEMM, Family
from ckbench.generation import Generation
from ckbench.process import Seconds


@dataclass(frozen=True)
class Machine:
    """Where the figures come from. ``load`` is the load average when the benchmark started."""

    arch: str
    cpus: int
    load: float

    @classmethod
    def this(cls) -> Machine:
        """The machine that this program runs on."""
        return cls(platform.machine(), len(os.sched_getaffinity(0)), round(os.getloadavg()[0], 2))


@dataclass(frozen=True)
class Results:
    """The measurements; what was not asked for is None. ``generations`` has one for each repeat."""

    machine: Machine
    gpu: str
    family: Family = GEMM
    generations: tuple[Generation, ...] | None = None
    compilation: Compilation | None = None
    noop: tuple[float, ...] | None = None
    rebuild: Rebuild | None = None
    clone: CloneBuild | None = None

    def to_json(self) -> dict[str, Any]:
        """The headline figures first, then how they came about."""
        generation = max(self.generations, key=lambda one: one.per_s) if self.generations else None
        return {
            "generate_per_s": round(generation.per_s, 1) if generation else None,
            "compile_ratio": round(self.compilation.ratio(), 3) if self.compilation else None,
            "noop_s": round(min(self.noop), 3) if self.noop else None,
            "edit_actions": len(self.rebuild.spawns) if self.rebuild else None,
            "second_clone_compiles": self.clone.compiles if self.clone else None,
            "gpu": self.gpu,
            "family": self.family.name,
            "target": self.family.set_target,
            "machine": asdict(self.machine),
            "generate": _generation(generation) if generation else None,
            "compile": _compilation(self.compilation) if self.compilation else None,
            "noop": {"seconds": [round(s, 3) for s in self.noop]} if self.noop else None,
            "edit": _rebuild(self.rebuild) if self.rebuild else None,
            "clone": _clone(self.clone) if self.clone else None,
        }

    def faults(self) -> list[str]:
        """What no machine, however slow, explains; one sentence each."""
        sentences = []
        if self.rebuild and self.rebuild.unrelated:
            labels = sorted({spawn.target for spawn in self.rebuild.unrelated})
            sentences.append(
                f"Editing {self.rebuild.edit.new_kernel} rebuilt other targets too: "
                f"{', '.join(labels)}."
            )
        if self.clone and self.clone.compiles:
            sentences.append(f"The second clone compiled {self.clone.compiles} kernels again.")
        if self.clone and self.clone.different:
            sentences.append(
                "These libraries of the second clone differ from the first one's: "
                f"{', '.join(self.clone.different)}."
            )
        return sentences


def _generation(generation: Generation) -> dict[str, Any]:
    return {
        "kernels": generation.kernels,
        "rejected": generation.rejected,
        "per_wall_s": round(generation.per_wall_s, 1),
        "expand": _seconds(generation.expand),
        "write": _seconds(generation.write),
    }


def _compilation(compilation: Compilation) -> dict[str, Any]:
    ours = sum((kernel.ours.total for kernel in compilation.kernels), Seconds(0.0, 0.0))
    theirs = sum((kernel.theirs.total for kernel in compilation.kernels), Seconds(0.0, 0.0))
    count = len(compilation.kernels)
    shipped = compilation.ratio_to_shipped()
    return {
        "ours_cpu_s_per_kernel": round(ours.cpu / count, 2),
        "theirs_cpu_s_per_kernel": round(theirs.cpu / count, 2),
        "precompile_s": round(compilation.precompile.cpu, 2),
        "precompile_shared_by": compilation.shared_by,
        "wall_ratio": round(ours.wall / theirs.wall, 3),
        "ratio_to_shipped_headers": None if shipped is None else round(shipped, 3),
        "compiler": compilation.compiler,
        "toolchain_digest": compilation.digest,
        "kernels": [_comparison(kernel) for kernel in compilation.kernels],
    }


def _comparison(kernel: Comparison) -> dict[str, Any]:
    return {
        "name": kernel.name,
        "ratio": round(kernel.ours.total.cpu / kernel.theirs.total.cpu, 3),
        "ours": _side(kernel.ours),
        "theirs": _side(kernel.theirs),
        "theirs_with_shipped_headers": _side(kernel.shipped) if kernel.shipped else None,
    }


def _side(side: Side) -> dict[str, Any]:
    steps = {name: _seconds(seconds) for name, seconds in side.steps.items()}
    return {**_seconds(side.total), "steps": steps}


def _rebuild(rebuild: Rebuild) -> dict[str, Any]:
    edit = rebuild.edit
    return {
        "entry": edit.entry,
        "field": "pad",
        "before": edit.before,
        "after": list(edit.after),
        "old_kernel": edit.old_kernel,
        "new_kernel": edit.new_kernel,
        "targets": sorted({spawn.target for spawn in rebuild.spawns}),
        "unrelated": [f"{spawn.mnemonic} {spawn.target}" for spawn in rebuild.unrelated],
        **_counts(rebuild.spawns),
    }


def _clone(clone: CloneBuild) -> dict[str, Any]:
    return {
        "libraries": clone.libraries,
        "byte_identical": not clone.different,
        "different": list(clone.different),
        **_counts(clone.spawns),
    }


def _counts(spawns: Sequence[Spawn]) -> Mapping[str, Any]:
    return {
        "executed": by_mnemonic(spawn for spawn in spawns if not spawn.cached),
        "from_cache": by_mnemonic(spawn for spawn in spawns if spawn.cached),
    }


def _seconds(seconds: Seconds) -> dict[str, float]:
    return {"cpu_s": round(seconds.cpu, 2), "wall_s": round(seconds.wall, 2)}
