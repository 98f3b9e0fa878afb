# SPDX-License-Identifier: MIT
"""The operands of a problem serve one kernel after another, and no kernel is right by what another
left.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ckdispatch import Dispatcher, GemmProblem, Registry
from ckdispatch.comparison import Reference
from ckdispatch.gemm.reference import arithmetic_of, expected
from ckdispatch.gemm.workload import GemmWorkload
from cli_support import manifest

PROBLEM = GemmProblem(64, 64, 128)


@pytest.fixture(scope="module")
def dispatcher() -> Dispatcher:
    return Dispatcher(Registry.load(manifest("gemm_fp16_rcr_essential")), "sim:gfx942")


def kernels(dispatcher: Dispatcher, problem: GemmProblem) -> list[str]:
    return list(dict.fromkeys(way.kernel for way in dispatcher.selection.rank(problem).fit))


def test_the_next_kernel_has_the_same_operands_and_its_own_result(dispatcher: Dispatcher) -> None:
    first, second, *_ = kernels(dispatcher, PROBLEM)
    before = GemmWorkload(dispatcher, PROBLEM, dispatcher.plan(PROBLEM, kernel=first), seed=1)
    before.launch()
    assert before.compare().ok
    after = before.with_plan(dispatcher.plan(PROBLEM, kernel=second))
    assert after is not None and after.plan.kernel == second
    assert after.tensors is before.tensors
    assert not after.compare().ok  # what the first one left is gone
    after.launch()
    assert after.compare().ok


def test_its_reference_is_made_once(
    dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ckdispatch.gemm import workload

    made = []

    def counted(*words: Any, **named: Any) -> Reference:
        made.append(words)
        return expected(*words, **named)

    monkeypatch.setattr(workload, "expected", counted)
    work: GemmWorkload | None = None
    for kernel in kernels(dispatcher, PROBLEM):
        plan = dispatcher.plan(PROBLEM, kernel=kernel)
        work = work.with_plan(plan) if work else GemmWorkload(dispatcher, PROBLEM, plan, seed=1)
        assert work is not None
        work.launch()
        assert work.compare().ok
    assert len(made) == 1


def test_kernels_that_add_up_otherwise_have_another_reference() -> None:
    spec: dict[str, object] = {
        "fused_op": "PassThrough",
        "dtype_c": "fp16",
        "variant": "standard",
        "split_k": "atomic",
    }
    spec |= {"tile": [64, 64, 64], "warp_tile": [32, 32, 16]}
    other = spec | {"tile": [128, 128, 32], "warp_tile": [16, 16, 32]}
    assert arithmetic_of(1, spec, 4096) == arithmetic_of(1, other, 4096)
    assert arithmetic_of(2, spec, 4096) != arithmetic_of(2, other, 4096)
    assert arithmetic_of(2, spec, 4096) != arithmetic_of(4, spec, 4096)
    assert arithmetic_of(2, spec, 4096) != arithmetic_of(2, spec | {"split_k": "workspace"}, 4096)
    assert arithmetic_of(1, spec, 4096) != arithmetic_of(1, spec | {"dtype_c": "fp32"}, 4096)


def test_a_kernel_with_other_dtypes_gets_operands_of_its_own() -> None:
    dispatcher = Dispatcher(Registry.load(manifest("test_gemm_variants")), "sim:gfx942")
    problem = replace(PROBLEM, layout="rrr")
    work = GemmWorkload(dispatcher, problem, dispatcher.plan(problem), seed=1)
    assert work.with_plan(dispatcher.plan(replace(problem, dtype_c="fp32", split_k=2))) is None
    assert work.with_plan(dispatcher.plan(problem)) is not None
