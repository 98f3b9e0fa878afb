# SPDX-License-Identifier: MIT
"""Runs random problems through one attention kernel library on the simulator, with its checks on, and compares with the reference.

    kernel_harness.py lib<kernel>.so [--count 20] [--seed 0] [--only INDEX] [--work 60000] [--ignore lds_race,...]

Problems are drawn from what the kernel's spec says that it can; those that supports() refuses are counted by their
sentence. The simulator is the library that CKDISPATCH_SIMULATOR names.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from ckabi import KernelLibrary, Status
from ckabi.fmha import FmhaProblem, fmha_problem, set_tensor
from gfxsim import Buffer, HipError, Runtime
from kernel_cases import Case, append_case, combine_case, forward_case, paged_case, prefill_case, sink_case, split_case
from kernel_draws import begin
from kernel_gradient_cases import convert_case, dot_case, gradient_case, sum_case

CASES = {
    "fwd": forward_case,
    "splitkv": split_case,
    "combine": combine_case,
    "pagedkv": paged_case,
    "appendkv": append_case,
    "batch_prefill": prefill_case,
    "dot_do_o": dot_case,
    "dq_dk_dv": gradient_case,
    "convert_dq": convert_case,
    "sum": sum_case,
    "sink": sink_case,
}
DEFAULTS: dict[str, Any] = {
    "mask": False, "lse": False, "dropout": False, "soft_cap": False, "scales": False, "paged": False, "merged": False, "skip_min": False,
    "bias_grad": False, "deterministic": False, "bias": "none", "rotary": "none", "max_splits": 8, "pads": [1, 1, 0, 0], "pipeline": "none",
}  # fmt: skip
_DESCRIBED = 3
"""So many wrong problems are described in full."""


class Harness:
    """One kernel library, and the simulator of its GPU."""

    def __init__(self, path: Path, gpu: str | None = None, ignored: tuple[str, ...] = ()) -> None:
        self.ignored = ignored
        self.library = KernelLibrary.load(path)
        description = self.library.describe()
        self.spec = {**DEFAULTS, **description["spec"]}
        self.gpu = gpu or description["targets"].split(":")[0]
        # One process has one simulator, which reads its variables once.
        self.findings = Path(os.environ.get("GFXSIM_FINDINGS") or Path(tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))) / "findings")
        os.environ.update(GFXSIM_GPU=self.gpu, GFXSIM_CHECK="1", GFXSIM_FINDINGS=str(self.findings))
        self.runtime = Runtime(Path(os.environ["CKDISPATCH_SIMULATOR"]))

    def draw(self, seed: int, index: int, work: int) -> Case:
        """The problem of that number."""
        draw = begin(self.spec, self.gpu, np.random.default_rng((seed, index)), work)
        return CASES[self.spec["variant"]](draw)

    def problem(self, case: Case) -> FmhaProblem:
        """Without addresses."""
        problem = fmha_problem(**case.draw.fields)
        for name, strides in case.draw.strides.items():
            set_tensor(problem, name, None, **strides)
        return problem

    def supports(self, case: Case) -> str:
        """Why the kernel refuses a problem, or nothing."""
        status, why = self.library.supports(self.problem(case), self.gpu)
        return "" if status == Status.OK else f"{status.name}: {why}"

    def run(self, case: Case) -> list[str]:
        """What is wrong with a launch, sentence by sentence."""
        problem = self.problem(case)
        buffers: dict[str, Buffer] = {}
        self.findings.write_text("")
        try:
            for name, tensor in case.draw.tensors.items():
                buffers[name] = self.runtime.upload(tensor.flat.tobytes())
                set_tensor(problem, name, buffers[name].address)
            status, why = self.library.supports(problem, self.gpu)
            if status != Status.OK:
                return [f"supports() accepts the problem without addresses, and with them says {status.name}: {why}"]
            status, size = self.library.workspace_size(problem, self.gpu)
            workspace = self.runtime.allocate(size) if status == Status.OK and size else None
            if workspace is not None:
                buffers["a workspace"] = workspace
            status, why = self.library.launch(
                problem, gpu=self.gpu.encode(), workspace=workspace and ctypes.c_void_p(workspace.address), workspace_size=size
            )
            if status != Status.OK:
                return [f"launch() says {status.name}: {why}"]
            self.runtime.synchronize()
            return self._judge(case, buffers)
        except HipError as error:
            return [str(error)]
        finally:
            for buffer in buffers.values():
                buffer.free()

    def _judge(self, case: Case, buffers: dict[str, Buffer]) -> list[str]:
        found = [line for line in self.findings.read_text().splitlines() if not line.startswith(self.ignored)]
        wrong = [f"finding: {line}" for line in found[:3]]
        results = {}
        for name, tensor in case.draw.tensors.items():
            after = np.frombuffer(buffers[name].download(), tensor.flat.dtype)
            if name in case.outputs:
                changed = tensor.changed_outside(after)
                results[name] = _viewed(tensor, after)
            else:
                changed = int(np.count_nonzero(after.view(np.uint8) != tensor.flat.view(np.uint8)))
            if changed:
                wrong.append(f"{changed} bytes of {name} that are no output were changed")
        for name, comparison in case.check(results):
            if not comparison:
                wrong.append(f"{name}: {comparison}")
        return wrong


def _viewed(tensor: Any, after: Any) -> Any:
    size = after.dtype.itemsize
    return np.lib.stride_tricks.as_strided(after, tensor.shape, tuple(stride * size for stride in tensor.strides))


def described(case: Case) -> str:
    """A problem as a developer wants to see it."""
    draw = case.draw
    tensors = ", ".join(f"{name}{list(one.shape)}/{list(one.strides)}" for name, one in draw.tensors.items())
    return f"fields {draw.fields}; rows {draw.rows} of {draw.room_q}, keys {draw.keys} of {draw.room_k}; {tensors}"


def main() -> int:
    """Counts; 1 if something was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=Path)
    parser.add_argument("--count", type=int, default=20, help="problems to run; those that are refused do not count")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="the number of one problem, which is also described")
    parser.add_argument("--work", type=int, default=60000, help="scores of a problem, at most")
    parser.add_argument("--gpu", help="by default the library's first")
    parser.add_argument("--ignore", default="", help="kinds of findings that do not make a result wrong, with commas")
    parsed = parser.parse_args()
    harness = Harness(parsed.library, parsed.gpu, tuple(parsed.ignore.split(",")) if parsed.ignore else ())
    refused: Counter[str] = Counter()
    right = wrong = index = 0
    indices = range(20 * parsed.count) if parsed.only is None else [parsed.only]
    began = time.monotonic()
    for index in indices:
        if right + wrong >= parsed.count:
            break
        case = harness.draw(parsed.seed, index, parsed.work)
        if parsed.only is not None:
            print(described(case))
        if why := harness.supports(case):
            refused[re.sub(r"\d+", "N", why) if parsed.only is None else why] += 1
            continue
        if errors := harness.run(case):
            wrong += 1
            print(f"WRONG --seed {parsed.seed} --only {index}" + (f": {described(case)}" if wrong <= _DESCRIBED else ""))
            for error in errors if wrong <= _DESCRIBED else errors[:1]:
                print(f"    {error[:600]}")
            sys.stdout.flush()
        else:
            right += 1
    for why, count in refused.most_common():
        print(f"refused {count} times: {why}")
    counts = f"{right} right, {wrong} wrong, {refused.total()} refused"
    print(f"{counts} of {harness.spec['name']} on {harness.gpu} in {time.monotonic() - began:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
