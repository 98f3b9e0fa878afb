# SPDX-License-Identifier: MIT
from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from ckdispatch import Dispatcher, GemmProblem, Problem, Registry
from ckdispatch.errors import Code, InvalidArgument, NoKernel, Unsupported, WrongGpu
from dispatch_support import ESSENTIAL, PADDED, UNPADDED, everything

SQUARE = GemmProblem(512, 512, 512)


def test_selection_loads_no_hip() -> None:
    everything().rank(SQUARE)
    assert "amdhip64" not in Path("/proc/self/maps").read_text()


def test_the_best_of_the_ranking_is_selected() -> None:
    ranking = everything().rank(SQUARE)
    assert ranking.best is not None
    assert everything().select(SQUARE).kernel == ranking.best.kernel
    assert [one.microseconds for one in ranking.fit] == sorted(
        one.microseconds for one in ranking.fit
    )


def test_every_kernel_is_ranked_or_refused() -> None:
    ranking = everything().rank(SQUARE)
    assert {one.kernel for one in ranking.fit} | {one.kernel for one in ranking.refused} == {
        kernel.name for kernel in everything()
    }


def test_a_refusal_has_its_reason_and_code() -> None:
    ranking = everything().rank(GemmProblem(512, 512, 100))
    (refusal,) = (one for one in ranking.refused if one.kernel == UNPADDED)
    assert refusal.code is Code.UNSUPPORTED
    assert "K = 100 and needs a multiple of 32" in refusal.reason


def test_the_explanation_has_both() -> None:
    text = everything().explain(SQUARE)
    assert text.startswith("gemm 512x512x512 fp16 rcr on gfx942: ")
    assert "predicted" in text
    assert "computes the layout rrr, not rcr." in text


def test_no_kernel_names_the_nearest_refusal() -> None:
    with pytest.raises(NoKernel, match=r"computes gemm 8x8x7 fp16 rcr on gfx942 .* The nearest: "):
        everything().select(GemmProblem(8, 8, 7))
    with pytest.raises(NoKernel, match="computes gemm 8x8x8 bf16 rcr"):
        everything().select(GemmProblem(8, 8, 8, dtype="bf16"))


def test_an_explicit_kernel_is_taken_or_says_why_not() -> None:
    assert everything().select(SQUARE, kernel=PADDED).kernel == PADDED
    assert everything().select(SQUARE, kernel=everything()[PADDED].key).kernel == PADDED
    with pytest.raises(Unsupported, match="needs a multiple of 32"):
        everything().select(GemmProblem(512, 512, 100), kernel=UNPADDED)


def test_a_gpu_without_code_is_a_reason() -> None:
    ranking = everything().rank(SQUARE, gpu="gfx950")
    assert ranking.fit == ()
    assert {one.code for one in ranking.refused} == {Code.WRONG_GPU}
    with pytest.raises(WrongGpu, match="holds no code for gfx950"):
        everything().select(SQUARE, gpu="gfx950", kernel=PADDED)


def test_a_registry_of_no_gpu_must_be_told_which() -> None:
    with pytest.raises(InvalidArgument, match="say which: gpu="):
        Registry().select(SQUARE)


def test_priority_overrules_the_model() -> None:
    registry = Registry.load(ESSENTIAL)
    ranking = registry.rank(SQUARE)
    last = ranking.fit[-1].kernel
    library, sha256 = registry[last].library, registry[last].sha256
    registry.remove(last)
    registry.add_library(library, sha256=sha256, priority=1)
    assert registry.select(SQUARE).kernel == last


def test_first_fit_takes_the_first_in_the_order_of_keys() -> None:
    fitting = {one.kernel for one in everything().rank(SQUARE).fit}
    first = next(kernel.name for kernel in everything() if kernel.name in fitting)
    assert Dispatcher(everything(), "sim:gfx942", strategy="first_fit").plan(SQUARE).kernel == first


def test_a_model_of_the_callers_decides() -> None:
    def predict(_problem: Problem, kernel: str, _parts: int) -> float:
        return 0.0 if kernel == PADDED else 1.0

    assert Dispatcher(everything(), "sim:gfx942", strategy=predict).plan(SQUARE).kernel == PADDED


