# SPDX-License-Identifier: MIT
"""Runs random problems through one attention kernel library on the simulator, with its checks on,
and compares with the reference.

    kernel_harness.py lib<kernel>.so [--count 20] [--seed 0] [--only INDEX] [--work 60000]

Problems are those of the support matrix: drawn from what the kernel's spec says that it can. Those
that supports() refuses are counted by their sentence. The simulator is the library that
CKDISPATCH_SIMULATOR names.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import time
from collections import Counter
from functools import cache
from pathlib import Path

from ckabi import KernelLibrary
from ckgen.families import FAMILIES
from ckgen.fmha.spec import FmhaSpec
from cksupport.fmha.problems import DRAWS_FOR_ONE, RandomProblem
from cksupport.trial import Bench, Ended

_DESCRIBED = 3
"""So many wrong problems are described in full."""
_LONGEST = 600


@cache
def _bench(gpu: str) -> Bench:
    """The one of the process, whose simulator reads its variables once."""
    return Bench(gpu, Path(tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))) / "launches.jsonl")


class Harness:
    """One kernel library, and the simulator of its GPU; those of a process are for one GPU. ``ran``
    are the functions that were launched.
    """

    def __init__(self, path: Path, gpu: str | None = None) -> None:
        self.library = KernelLibrary.load(path)
        description = self.library.describe()
        spec = FAMILIES["fmha"].parse_name(description["spec"]["name"])
        assert isinstance(spec, FmhaSpec)
        self.spec, self.gpu = spec, gpu or description["targets"].split(":")[0]
        self.ran: set[str] = set()
        self._bench = _bench(self.gpu)
        self._dispatcher = self._bench.open(path)

    def problem(self, seed: int, index: int, work: int) -> RandomProblem:
        """That of a number."""
        return RandomProblem(self.spec, self.gpu, seed, index, work)

    def refusal(self, problem: RandomProblem) -> str:
        """Why the kernel refuses a problem, or nothing."""
        return problem.refusal(self.library)

    def wrong(self, problem: RandomProblem) -> str:
        """What is wrong with a launch, or nothing."""
        try:
            self.ran |= self._bench.try_launch(self._dispatcher, self.spec, (problem,))
        except Ended as end:
            return f"{end.verdict.value}: {end.why}"
        return ""


def described(problem: RandomProblem) -> str:
    """A problem as a developer wants to see it."""
    draw = problem.case.draw
    tensors = ", ".join(
        f"{name}{list(one.shape)}/{list(one.strides)}" for name, one in draw.tensors.items()
    )
    return (
        f"fields {draw.fields}; rows {draw.rows} of {draw.room_q}, keys {draw.keys} of "
        f"{draw.room_k}; {tensors}"
    )


def main() -> int:
    """Counts; 1 if something was wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("library", type=Path)
    parser.add_argument(
        "--count", type=int, default=20, help="problems to run; those that are refused do not count"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--only", type=int, help="the number of one problem, which is also described"
    )
    parser.add_argument("--work", type=int, default=60000, help="scores of a problem, at most")
    parser.add_argument("--gpu", help="by default the library's first")
    parsed = parser.parse_args()
    harness = Harness(parsed.library, parsed.gpu)
    refused: Counter[str] = Counter()
    right = wrong = 0
    indices = range(DRAWS_FOR_ONE * parsed.count) if parsed.only is None else [parsed.only]
    began = time.monotonic()
    for index in indices:
        if right + wrong >= parsed.count:
            break
        problem = harness.problem(parsed.seed, index, parsed.work)
        if parsed.only is not None:
            print(described(problem))
        if why := harness.refusal(problem):
            refused[re.sub(r"\d+", "N", why) if parsed.only is None else why] += 1
            continue
        if error := harness.wrong(problem):
            wrong += 1
            print(
                f"WRONG --seed {parsed.seed} --only {index}"
                + (f": {described(problem)}" if wrong <= _DESCRIBED else "")
            )
            print(f"    {error[:_LONGEST]}", flush=True)
        else:
            right += 1
    for why, count in refused.most_common():
        print(f"refused {count} times: {why}")
    counts = f"{right} right, {wrong} wrong, {refused.total()} refused"
    print(f"{counts} of {harness.spec.name} on {harness.gpu} in {time.monotonic() - began:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
