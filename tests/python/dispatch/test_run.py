# SPDX-License-Identifier: MIT
"""``Dispatcher.run``: tensors of the device, launched where they are."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest
from ckdispatch import DeviceTensor, Dispatcher, GemmProblem, base_dispatcher
from ckdispatch.errors import InvalidArgument, NoKernel, Unsupported
from ckdispatch.gemm.reference import gemm_reference
from dispatch_support import (
    PADDED,
    UNPADDED,
    dispatcher,
    everything,
    guarded,
    of_each_variant,
    random,
)

PROBLEM = GemmProblem(128, 128, 64)


def operands(
    m: int = 128, n: int = 128, k: int = 64
) -> tuple[DeviceTensor, DeviceTensor, DeviceTensor]:
    on = dispatcher()
    return (
        on.to_device(random((m, k), 1)),
        on.to_device(random((k, n), 2), column_major=True),
        on.empty((m, n)),
    )


def assert_product(a: DeviceTensor, b: DeviceTensor, c: DeviceTensor, **how: Any) -> None:
    gemm_reference(a.numpy(), b.numpy(), **how).compare(c.numpy()).raise_if_bad()


def test_a_product_is_right() -> None:
    a, b, c = operands()
    result = dispatcher().run(PROBLEM, a, b, c)
    assert_product(a, b, c)
    assert result.kernel in everything()
    assert result.device == dispatcher().device.name
    assert result.milliseconds is None


def test_running_again_takes_the_same_plan() -> None:
    a, b, c = operands()
    first = dispatcher().run(PROBLEM, a, b, c)
    other = dispatcher().empty((128, 128))
    second = dispatcher().run(PROBLEM, a, b, other)
    assert second.plan is first.plan
    assert_product(a, b, other)


def test_a_known_plan_takes_any_number_of_tensors_wherever_they_are_now() -> None:
    on, size = of_each_variant(), (64, 64, 64)
    problem = GemmProblem.grouped([size] * 4)
    for seed in range(3):  # the second time its plan is known, and the tensors are others
        groups = [
            (
                on.to_device(random(size[:2], seed + i)),
                on.to_device(random(size[:2], 9 - i), column_major=True),
            )
            for i in range(4)
        ]
        outs = [on.empty(size[:2]) for _ in groups]
        tensors = [one for (a, b), c in zip(groups, outs, strict=True) for one in (a, b, c)]
        first = on.run(problem, *tensors)
        # Some by their addresses, and once more by all that was found out.
        assert on.run(problem, *tensors[:5], *(one.address for one in tensors[5:])) is first
        assert on.run(problem, *tensors) is first
        for (a, b), c in zip(groups, outs, strict=True):
            assert_product(a, b, c)
    with pytest.raises(InvalidArgument, match="to be run on 11 tensors; it needs 12"):
        on.run(problem, *tensors[:11])
    with pytest.raises(InvalidArgument, match="with B3 of fp32"):
        on.run(problem, *tensors[:10], on.empty(size[:2], "fp32"), tensors[11])


def test_a_problem_keeps_no_plan_alive() -> None:
    on, problem = dispatcher(), GemmProblem(64, 64, 64)
    tensors = [on.empty((64, 64)), on.empty((64, 64), column_major=True), on.empty((64, 64))]
    plan = weakref.ref(on.run(problem, *tensors).plan)
    assert plan() is not None
    gc.disable()
    try:
        on.forget()
        assert plan() is None
        assert on.run(problem, *tensors).plan.launches == 1
    finally:
        gc.enable()


def test_plans_are_kept_by_how_many_tensors_they_have(monkeypatch: pytest.MonkeyPatch) -> None:
    on = dispatcher()
    tensors = [on.empty((64, 64)), on.empty((64, 64), column_major=True), on.empty((64, 64))]
    problems = [GemmProblem(64, 64, 8 * k) for k in range(1, 6)]
    on.forget()
    monkeypatch.setattr(base_dispatcher, "_KEPT", 9)
    plans = [weakref.ref(on.run(problem, *tensors).plan) for problem in problems]
    assert [plan() is not None for plan in plans] == [False, False, False, True, True]


def test_addresses_do_as_well() -> None:
    a, b, c = operands()
    dispatcher().run(PROBLEM, a.address, b.address, c.address)
    assert_product(a, b, c)


def test_a_named_kernel_is_the_one_that_runs() -> None:
    a, b, c = operands()
    for name in (PADDED, UNPADDED):
        c.write(np.zeros((128, 128), np.float16))
        assert dispatcher().run(PROBLEM, a, b, c, kernel=name).kernel == name
        assert_product(a, b, c)


def test_a_named_kernel_that_cannot_says_why_and_writes_nothing() -> None:
    a, b, c = operands(k=40)
    c.write(np.full((128, 128), 7, np.float16))
    with pytest.raises(Unsupported, match="needs a multiple of 32"):
        dispatcher().run(GemmProblem(128, 128, 40), a, b, c, kernel=UNPADDED)
    assert np.all(c.numpy() == 7)


def test_timing_is_in_the_result() -> None:
    a, b, c = operands()
    result = dispatcher().run(PROBLEM, a, b, c, timing=True)
    assert result.milliseconds is not None
    assert result.milliseconds >= 0
    assert_product(a, b, c)


def test_addresses_of_less_alignment_need_a_kernel_for_it() -> None:
    a, b, _ = operands()
    shifted = guarded(dispatcher(), (128, 128), (128, 1), "fp16", shift=2)
    with pytest.raises(NoKernel, match="not a multiple of 16 bytes"):
        dispatcher().run(PROBLEM, a, b, shifted.tensor)
    assert shifted.broken() == []


def test_the_number_of_tensors_is_checked() -> None:
    a, b, _ = operands()
    with pytest.raises(
        InvalidArgument,
        match=r"^128x128x64 fp16 rcr was to be run on 2 tensors; it needs 3: A, B, C",
    ):
        dispatcher().run(PROBLEM, a, b)


def test_tensors_that_contradict_the_problem_are_refused() -> None:
    on = dispatcher()
    a, b, c = operands()
    c.write(np.full((128, 128), 7, np.float16))
    for _ in range(2):  # the second time its plan is known
        with pytest.raises(
            InvalidArgument, match="rcr was to be run with A of fp32; it is of fp16"
        ):
            on.run(PROBLEM, on.empty((128, 64), "fp32"), b, c)
        with pytest.raises(InvalidArgument, match="with C of 16383 elements; it has 16384"):
            on.run(PROBLEM, a, b, on.empty((16383,), "fp16"))
        assert np.all(c.numpy() == 7)
        on.run(PROBLEM, a, b, on.empty((128, 128), "fp16"))
    wide = on.empty((128, 64), "fp32")
    on.run(PROBLEM, wide.address, b, c)


@pytest.mark.parametrize(
    ("problem", "spans"),
    [
        (GemmProblem(2, 3, 4), (8, 12, 6)),
        (GemmProblem(2, 3, 4, stride_a=10, stride_b=10), (14, 24, 6)),
        (GemmProblem(2, 3, 4, layout="crc", stride_c=5), (8, 12, 12)),
        (GemmProblem(2, 3, 4, batch=2, batch_strides=(0, 100, 50)), (8, 112, 56)),
        (GemmProblem(2, 3, 4, batch=2), (16, 24, 12)),
        (
            GemmProblem(2, 3, 4, fused_op="MultiDAdd", d_count=2, d_strides=(0, None)),
            (8, 12, 6, 3, 6),
        ),
        (GemmProblem.grouped([(2, 3, 4), (1, 1, 1)]), (8, 12, 6, 1, 1, 1)),
    ],
)
def test_a_problem_knows_how_far_its_tensors_reach(
    problem: GemmProblem, spans: tuple[int, ...]
) -> None:
    assert problem.spans() == spans


def test_a_null_address_is_refused() -> None:
    a, b, _ = operands()
    with pytest.raises(InvalidArgument, match="no address"):
        dispatcher().run(PROBLEM, a, b, 0)


def test_an_array_of_the_host_is_refused() -> None:
    a, b, _ = operands()
    with pytest.raises(InvalidArgument, match=r"arrays of the host are for the calls of a family"):
        dispatcher().run(PROBLEM, a, b, np.zeros((128, 128), np.float16))


def test_a_benchmark_has_as_many_times_as_asked() -> None:
    a, b, c = operands()
    plan = dispatcher().plan(PROBLEM)
    times = dispatcher().benchmark(
        plan, (a, b, c), warmup=1, repeat=4, rotating_buffers=2, flush_cache=False
    )
    assert len(times["milliseconds"]) == 4
    assert times["minimum"] <= times["median"]
    assert times["kernel"] == plan.kernel
    assert times["simulated"] is dispatcher().device.simulated
    assert_product(a, b, c)
    cpu = dispatcher().benchmark(plan, (a, b, c), warmup=0, repeat=2, cpu_timer=True)
    assert len(cpu["milliseconds"]) == 2


def test_a_senseless_benchmark_gets_a_sentence() -> None:
    a, b, c = operands()
    plan = dispatcher().plan(PROBLEM)
    with pytest.raises(InvalidArgument, match="repeat = -1"):
        dispatcher().benchmark(plan, (a, b, c), repeat=-1)


def test_a_registry_that_changes_is_noticed() -> None:
    registry = everything().filter(layout="rcr")
    on = Dispatcher(registry, dispatcher().device.name)
    a, b, c = operands()
    first = on.run(PROBLEM, a, b, c).kernel
    on.run(PROBLEM, a, b, c)
    registry.remove(first)
    assert on.run(PROBLEM, a, b, c).kernel != first
    assert_product(a, b, c)
