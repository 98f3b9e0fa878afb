# SPDX-License-Identifier: MIT
"""Takes the measurements that were asked for, one after the other."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ckarch import ArchSpecs
from ckgen.core.target import Target

from ckbench.bazel import Workspace
from ckbench.clone import measure_clone, second_clone
from ckbench.compilation import measure_compilation
from ckbench.edit import measure_edit
from ckbench.errors import BenchError
from ckbench.generation import Generation, measure_generation
from ckbench.kernel_set import (
    SET_TARGET,
    declaration_file,
    load_arch,
    load_kernel_set,
    of_pipelines,
    sample,
    with_other_pipelines,
)
from ckbench.options import Options, Part
from ckbench.results import Machine, Results
from ckbench.scratch import remove_tree

_NOOP_TURNS = 5


def say(sentence: str) -> None:
    """Progress, on standard error."""
    print(f"build_bench: {sentence}", file=sys.stderr, flush=True)


def measure(options: Options, environment: Mapping[str, str], scratch: Path) -> Results:
    """Everything that ``options`` ask for; ``scratch`` is a folder to work in."""
    arch = load_arch(options.gpu)
    results = Results(Machine.this(), options.gpu)
    if Part.GENERATE in options.parts:
        results = replace(results, generations=_generate(options, arch, scratch))
    if options.parts == {Part.GENERATE}:
        return results
    workspace = Workspace(_workspace_root(environment), options.gpu)
    if options.parts & {Part.NOOP, Part.EDIT, Part.CLONE}:
        say(f"bringing {SET_TARGET} up to date")
        workspace.build(SET_TARGET)
    if Part.NOOP in options.parts:
        say("building it again with nothing to do")
        workspace.build_quietly(SET_TARGET)
        results = replace(results, noop=tuple(_build_seconds(workspace) for _ in range(_NOOP_TURNS)))
    if options.parts & {Part.EDIT, Part.CLONE}:
        results = _clone_and_edit(options, arch, workspace, scratch, results)
    if Part.COMPILE in options.parts:
        kernels = load_kernel_set(declaration_file(workspace.root), arch, options.gpu)
        target = Target.of(arch, options.gpu)
        sampled = of_pipelines(
            with_other_pipelines(sample(kernels.specs, options.kernels), target), options.pipelines
        )
        say(f"compiling {len(sampled)} kernels {options.repeat} times in two ways, one at a time")
        folder = scratch / "compile"
        compilation = measure_compilation(
            workspace, sampled, len(kernels.specs), arch, options.repeat, folder, say
        )
        results = replace(results, compilation=compilation)
    return results


def _workspace_root(environment: Mapping[str, str]) -> Path:
    root = environment.get("BUILD_WORKSPACE_DIRECTORY")
    if not root:
        raise BenchError(
            "All parts but `generate` build with Bazel, which must have started this program; "
            "run ./bazelw run //tools/bench:build_bench."
        )
    return Path(root)


def _generate(options: Options, arch: ArchSpecs, scratch: Path) -> tuple[Generation, ...]:
    done: list[Generation] = []
    for turn in range(options.repeat):
        say(f"generating all legal kernels, turn {turn + 1} of {options.repeat}")
        folder = scratch / "sources"
        folder.mkdir()
        done.append(measure_generation(arch, options.gpu, folder))
        remove_tree(folder)
    return tuple(done)


def _build_seconds(workspace: Workspace) -> float:
    """How long it takes to build an up-to-date ``workspace`` with a warm server."""
    started = time.perf_counter()
    workspace.build_quietly(SET_TARGET)
    return time.perf_counter() - started


def _clone_and_edit(
    options: Options, arch: ArchSpecs, workspace: Workspace, scratch: Path, results: Results
) -> Results:
    say("building a second clone, with the first one's disk cache")
    with second_clone(workspace, scratch) as clone:
        built = measure_clone(workspace, clone, scratch)
        if Part.CLONE in options.parts:
            results = replace(results, clone=built)
        if Part.EDIT in options.parts:
            say("editing one entry of the declaration and building again")
            results = replace(results, rebuild=measure_edit(clone, arch, scratch))
    return results
