# SPDX-License-Identifier: MIT
"""What a kernel costs to compile, against the same kernel as a program of CK's writes it.

Both are compiled side by side by the build's own command lines, each in a folder laid out like
Bazel's execution root, so that the two differ in their source and in nothing else that matters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ckarch import ArchSpecs
from ckfetch import wheelhouse
from ckgen.core.generate import render_kernel
from ckgen.core.spec import KernelSpec
from ckgen.families import FAMILIES

from ckbench.bazel import Workspace
from ckbench.command_lines import (
    PRECOMPILE,
    Step,
    aquery_expression,
    as_plain_ck,
    parse_precompile,
    parse_steps,
    precompile_expression,
    precompiled_file,
    renamed,
    value_after,
    value_of,
    with_ck_headers,
)
from ckbench.kernel_set import Sampled
from ckbench.process import Seconds, run, run_timed
from ckbench.rival import Rival
from ckbench.shipped_headers import unpack_shipped_headers


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

    def and_step(self, name: str, seconds: Seconds) -> Side:
        """The same with another step before the others."""
        return Side({name: seconds, **self.steps})


@dataclass(frozen=True)
class Comparison:
    """One kernel, written in both ways.

    ``ours`` has this kernel's share of the precompiled headers as a step.
    ``shipped`` is theirs with CK's headers as they are shipped in the device pass, if those are at
    hand. The host pass cannot use them: they show GPU assembly to the host's compiler.
    """

    name: str
    ours: Side
    theirs: Side
    shipped: Side | None


@dataclass(frozen=True)
class Compilation:
    """All compared kernels, and the compiler.

    ``precompile`` is what the headers took that ``shared_by`` kernels of the set share.
    """

    kernels: tuple[Comparison, ...]
    precompile: Seconds
    shared_by: int
    compiler: str
    digest: str

    def ratio(self) -> float:
        """Our processor seconds for all kernels together, divided by theirs."""
        return self._ours() / sum(kernel.theirs.total.cpu for kernel in self.kernels)

    def ratio_to_shipped(self) -> float | None:
        """The same against theirs with CK's headers as they are shipped."""
        shipped = [kernel.shipped.total.cpu for kernel in self.kernels if kernel.shipped]
        return self._ours() / sum(shipped) if len(shipped) == len(self.kernels) else None

    def _ours(self) -> float:
        return sum(kernel.ours.total.cpu for kernel in self.kernels)


def measure_compilation(
    workspace: Workspace,
    rival: Rival,
    sampled: Sequence[Sampled],
    shared_by: int,
    arch: ArchSpecs,
    repeat: int,
    folder: Path,
    progress: Callable[[str], None],
) -> Compilation:
    """Compile each of ``sampled`` in both ways, in turns, ``repeat`` times.

    Each of them bears the ``shared_by``-th part of precompiling the headers.
    """
    lock = workspace.root / "third_party" / "composable_kernel" / "composable_kernel.lock"
    shipped = unpack_shipped_headers(lock, wheelhouse.cache_folder(), rival, folder / "shipped")
    place = folder / "precompiled"
    precompiled, seconds = _precompile(workspace, _target(sampled[0].like), place, repeat, progress)
    kernels: list[Comparison] = []
    steps: tuple[Step, ...] = ()
    for number, item in enumerate(sampled, start=1):
        spec = item.spec
        steps = parse_steps(workspace.actions(aquery_expression(_target(item.like))))
        steps = tuple(renamed(step, item.like.name, spec.name) for step in steps)
        ours = folder / str(number) / "ours"
        theirs = folder / str(number) / "theirs"
        for root in (ours, theirs):
            _lay_out(root, workspace, steps)
        source = value_after(steps[0].arguments, "-c")
        text = render_kernel(FAMILIES[spec.family], spec, arch)
        (ours / source).write_text(text, encoding="utf-8")
        rival.write_source(spec, theirs / source)
        (ours / precompiled_file(steps[0])).symlink_to(precompiled)
        plain = as_plain_ck(steps, rival.flags)
        variants = [_Variant("ours", ours, steps), _Variant(f"{rival.name} style", theirs, plain)]
        if shipped is not None:
            device = with_ck_headers(plain[0], str(shipped))
            variants.append(_Variant(f"{rival.name} style, shipped headers", theirs, (device,)))
        share = seconds / shared_by
        kernels.append(_compare(spec.name, variants, share, repeat, progress))
    return Compilation(
        tuple(kernels),
        seconds,
        shared_by,
        _compiler_version(folder / "1" / "ours", steps[0]),
        steps[0].environment["CK_TOOLCHAIN_DIGEST"],
    )


