# SPDX-License-Identifier: MIT
"""Telling how a build goes on: to a callback, on a terminal, or as plain lines."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any, TextIO

from ckdispatch.jit.result import BuildResult, Step

if TYPE_CHECKING:
    from ckgen.core.spec import KernelSpec
    from rich.progress import Progress, TaskID


class Stage(Enum):
    """What happened."""

    BEGIN = "begin"
    STARTED = "started"
    STEP = "step"
    PRECOMPILED = "precompiled"
    FINISHED = "finished"
    END = "end"


@dataclass(frozen=True)
class ProgressEvent:
    """One thing that happened. ``name`` is the kernel; BEGIN and END are about the whole build.

    ``detail`` is the step that a kernel is at, and ``result`` what became of it. PRECOMPILED is
    about headers that kernels share, ``name`` is their family, and ``step`` what they took. Events
    arrive in the thread that called ``build``; an exception of the callback stops the build.
    """

    stage: Stage
    done: int
    total: int
    name: str = ""
    detail: str = ""
    result: BuildResult | None = None
    step: Step | None = None


Listener = Callable[[ProgressEvent], None]


class BuildProgress:
    """What became of each kernel so far. Used by the thread that called ``build`` alone."""

    def __init__(self, specs: Sequence[KernelSpec], listener: Listener) -> None:
        self.specs = tuple(dict.fromkeys(specs))
        self.results: dict[KernelSpec, BuildResult] = {}
        self._listener = listener
        self.tell(Stage.BEGIN)

    @property
    def open(self) -> list[KernelSpec]:
        """The specs without a result."""
        return [spec for spec in self.specs if spec not in self.results]

    def finish(self, spec: KernelSpec, result: BuildResult) -> None:
        """Note what became of ``spec``, and tell."""
        self.results[spec] = result
        self.tell(Stage.FINISHED, result.name, result=result)

    def tell(
        self,
        stage: Stage,
        name: str = "",
        detail: str = "",
        result: BuildResult | None = None,
        step: Step | None = None,
    ) -> None:
        """Tell the listener."""
        done, total = len(self.results), len(self.specs)
        self._listener(ProgressEvent(stage, done, total, name, detail, result, step))


@contextmanager
def listening(progress: bool | Listener) -> Iterator[Listener]:
    """The listener for the ``progress`` argument of ``build``."""
    if callable(progress):
        yield progress
    elif not progress:
        yield lambda event: None
    elif sys.stderr is not None and sys.stderr.isatty():
        with _Bars() as bars:
            yield bars
    else:
        yield partial(_print_line, sys.stderr)


def outcome(result: BuildResult) -> str:
    """A word or two about what became of a kernel."""
    if not result.ok:
        return f"failed: {result.error}"
    return "cached" if result.cached else f"built in {result.seconds:.1f} s"


def _print_line(stream: TextIO | None, event: ProgressEvent) -> None:
    """One line for each kernel that is done."""
    if event.stage is Stage.FINISHED and event.result is not None and stream is not None:
        print(
            f"[{event.done}/{event.total}] {event.name}: {outcome(event.result)}",
            file=stream,
            flush=True,
        )


class _Bars:
    """A bar for the whole build, and below it one line for each kernel that is being built."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        self._progress: Progress = Progress(
            SpinnerColumn(finished_text=" "),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[state]}", markup=False),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=False,
        )
        self._rows: dict[str, TaskID] = {}
        self._all: TaskID | None = None

    def __enter__(self) -> _Bars:
        self._progress.start()
        return self

    def __exit__(self, *_: Any) -> None:
        for row in self._rows.values():
            self._progress.remove_task(row)
        self._progress.stop()

    def __call__(self, event: ProgressEvent) -> None:
        if self._all is None:
            self._all = self._progress.add_task("Building kernels", total=event.total, state="")
        if event.stage is Stage.STARTED:
            self._rows[event.name] = self._progress.add_task(
                f"  {_short(event.name)}", total=None, state=event.detail
            )
        elif event.stage is Stage.STEP and event.name in self._rows:
            self._progress.update(self._rows[event.name], state=event.detail)
        elif event.stage is Stage.FINISHED:
            self._finish(event)
        self._progress.update(
            self._all, completed=event.done, total=event.total, state=f"{event.done}/{event.total}"
        )

    def _finish(self, event: ProgressEvent) -> None:
        row = self._rows.pop(event.name, None)
        if row is not None:
            self._progress.remove_task(row)
        if event.result is not None and not event.result.ok:
            self._progress.console.print(f"{event.name}: {outcome(event.result)}", markup=False)


def _short(name: str, width: int = 60) -> str:
    """The end of a long name tells kernels apart."""
    return name if len(name) <= width else f"…{name[1 - width :]}"
