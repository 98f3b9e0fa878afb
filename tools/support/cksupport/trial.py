# SPDX-License-Identifier: MIT
"""Running one kernel on one simulated GPU, on all of its problems, in checking mode."""

from __future__ import annotations

import json
import os
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ckarch import load_specs
from ckdispatch import Dispatcher, Registry
from ckdispatch.errors import DeviceFailed, InvalidArgument, NoKernel, Unsupported
from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target

from cksupport.family import Launch, support_of
from cksupport.verdicts import Outcome, Verdict


@dataclass
class Report:
    """The simulator's report of each launch, read as it grows."""

    path: Path
    offset: int = 0

    def new_launches(self) -> list[dict[str, Any]]:
        """What was launched since the last call."""
        if not self.path.exists():
            return []
        with open(self.path, encoding="utf-8") as file:
            file.seek(self.offset)
            lines = file.readlines()
            self.offset = file.tell()
        return [json.loads(line) for line in lines]


class Ended(Exception):
    """The kernel's fate is decided."""

    def __init__(self, verdict: Verdict, why: str) -> None:
        super().__init__(why)
        self.verdict = verdict
        self.why = why


class Bench:
    """One simulated GPU, opened by the first trial; a process can have one."""

    def __init__(self, gpu: str, report: Path) -> None:
        self.target = Target.of(load_specs(), gpu)
        self.report = Report(report)
        os.environ["GFXSIM_CHECK"] = "1"
        os.environ["GFXSIM_REPORT"] = str(report)

    def open(self, library: Path) -> Dispatcher:
        """What launches the kernel of a library."""
        registry = Registry(name="support")
        registry.add_library(library)
        return Dispatcher(registry, f"sim:{self.target.name}")

    def try_kernel(self, spec: KernelSpec, library: Path) -> Outcome:
        """What the kernel computes; raises only what is no fault of the kernel."""
        dispatcher = self.open(library)
        (kernel,) = dispatcher.registry
        resources = kernel.resources[self.target.name]
        done: list[str] = []
        functions: set[str] = set()
        try:
            for launch in support_of(spec).launches_on(library, spec, self.target):
                done.append(in_words(launch))
                functions.update(self.try_launch(dispatcher, spec, launch))
            self._check_all_ran(spec, functions)
        except Ended as end:
            return Outcome(end.verdict, end.why, tuple(done), tuple(sorted(functions)), resources)
        return Outcome(Verdict.RIGHT, "", tuple(done), tuple(sorted(functions)), resources)

    def try_launch(self, dispatcher: Dispatcher, spec: KernelSpec, launch: Launch) -> set[str]:
        """The device functions that ran; raises ``Ended`` unless all that they did is right."""
        self.report.new_launches()  # whatever a launch that ended badly has left
        try:
            self._compute(dispatcher, spec, launch)
        except InvalidArgument as error:  # there is no such problem
            raise Ended(Verdict.NO_PROBLEM, f"{in_words(launch)}: {error}") from error
        functions, by_design = set(), support_of(spec).by_design(spec)
        for launched in self.report.new_launches():
            for finding in launched["findings"]:
                if finding["kind"] not in by_design:
                    raise Ended(Verdict.FINDINGS, f"{in_words(launch)}: {finding['message']}")
            functions.add(launched["kernel"].removeprefix(f"{spec.name}__"))
        return functions

    def _compute(self, dispatcher: Dispatcher, spec: KernelSpec, launch: Launch) -> None:
        named = in_words(launch)
        seed = zlib.crc32(f"{spec.name} {named}".encode())
        placed = support_of(spec).place(spec, launch, dispatcher.device, seed)
        try:
            plan = placed.run(dispatcher)
        except (InvalidArgument, NoKernel, Unsupported) as error:
            if not placed.untouched():
                raise Ended(
                    Verdict.WRONG, f"{named}: a result was written to, although {error}"
                ) from error
            invalid = isinstance(error, InvalidArgument)
            refusal = Verdict.NO_PROBLEM if invalid else Verdict.UNSUPPORTED
            raise Ended(refusal, f"{named}: {error}") from error
        except DeviceFailed as error:
            raise Ended(Verdict.FAILED, f"{named}: {error}") from error
        if wrong := placed.complaint(plan):
            raise Ended(Verdict.WRONG, f"{named}: {wrong}")

    def _check_all_ran(self, spec: KernelSpec, functions: set[str]) -> None:
        if left := sorted({*support_of(spec).functions(spec, self.target.arch)} - functions):
            raise Ended(Verdict.FAILED, f"no problem made {', '.join(left)} run")


def in_words(launch: Launch) -> str:
    """The problems of a launch, with commas."""
    return ", ".join(problem.text for problem in launch)