@dataclass(frozen=True)
class _Variant:
    """One way to make the kernel's library: commands, and the folder to run them in."""

    title: str
    root: Path
    steps: Sequence[Step]


def _target(spec: KernelSpec) -> str:
    return f"//kernels:{spec.name}"


def _precompile(
    workspace: Workspace, target: str, root: Path, repeat: int, progress: Callable[[str], None]
) -> tuple[Path, Seconds]:
    """Precompile the headers of the family of ``target``; returns them, and the fastest turn."""
    compile_device = parse_steps(workspace.actions(aquery_expression(target)))[0]
    step = parse_precompile(workspace.actions(precompile_expression(target)), compile_device)
    file = root / value_after(step.arguments, "-o")
    file.parent.mkdir(parents=True)
    _link_sources(root, workspace)
    turns: list[Seconds] = []
    for turn in range(repeat):
        turns.append(_run_step(step, root, "the family's headers"))
        progress(
            f"precompiled headers, turn {turn + 1} of {repeat}: {turns[-1].cpu:.1f} s of "
            f"processor time in {turns[-1].wall:.1f} s"
        )
    return file, min(turns, key=lambda seconds: seconds.cpu)


def _compare(
    name: str,
    variants: Sequence[_Variant],
    share: Seconds,
    repeat: int,
    progress: Callable[[str], None],
) -> Comparison:
    best: dict[str, Side] = {}
    for turn in range(repeat):
        # The order alternates, so that a machine that warms up or slows down favours no one.
        for variant in variants if turn % 2 == 0 else reversed(variants):
            steps = {step.mnemonic: _run_step(step, variant.root, name) for step in variant.steps}
            side, title = Side(steps), variant.title
            best[title] = side.fastest(best[title]) if title in best else side
            progress(
                f"{name}, {title}, turn {turn + 1} of {repeat}: {side.total.cpu:.1f} s of "
                f"processor time in {side.total.wall:.1f} s"
            )
    ours, theirs, *shipped = (best[variant.title] for variant in variants)
    merged = Side({**theirs.steps, **shipped[0].steps}) if shipped else None
    return Comparison(name, ours.and_step(PRECOMPILE, share), theirs, merged)


def _lay_out(root: Path, workspace: Workspace, steps: Sequence[Step]) -> None:
    """Make ``root`` look like an execution root in which only the generated files are missing."""
    compile_device, bundle, compile_host, link = (step.arguments for step in steps)
    written = [value_after(command, "-o") for command in (compile_device, compile_host, link)]
    resources = value_of(compile_host, "-DCK_KERNEL_RESOURCES=").strip('"')
    written.append(precompiled_file(steps[0]))
    for path in (*written, value_of(bundle, "-output="), resources):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
    # What the inspection of the code object would have put in; it is a few strings.
    (root / resources).write_text('"{}"\n', encoding="utf-8")
    _link_sources(root, workspace)


def _link_sources(root: Path, workspace: Workspace) -> None:
    (root / "external").symlink_to(workspace.external)
    for entry in workspace.root.iterdir():
        if entry.is_dir() and not entry.is_symlink() and not (root / entry.name).exists():
            (root / entry.name).symlink_to(entry)


def _run_step(step: Step, root: Path, name: str) -> Seconds:
    return run_timed(step.arguments, root, step.environment, f"{step.mnemonic} of {name} in {root}")


def _compiler_version(root: Path, step: Step) -> str:
    output = run([step.arguments[0], "--version"], root, step.environment, "clang --version")
    return output.splitlines()[0]
