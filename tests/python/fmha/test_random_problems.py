# SPDX-License-Identifier: MIT
"""Random calls of attention give what the reference says or a reason why not, on the simulator with
its checks on.

CK_PROBLEMS says how many, CK_SEED which, CK_SHARD which of how many shares this is. With CK_STATE,
a folder that Bazel's ``--sandbox_writable_path`` names too, a run goes on where one was stopped.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from checked_call import Call
from ckdispatch import Dispatcher, Registry
from random_calls import METHODS, draw
from random_problems import Outcome, check_findings, run

PROBLEMS = int(os.environ.get("CK_PROBLEMS", "60"))
SHARD, SHARDS = (int(one) for one in os.environ.get("CK_SHARD", "0/1").split("/"))
STATE = Path(os.environ.get("CK_STATE") or os.environ["TEST_TMPDIR"])
SEED = int(os.environ.get("CK_SEED", "27"))
WORK = 20000
FINDINGS = check_findings()


def drawn(index: int) -> Call:
    """Three of four have the head size that most kernels of the examples are for."""
    return draw(
        SEED, index, WORK, dtype="fp16" if index % 2 else None, hdim=64 if index % 4 else None
    )


@cache
def outcomes() -> tuple[Outcome, ...]:
    """Of all problems of this share."""
    file = STATE / f"random_problems_{SEED}_{SHARD}_of_{SHARDS}.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    known = {
        line["index"]: Outcome(line["index"], line["kind"], line["text"], tuple(line["kernels"]))
        for line in lines
    }
    dispatcher = Dispatcher(Registry.load("fmha_examples"))
    for index in range(SHARD, PROBLEMS, SHARDS):
        if index not in known:
            known[index] = run(dispatcher, index, drawn(index), FINDINGS)
            with file.open("a") as out:
                out.write(json.dumps(known[index].to_json()) + "\n")
    return tuple(known[index] for index in sorted(known) if index < PROBLEMS)


def test_none_is_wrong() -> None:
    wrong = [one for one in outcomes() if one.kind == "wrong"]
    assert not wrong, "\n".join(f"{drawn(one.index)}\n    {one.text}" for one in wrong[:5])


def test_enough_are_computed_and_by_many_kernels() -> None:
    kinds = Counter(one.kind for one in outcomes())
    assert kinds["right"] >= len(outcomes()) / 8, kinds
    kernels = {kernel for one in outcomes() for kernel in one.kernels}
    assert len(kernels) >= 8, sorted(kernels)


@pytest.mark.skipif(
    PROBLEMS < 1000, reason="so few problems need not meet a kernel in every method"
)
@pytest.mark.parametrize("method", sorted(set(METHODS)))
def test_each_method_computes_something(method: str) -> None:
    assert any(one.kind == "right" and drawn(one.index).method == method for one in outcomes())


def test_refusals_name_what_was_asked_for() -> None:
    for one in outcomes():
        if one.kind == "refused":
            assert len(one.text) > 60, one.text


@pytest.mark.parametrize("index", [7570, 8975])
def test_rows_beyond_a_sequence_of_a_new_workspace_are_loaded_and_harm_nobody(index: int) -> None:
    """Combining parts loads tiles of rows, of which the kernel for the parts wrote only those that
    a sequence has.
    """
    call = draw(27, index, WORK, dtype="fp16" if index % 2 else None, hdim=64)
    outcome = run(Dispatcher(Registry.load("fmha_examples")), index, call, FINDINGS)
    assert outcome.kind == "right" and any("combine" in kernel for kernel in outcome.kernels), (
        outcome
    )
