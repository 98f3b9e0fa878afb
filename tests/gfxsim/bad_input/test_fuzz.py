# SPDX-License-Identifier: MIT
"""Random damage to code objects, launched with random arguments: each case ends in success or in a
sentence, and reaches nothing outside.

CK_FUZZ_CASES is how many there are for each GPU, CK_SEED chooses them, and CK_FUZZ_ONLY=GPU:NUMBER
tries one of them alone.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest

GPUS = os.environ["CK_FUZZ_GPUS"].split()
CASES = int(os.environ["CK_FUZZ_CASES"])
SEED = os.environ.get("CK_SEED", "0")
ONLY = os.environ.get("CK_FUZZ_ONLY", "")
MOST_MEGABYTES = 2048
KEPT = Path(os.environ.get("TEST_UNDECLARED_OUTPUTS_DIR", os.environ["TEST_TMPDIR"]))
# A process is ended and begun anew after so many cases, so that what one leaves behind does not
# hide what another does.
PART = 500


@dataclass
class Result:
    outcomes: Counter[str] = field(default_factory=Counter)
    bad: list[str] = field(default_factory=list)
    megabytes: int = 0


def described(gpu: str, number: int, what: str) -> str:
    again = f"--test_env=CK_SEED={SEED} --test_env=CK_FUZZ_ONLY={gpu}:{number} --test_output=all"
    return (
        f"{gpu} case {number}: {what}; again: ./bazelw test //tests/gfxsim/bad_input:fuzz {again}"
    )


def try_part(gpu: str, first: int, end: int) -> Result:
    result = Result()
    image = Path(os.environ["TEST_TMPDIR"]) / f"{gpu}.{first}"
    while first < end:
        command = [
            sys.executable,
            "-m",
            "tests.gfxsim.bad_input.fuzzing",
            f"{SEED}:{gpu}",
            str(first),
            str(end),
            str(image),
        ]
        environment = {**os.environ, "GFXSIM_GPU": gpu, "GFXSIM_THREADS": "1"}
        ran = subprocess.run(
            command, env=environment, capture_output=True, text=True, errors="replace", check=False
        )
        lines = ran.stdout.splitlines()
        for line in lines:
            number, _, outcome = line.partition(" ")
            if number == "works":
                result.megabytes = max(result.megabytes, int(outcome))
            elif outcome.endswith(("refused", "failed", "ran")):
                result.outcomes[outcome] += 1
                first = int(number) + 1
            elif outcome:
                result.bad.append(described(gpu, int(number), outcome))
                first = int(number) + 1
        if ran.returncode == 0 and lines and lines[-1].startswith("works"):
            break
        if not lines:
            raise RuntimeError(f"no case was tried: {ran.stderr}")
        # What stands last is a case that has no outcome, for it ended the process.
        shutil.copy(image, KEPT / f"{gpu}.{first}.image")
        result.bad.append(
            described(gpu, first, f"the process ended with {ran.returncode}")
            + f"\n{ran.stderr[-1500:]}"
        )
        first += 1
    return result


@pytest.fixture(scope="module")
def results() -> Result:
    if ONLY:
        gpu, _, number = ONLY.partition(":")
        parts = [(gpu, int(number), int(number) + 1)]
    else:
        parts = [
            (gpu, first, min(first + PART, CASES))
            for gpu in GPUS
            for first in range(0, CASES, PART)
        ]
    total = Result()
    with ThreadPoolExecutor(2) as pool:
        for part in pool.map(lambda part: try_part(*part), parts):
            total.outcomes += part.outcomes
            total.bad += part.bad
            total.megabytes = max(total.megabytes, part.megabytes)
    print(
        f"CK_SEED={SEED}: {total.outcomes.total()} cases that ended well, {len(total.bad)} that "
        f"did not, at most {total.megabytes} MiB"
    )
    print(dict(sorted(total.outcomes.items())))
    return total


def test_every_case_ends_in_success_or_in_a_sentence(results: Result) -> None:
    assert not results.bad, f"{len(results.bad)} bad cases:\n" + "\n".join(results.bad[:20])


def test_no_case_takes_much_memory(results: Result) -> None:
    assert results.megabytes < MOST_MEGABYTES


@pytest.mark.skipif(bool(ONLY), reason="one case alone")
def test_damage_of_every_kind_was_tried_with_every_end(results: Result) -> None:
    assert results.outcomes.total() + len(results.bad) == len(GPUS) * CASES
    ends = Counter[str]()
    for outcome, count in results.outcomes.items():
        ends[outcome.split()[-1]] += count
    assert all(ends[end] > len(GPUS) * CASES // 20 for end in ("refused", "failed", "ran")), ends
    assert len({outcome.split()[0] for outcome in results.outcomes}) == 8