def test_a_function_of_the_callers_chooses() -> None:
    seen: list[str] = []

    def choose(_problem: Problem, kernels: Sequence[str]) -> int:
        seen.extend(kernels)
        return len(kernels) - 1

    plan = Dispatcher(everything(), "sim:gfx942", chooser=choose).plan(SQUARE)
    assert plan.kernel == seen[-1]
    assert [one.kernel for one in everything().rank(SQUARE).fit] == seen


def test_functions_of_the_callers_are_told_the_problem() -> None:
    told: list[Problem] = []

    def predict(problem: Problem, _kernel: str, parts: int) -> float:
        told.append(problem)
        if len(told) == 1:  # one that selects itself does not lose its place
            assert everything().select(other, gpu="gfx942").kernel
            assert (
                Dispatcher(everything(), "sim:gfx942", strategy=predict).plan(other).problem
                is other
            )
        return float(parts)

    def choose(problem: Problem, kernels: Sequence[str]) -> int:
        told.append(problem)
        return 0

    other = GemmProblem(128, 128, 128)
    Dispatcher(everything(), "sim:gfx942", strategy=predict).plan(SQUARE)
    assert told[0] is SQUARE and told[-1] is SQUARE and any(one is other for one in told)
    assert all(one is SQUARE or one is other for one in told)
    told.clear()
    Dispatcher(everything(), "sim:gfx942", chooser=choose).plan(other)
    assert len(told) == 1 and told[0] is other


def test_what_a_function_of_the_callers_raises_reaches_the_caller() -> None:
    def choose(_problem: Problem, _kernels: Sequence[str]) -> int:
        raise KeyError("no such row")

    def predict(_problem: Problem, _kernel: str, _parts: int) -> float:
        raise ZeroDivisionError

    with pytest.raises(KeyError, match="no such row"):
        Dispatcher(everything(), "sim:gfx942", chooser=choose).plan(SQUARE)
    with pytest.raises(ZeroDivisionError):
        Dispatcher(everything(), "sim:gfx942", strategy=predict).plan(SQUARE)


def test_a_function_that_chooses_nothing_there_is_selects_nothing() -> None:
    with pytest.raises(InvalidArgument, match="returned candidate 1000"):
        Dispatcher(everything(), "sim:gfx942", chooser=lambda _problem, _kernels: 1000).plan(SQUARE)


def test_an_unknown_strategy_gets_a_sentence() -> None:
    with pytest.raises(InvalidArgument, match="the strategy 'best'"):
        Dispatcher(everything(), "sim:gfx942", strategy="best").plan(SQUARE)


def test_split_k_is_selected_when_it_is_asked_for() -> None:
    plan = everything().select(GemmProblem(64, 64, 1024, split_k=4))
    assert plan.parts == 4
    assert everything()[plan.kernel].spec["split_k"] == "atomic"
    assert everything().select(GemmProblem(64, 64, 1024)).parts == 1


def test_the_dispatcher_may_choose_the_parts() -> None:
    deep = everything().select(GemmProblem(64, 64, 16384, split_k=0))
    assert deep.parts > 1
    wide = everything().select(GemmProblem(8192, 8192, 1024, split_k=0))
    assert wide.parts == 1


def test_parts_in_any_order_are_not_taken_where_the_result_must_repeat() -> None:
    with pytest.raises(NoKernel):
        everything().select(GemmProblem(64, 64, 1024, split_k=4, deterministic=True))
    assert everything().select(GemmProblem(64, 64, 1024, split_k=2, deterministic=True)).parts == 2


def test_columns_of_c_are_served_by_exchanging_the_operands() -> None:
    plan = everything().select(GemmProblem(128, 256, 64, layout="rcc"))
    assert everything()[plan.kernel].spec["layout"] == "rcr"


def test_a_change_of_the_registry_changes_the_selection() -> None:
    registry = Registry.load(ESSENTIAL)
    first = registry.select(SQUARE).kernel
    registry.remove(first)
    assert registry.select(SQUARE).kernel != first


def test_what_is_refused_for_its_alignment_is_not_selected() -> None:
    with pytest.raises(NoKernel, match="not a multiple of 16 bytes"):
        Registry.load(ESSENTIAL).select(GemmProblem(512, 512, 512, alignment=2))


def test_d_tensors_need_a_kernel_that_fuses() -> None:
    with pytest.raises(
        NoKernel, match="computes the product alone, not MultiDAdd with 2 D tensors"
    ):
        everything().filter(layout="rcr").select(
            GemmProblem(512, 512, 512, fused_op="MultiDAdd", d_count=2)
        )
