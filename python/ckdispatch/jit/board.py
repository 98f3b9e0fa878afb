# SPDX-License-Identifier: MIT
"""The results of a build as they come in, for whoever listens."""

from __future__ import annotations

from collections.abc import Sequence

from ckgen.core.spec import KernelSpec

from ckdispatch.jit.progress import Listener, ProgressEvent, Stage
from ckdispatch.jit.result import BuildResult


class Board:
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
        self, stage: Stage, name: str = "", detail: str = "", result: BuildResult | None = None
    ) -> None:
        """Tell the listener."""
        done, total = len(self.results), len(self.specs)
        self._listener(ProgressEvent(stage, done, total, name, detail, result))
