# SPDX-License-Identifier: MIT
from __future__ import annotations

import numpy as np
import pytest
from ckdispatch import DeviceTensor, Dispatcher, GemmProblem
from ckdispatch.errors import NoKernel
from ckdispatch.gemm.reference import gemm_reference
from dispatch_support import dispatcher, everything, guarded, random


def test_a_shape_that_no_kernel_takes_is_padded_and_says_so() -> None:
    a, b = random((37, 51), 1), random((51, 43), 2)
    result = dispatcher().gemm(a, b, validate=True)
    assert result.padded is not None
    assert all(padded >= given for padded, given in zip(result.padded, (37, 43, 51), strict=True))
    assert result.changes[0].startswith("gemm 37x43x51 fp16 rrr was padded to gemm ")
    assert result.out.shape == (37, 43)


def test_without_padding_the_reason_is_told() -> None:
    with pytest.raises(NoKernel, match="The nearest"):
        dispatcher().gemm(random((37, 51), 1), random((51, 43), 2), pad=False)


def test_a_registry_that_changes_is_searched_again() -> None:
    registry = everything().filter(layout="rcr")
    on = Dispatcher(registry, dispatcher().device.name)
    a, b = random((37, 51), 1), random((51, 43), 2)
    first = on.gemm(a, b)
    assert on.gemm(a, b).plan is first.plan
    registry.remove(first.kernel)
    second = on.gemm(a, b, validate=True)
    assert second.kernel != first.kernel


def test_a_shape_that_a_kernel_takes_is_not_padded() -> None:
    assert dispatcher().gemm(random((37, 64), 1), random((64, 40), 2), validate=True).padded is None


def test_tensors_of_the_device_are_padded_on_the_device() -> None:
    on = dispatcher()
    left = guarded(on, (37, 51), (55, 1), "fp16", shift=2)
    right = guarded(on, (51, 43), (1, 53), "fp16", shift=6)
    left.tensor.write(random((37, 51), 1))
    right.tensor.write(random((51, 43), 2))
    result = on.gemm(left.tensor, right.tensor, validate=True)
    assert isinstance(result.out, DeviceTensor)
    assert result.out.shape == (37, 43)
    assert left.broken() == right.broken() == []


def test_operands_at_odd_addresses_are_copied_and_it_is_said() -> None:
    on = dispatcher()
    left = guarded(on, (64, 64), (64, 1), "fp16", shift=2)
    target = guarded(on, (64, 64), (64, 1), "fp16", shift=6)
    left.tensor.write(random((64, 64), 1))
    result = on.gemm(
        left.tensor,
        on.to_device(random((64, 64), 2), column_major=True),
        out=target.tensor,
        validate=True,
    )
    assert result.padded is None
    assert result.changes == (
        (
            "the tensors of gemm 64x64x64 fp16 rcr were copied, because no kernel takes their "
            "addresses or strides as they are"
        ),
    )
    assert left.broken() == target.broken() == []


def test_out_on_the_device_gets_its_own_elements_only() -> None:
    on = dispatcher()
    target = guarded(on, (37, 43), (61, 1), "fp16", shift=4)
    on.gemm(random((37, 51), 1), random((51, 43), 2), out=target.tensor, validate=True)
    assert target.broken() == []


def test_batches_are_padded_matrix_by_matrix() -> None:
    on = dispatcher()
    result = on.gemm(random((3, 37, 51), 1), random((3, 51, 43), 2), validate=True)
    assert result.out.shape == (3, 37, 43)
    a, b = on.to_device(random((2, 37, 51), 1)), on.to_device(random((2, 51, 43), 2))
    assert on.gemm(a, b, validate=True).out.shape == (2, 37, 43)


def test_parts_of_a_padded_k_are_right() -> None:
    result = dispatcher().gemm(random((37, 333), 1), random((333, 43), 2), split_k=2, validate=True)
    assert result.plan.parts == 2


def test_a_plan_is_padded_where_it_is_asked_for_and_the_tensors_stay_as_they_are() -> None:
    on, problem = dispatcher(), GemmProblem(37, 43, 51)
    with pytest.raises(NoKernel, match="The nearest"):
        on.plan(problem)
    plan = on.plan(problem, pad=True)
    assert plan.problem is problem and plan.padded is not None and plan.padded.startswith("gemm ")
    assert plan.workspace_bytes > 0
    steps = [step["step"] for step in plan.to_json()["steps"]]
    assert steps.count("launch") == 1 and steps[-1] == "copy"
    a, b = on.to_device(random((37, 51), 1)), on.to_device(random((51, 43), 2), column_major=True)
    c = guarded(on, (37, 43), (43, 1), "fp16")
    on.launch(plan, [a.address, b.address, c.tensor.address], None)
    on.synchronize()
    gemm_reference(a.numpy(), b.numpy()).compare(c.tensor.numpy()).raise_if_bad()
    assert c.broken() == []
    assert on.plan(GemmProblem(64, 64, 64), pad=True).padded is None


def test_columns_of_c_are_padded() -> None:
    on = Dispatcher(everything())
    left, right = random((37, 51), 1), random((51, 43), 2)
    out = np.empty((43, 37), np.float16).T
    result = on.gemm(left, right, out=out, validate=True)
    assert result.out is out


def test_padding_adds_nothing_to_the_result() -> None:
    a, b = np.full((5, 7), np.inf, np.float16), np.ones((7, 3), np.float16)
    assert np.all(np.isposinf(dispatcher().gemm(a, b).out))
