# SPDX-License-Identifier: MIT
"""What a kernel costs to compile, against the same kernel in the style of CK's tile_engine.

Both are compiled side by side by the build's own command lines, each in a folder laid out like
Bazel's execution root, so that the two differ in their source and in nothing else that matters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from ckarch import ArchSpecs
from ckgen.core.generate import render_kernel
from ckgen.core.spec import KernelSpec
from ckgen.families import FAMILIES
from ckgen.gemm.spec import GemmSpec

from ckbench import tile_engine
from ckbench.bazel import Workspace
from ckbench.command_lines import (
    Step,
    aquery_expression,
    as_plain_ck,
    parse_steps,
    value_after,
    value_of,
)
from ckbench.process import Seconds, run, run_timed


@dataclass(frozen=True)
class Side:
    """One way to write a kernel: the seconds of each step, fastest of all repeats."""

    steps: Mapping[str, Seconds]

    @property
    def total(self) -> Seconds:
        """All steps together."""
        return sum(self.steps.values(), Seconds(0.0, 0.0))

    def fastest(self, other: Side) -> Side:
        """Step by step the one that took less of the processor."""
        return Side(
            {
                name: min(seconds, other.steps[name], key=lambda s: s.cpu)
                for name, seconds in self.steps.items()
            }
        )


@dataclass(frozen=True)
class Comparison:
    """One kernel, written in both ways."""

    name: str
    ours: Side
    theirs: Side


@dataclass(frozen=True)
class Compilation:
    """All compared kernels, and the compiler."""

    kernels: tuple[Comparison, ...]
    compiler: str
    digest: str

    def ratio(self) -> float:
        """Our processor seconds for all kernels together, divided by theirs."""
        ours = sum(kernel.ours.total.cpu for kernel in self.kernels)
        return ours / sum(kernel.theirs.total.cpu for kernel in self.kernels)


def measure_compilation(
    workspace: Workspace,
    specs: Sequence[KernelSpec],
    arch: ArchSpecs,
    repeat: int,
    folder: Path,
    progress: Callable[[str], None],
) -> Compilation:
    """Compile each of ``specs`` in both ways, in turns, ``repeat`` times."""
    builder = tile_engine.find_builder(workspace.files_of(tile_engine.TARGET))
    kernels: list[Comparison] = []
    steps: tuple[Step, ...] = ()
    for number, spec in enumerate(specs, start=1):
        steps = parse_steps(workspace.actions(aquery_expression(f"//kernels:{spec.name}")))
        ours = folder / str(number) / "ours"
        theirs = folder / str(number) / "theirs"
        for root in (ours, theirs):
            _lay_out(root, workspace, steps)
        source = value_after(steps[0].arguments, "-c")
        text = render_kernel(FAMILIES[spec.family], spec, arch)
        (ours / source).write_text(text, encoding="utf-8")
        tile_engine.write_source(builder, cast(GemmSpec, spec), workspace.gpu, theirs / source)
        kernels.append(_compare(spec.name, steps, ours, theirs, repeat, progress))
    return Compilation(
        tuple(kernels),
        _compiler_version(folder / "1" / "ours", steps[0]),
        steps[0].environment["CK_TOOLCHAIN_DIGEST"],
    )


def _compare(
    name: str,
    steps: Sequence[Step],
    ours: Path,
    theirs: Path,
    repeat: int,
    progress: Callable[[str], None],
) -> Comparison:
    best: dict[Path, Side] = {}
    sides = [("ours", ours, tuple(steps)), ("tile_engine style", theirs, as_plain_ck(steps))]
    for turn in range(repeat):
        # The order alternates, so that a machine that warms up or slows down favours neither.
        for title, root, commands in sides if turn % 2 == 0 else reversed(sides):
            side = Side({step.mnemonic: _run_step(step, root, name) for step in commands})
            best[root] = side.fastest(best[root]) if root in best else side
            total = side.total
            progress(
                f"{name}, {title}, turn {turn + 1} of {repeat}: {total.cpu:.1f} s of processor "
                f"time in {total.wall:.1f} s"
            )
    return Comparison(name, best[ours], best[theirs])


def _lay_out(root: Path, workspace: Workspace, steps: Sequence[Step]) -> None:
    """Make ``root`` look like an execution root in which only the generated files are missing."""
    compile_device, bundle, compile_host, link = (step.arguments for step in steps)
    written = [value_after(command, "-o") for command in (compile_device, compile_host, link)]
    resources = value_of(compile_host, "-DCK_KERNEL_RESOURCES=").strip('"')
    for path in (*written, value_of(bundle, "-output="), resources):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
    # What the inspection of the code object would have put in; it is a few strings.
    (root / resources).write_text('"{}"\n', encoding="utf-8")
    (root / "external").symlink_to(workspace.external)
    for entry in workspace.root.iterdir():
        if entry.is_dir() and not entry.is_symlink() and not (root / entry.name).exists():
            (root / entry.name).symlink_to(entry)


def _run_step(step: Step, root: Path, name: str) -> Seconds:
    return run_timed(step.arguments, root, step.environment, f"{step.mnemonic} of {name} in {root}")


def _compiler_version(root: Path, step: Step) -> str:
    output = run([step.arguments[0], "--version"], root, step.environment, "clang --version")
    return output.splitlines()[0]
