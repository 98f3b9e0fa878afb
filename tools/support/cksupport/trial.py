# SPDX-License-Identifier: MIT
"""Running one kernel on one simulated GPU, on all of its problems, in checking mode."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from ckarch import load_specs
from ckdispatch import Dispatcher, GemmProblem, Registry
from ckdispatch.errors import DeviceFailed, NoKernel, Unsupported
from ckdispatch.reference.gemm import gemm_reference
from ckgen.core.target import Target
from ckgen.gemm.pipelines import loop_variants
from ckgen.gemm.spec import GemmSpec

from cksupport.operands import Matrix, random_values
from cksupport.problems import Problem, problems
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


class _Ended(Exception):
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

    def try_kernel(self, spec: GemmSpec, library: Path) -> Outcome:
        """What the kernel computes; raises only what is no fault of the kernel."""
        registry = Registry(name="support")
        registry.add_library(library)
        dispatcher = Dispatcher(registry, f"sim:{self.target.name}")
        done: list[str] = []
        functions: set[str] = set()
        try:
            for problem in problems(spec, self.target):
                done.append(str(problem))
                self._try_problem(dispatcher, spec, problem)
                functions.update(self._clean_launches(spec, problem))
            self._check_all_ran(spec, functions)
        except _Ended as end:
            return Outcome(end.verdict, end.why, tuple(done), tuple(sorted(functions)))
        return Outcome(Verdict.RIGHT, "", tuple(done), tuple(sorted(functions)))

    def _try_problem(self, dispatcher: Dispatcher, spec: GemmSpec, problem: Problem) -> None:
        device, (a_letter, b_letter, c_letter) = dispatcher.device, spec.layout.value
        random = np.random.default_rng(zlib.crc32(f"{spec.name} {problem}".encode()))
        m, n, k = problem.m, problem.n, problem.k
        a_kind, b_kind = (device.numpy_dtype(dtype) for dtype in (spec.dtype_a, spec.dtype_b))
        a_values = random_values(random, (m, k), a_kind)
        b_values = random_values(random, (k, n), b_kind)
        a = Matrix.place(device, spec.dtype_a, (m, k), a_letter, problem.gap_a)
        b = Matrix.place(device, spec.dtype_b, (k, n), b_letter, problem.gap_b)
        c = Matrix.place(device, spec.dtype_c, (m, n), c_letter, problem.gap_c)
        a.fill(a_values)
        b.fill(b_values)
        c.mark()
        asked = GemmProblem(
            m, n, k, dtype=spec.dtype_a, dtype_b=spec.dtype_b, dtype_c=spec.dtype_c,
            layout=spec.layout, stride_a=a.leading, stride_b=b.leading, stride_c=c.leading,
        )  # fmt: skip
        try:
            dispatcher.run(asked, a.address, b.address, c.address, kernel=spec.name)
            dispatcher.synchronize()
        except (NoKernel, Unsupported) as error:
            raise _Ended(Verdict.UNSUPPORTED, f"{problem}: {error}") from error
        except DeviceFailed as error:
            raise _Ended(Verdict.FAILED, f"{problem}: {error}") from error
        found = gemm_reference(a_values, b_values, output=spec.dtype_c).compare(c.read())
        if not found.ok:
            raise _Ended(Verdict.WRONG, f"{problem}: {found}")
        if strays := c.stray_writes():
            raise _Ended(Verdict.WRONG, f"{problem}: {strays} elements beside C were written to")

    def _clean_launches(self, spec: GemmSpec, problem: Problem) -> Iterator[str]:
        """The device functions that ran, unless the checking mode has found something."""
        for launch in self.report.new_launches():
            for finding in launch["findings"]:
                raise _Ended(Verdict.FINDINGS, f"{problem}: {finding['message']}")
            yield launch["kernel"].removeprefix(f"{spec.name}__")

    def _check_all_ran(self, spec: GemmSpec, functions: set[str]) -> None:
        all_of_them = {variant.suffix for variant in loop_variants(spec, self.target.arch)}
        if left := sorted(all_of_them - functions):
            raise _Ended(Verdict.FAILED, f"no problem made {', '.join(left)} run")
