# SPDX-License-Identifier: MIT
"""``build``: compiles kernels into the cache."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ckdispatch import device_list, jit
from ckdispatch.cli.config_options import add_config_options
from ckdispatch.cli.exits import ExitCode
from ckdispatch.cli.options import Commands, add_command, whole
from ckdispatch.cli.report import Block, Column, Report, Table, size
from ckdispatch.user_files import check_writable
from ckdispatch.wording import several

if TYPE_CHECKING:
    from ckdispatch.jit import BuildResult, ProgressEvent
    from ckdispatch.jit.progress import Listener
    from ckdispatch.jit.result import Step

_STEP_COLUMNS = (
    Column("kernel", whole=False),
    Column("step", whole=False),
    Column("seconds", right=True),
    Column("of processors", right=True),
    Column("most memory", right=True),
)
_COLUMNS = (
    Column("kernel", whole=False),
    Column("result"),
    Column("seconds", right=True),
    Column("compiler log", whole=False),
)


def add_to(commands: Commands) -> None:
    """The parser of the command."""
    parser = add_command(
        commands,
        "build",
        run,
        "compile kernels, unless the cache has them",
        "With CKDISPATCH_JIT=0 nothing is compiled: only what the cache has is found.\n\n"
        "Examples:\n  ckdispatch build my_kernels.json --gpu gfx942 --jobs 8\n"
        "  ckdispatch build --dtype fp16 --layout rcr --tile 64x64x64 --waves 2x2x1"
        " --warp-tile 32x32x16 --pipeline compv3 --pad mnk",
    )
    parser.add_argument("declaration", nargs="?", metavar="DECLARATION", help="a kernel set (JSON)")
    parser.add_argument(
        "--kernel",
        action="append",
        default=[],
        metavar="NAME",
        help="build the kernel of this name; repeat for more",
    )
    parser.add_argument(
        "--gpu",
        metavar="GPU[,GPU]",
        help="what to build for; by default this machine's GPU, or gfx942 where there is none",
    )
    parser.add_argument(
        "--jobs",
        type=whole(1),
        metavar="N",
        help="kernels to compile at a time; by default as many as processors and memory allow",
    )
    parser.add_argument(
        "--times", action="store_true", help="tell what each step of each kernel took"
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    parser.add_argument(
        "--save", type=Path, metavar="FILE", help="write a list of the kernels, for --kernels"
    )
    add_config_options(parser)


def run(options: argparse.Namespace) -> Report:
    """What became of each kernel."""
    from ckdispatch.cli.declarations import asked
    from ckdispatch.jit.progress import listening

    options.gpu = options.gpu or device_list.default_gpu()
    if options.save is not None:
        check_writable(options.save, "--save")
    wanted = asked(options)
    results: list[BuildResult] = []
    headers: list[ProgressEvent] = []
    for gpus, specs in wanted.kernels.items():
        with listening(not options.quiet) as shown:
            results += jit.build(
                specs, gpus, max_workers=options.jobs, progress=_noting(headers, shown)
            )
    # Looking into libraries takes the registry, which is not loaded just to tell of options.
    from ckdispatch.cli.built import refuse_spills, save

    if wanted.forbid_spills:
        results = refuse_spills(results)
    if options.save is not None:
        save(results, options.save)
    failed = sum(not result.ok for result in results)
    return Report(
        {
            "gpus": list(wanted.gpus),
            "kernels": [_document(result) for result in results],
            "headers": [
                {"family": one.name, **_took(one.step)} for one in headers if one.step is not None
            ],
        },
        _blocks(results) + (_steps(results, headers) if options.times else ()),
        ExitCode.FAILED if failed else ExitCode.OK,
        f"not built: {failed} of {several(len(results), 'kernel')}" if failed else "",
    )


def _noting(headers: list[ProgressEvent], shown: Listener) -> Listener:
    """Shows events, and keeps those of headers, which are of no kernel's result."""

    def listener(event: ProgressEvent) -> None:
        if event.step is not None:
            headers.append(event)
        shown(event)

    return listener


def _outcome(result: BuildResult) -> str:
    if not result.ok:
        return "failed"
    return "cached" if result.cached else "built"


def _document(result: BuildResult) -> dict[str, Any]:
    return {
        "name": result.name,
        "result": _outcome(result),
        "seconds": round(result.seconds, 3),
        "steps": [_took(step) for step in result.steps],
        "library": None if result.library is None else str(result.library),
        "sha256": result.sha256,
        "log": None if result.log is None else str(result.log),
        "error": result.error,
    }


def _took(step: Step) -> dict[str, Any]:
    return {
        "name": step.name,
        "seconds": round(step.seconds, 3),
        "processor_seconds": round(step.processor_seconds, 3),
        "memory_bytes": step.memory,
    }


def _blocks(results: list[BuildResult]) -> tuple[Block, ...]:
    rows = tuple(
        (
            result.name,
            _outcome(result),
            f"{result.seconds:.1f}",
            str(result.log) if result.log is not None and not result.ok else "-",
        )
        for result in results
    )
    outcomes = [_outcome(result) for result in results]
    total = ", ".join(f"{outcomes.count(word)} {word}" for word in ("built", "cached", "failed"))
    errors = [result.error for result in results if result.error]
    return (Table(_COLUMNS, rows), *errors, f"{several(len(results), 'kernel')}: {total}.")


def _steps(results: list[BuildResult], headers: list[ProgressEvent]) -> tuple[Block, ...]:
    """What the programs took that were run for each kernel, and for the headers that those of a
    family share.
    """
    steps = [(result.name, step) for result in results for step in result.steps]
    steps += [(f"headers of {one.name}", one.step) for one in headers if one.step is not None]
    rows = tuple(
        (name, step.name, f"{step.seconds:.1f}", f"{step.processor_seconds:.1f}", size(step.memory))
        for name, step in steps
    )
    return (
        (Table(_STEP_COLUMNS, rows),)
        if rows
        else ("No program was run: every kernel was in the cache.",)
    )
