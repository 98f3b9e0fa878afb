# SPDX-License-Identifier: MIT
"""Takes the measurements that were asked for, one after the other."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from ckarch import ArchSpecs
from ckgen.core.target import Target

from ckbench.bazel import Workspace
from ckbench.clone import measure_clone, second_clone
from ckbench.compilation import Compilation, measure_compilation
from ckbench.edit import measure_edit
from ckbench.errors import BenchError
from ckbench.generation import Generation, measure_generation
from ckbench.kernel_set import (
    SET_TARGET,
    declaration_file,
    fitting,
    load_arch,
    load_kernel_set,
    of_pipelines,
    sample,
)
from ckbench.options import Options
from ckbench.parts import Part
from ckbench.results import Machine, Results
from ckbench.scratch import remove_tree

_NOOP_TURNS = 5


def say(sentence: str) -> None:
    """Progress, on standard error."""
    print(f"build_bench: {sentence}", file=sys.stderr, flush=True)


def measure(options: Options, environment: Mapping[str, str], scratch: Path) -> Results:
    """Everything that ``options`` ask for; ``scratch`` is a folder to work in."""
    arch = load_arch(options.gpu)
    results = Results(Machine.this(), options.gpu, options.family)
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
        results = replace(
            results, noop=tuple(_build_seconds(workspace) for _ in range(_NOOP_TURNS))
        )
    if options.parts & {Part.EDIT, Part.CLONE}:
        results = _clone_and_edit(options, arch, workspace, scratch, results)
    if Part.COMPILE in options.parts:
        results = replace(
            results, compilation=compile_in_both_ways(options, arch, workspace, scratch)
        )
    return results


def compile_in_both_ways(
    options: Options, arch: ArchSpecs, workspace: Workspace, scratch: Path
) -> Compilation:
    """Choose kernels of the family's set that its rival writes too, and compile them."""
    family = options.family
    declaration = declaration_file(workspace.root, family.declaration)
    kernels = load_kernel_set(declaration, arch, options.gpu, family.set_name)
    rival = family.find_rival(workspace.files_of(family.rival_target), options.gpu)
    of_both = [spec for spec in kernels.specs if rival.writes(spec)]
    if not of_both:
        raise BenchError(
            f"{rival.name} writes none of the {len(kernels.specs)} kernels of {family.set_target} "
            f"for {options.gpu}, "
            "so that there is nothing to compare; give another --gpu."
        )
    chosen = sample(fitting(of_both, options.matching), options.kernels, family.sampled_by)
    with_others = family.and_others(chosen, Target.of(arch, options.gpu))
    sampled = of_pipelines(
        [one for one in with_others if fnmatchcase(one.spec.name, options.matching)],
        options.pipelines,
    )
    say(f"compiling {len(sampled)} kernels {options.repeat} times in two ways, one at a time")
    shared_by = len(kernels.specs)
    return measure_compilation(
        workspace, rival, sampled, shared_by, arch, options.repeat, scratch / "compile", say
    )


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
