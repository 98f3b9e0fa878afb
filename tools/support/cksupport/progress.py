# SPDX-License-Identifier: MIT
"""What is shown while a sweep goes on: a bar on a terminal, and lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ckgen.core.spec import KernelSpec

from cksupport.sweep import Told
from cksupport.verdicts import Outcome, Verdict


@contextmanager
def showing(count: int, *, quiet: bool) -> Iterator[Told]:
    """A function that shows each result as it comes. It prints to standard error."""
    if quiet:
        yield lambda gpu, spec, outcome: None
    elif sys.stderr.isatty():
        with _bar(count) as told:
            yield told
    else:
        yield _lines(count)


def _lines(count: int) -> Told:
    done = 0

    def told(gpu: str, spec: KernelSpec, outcome: Outcome) -> None:
        nonlocal done
        done += 1
        print(f"[{done}/{count}] {_sentence(gpu, spec, outcome)}", file=sys.stderr, flush=True)

    return told


@contextmanager
def _bar(count: int) -> Iterator[Told]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    now = TextColumn("{task.description}")
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), now)
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task("", total=count)

        def told(gpu: str, spec: KernelSpec, outcome: Outcome) -> None:
            progress.update(task, advance=1, description=f"{gpu} {spec.name}")
            if outcome.verdict not in (Verdict.RIGHT, Verdict.COMPILED):
                progress.console.print(_sentence(gpu, spec, outcome), markup=False, highlight=False)

        yield told


def _sentence(gpu: str, spec: KernelSpec, outcome: Outcome) -> str:
    why = f": {outcome.why}" if outcome.why else ""
    return f"{gpu} {spec.name}: {outcome.verdict.value}{why}"
