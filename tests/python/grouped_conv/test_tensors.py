# SPDX-License-Identifier: MIT
"""Convolutions of tensors of the device, and of what other libraries hand over."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ckdispatch import DeviceTensor, Dispatcher, GroupedConvProblem
from ckdispatch.errors import InvalidArgument, NoKernel
from ckdispatch.tensors.memory import packed_strides
from conv_support import MANY, convolver, kernel_name, last_convolver, only_kernels
from dispatch_support import guarded, random

X, W = random((2, 6, 7, 16), 1), random((16, 3, 3, 8), 2)
FIRST = (0, 3, 1, 2)


class Foreign:
    """A tensor of another library: all that is known of it is DLPack."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)


def uploaded(on: Dispatcher, array: Any, *, shift: int = 0) -> Any:
    """A guarded copy."""
    guard = guarded(on, array.shape, packed_strides(array.shape), "fp16", shift=shift)
    guard.tensor.write(array)
    return guard


def test_tensors_of_the_device_stay_there() -> None:
    on = convolver()
    x, w = uploaded(on, X), uploaded(on, W)
    result = on.conv(x.tensor, w.tensor, groups=2, validate=True)
    assert isinstance(result.out, DeviceTensor)
    assert result.out.shape == (2, 4, 5, 16)
    assert result.changes == ()
    assert np.array_equal(result.out.numpy(), on.conv(X, W, groups=2).out)
    dx = on.conv_bwd_data(result.out, w.tensor, (6, 7), groups=2, validate=True)
    dw = on.conv_bwd_weight(result.out, x.tensor, 3, groups=2, validate=True)
    assert (dx.out.shape, dw.out.shape) == (X.shape, W.shape)
    assert dx.changes == dw.changes == ()
    assert x.broken() == w.broken() == []


def test_out_on_the_device_is_used_where_it_is() -> None:
    on = convolver()
    x, w, y = (
        on.to_device(X),
        on.to_device(W),
        guarded(on, (2, 4, 5, 16), packed_strides((2, 4, 5, 16)), "fp16"),
    )
    result = on.conv(x, w, groups=2, out=y.tensor, validate=True)
    assert result.out is y.tensor
    assert result.changes == ()
    assert y.broken() == []


def test_channels_that_come_first_are_copied_on_the_device() -> None:
    on = last_convolver()
    x, w = (uploaded(on, np.ascontiguousarray(one.transpose(FIRST))) for one in (X, W))
    result = on.conv(x.tensor, w.tensor, groups=2, layout="channels_first", validate=True)
    assert isinstance(result.out, DeviceTensor)
    assert result.out.strides == packed_strides((2, 16, 4, 5))
    assert np.array_equal(result.out.numpy().transpose(0, 2, 3, 1), on.conv(X, W, groups=2).out)
    assert result.changes[0] == "x was copied into channels last, which kernels read"
    words: dict[str, Any] = {"groups": 2, "layout": "channels_first", "validate": True}
    assert on.conv_bwd_weight(result.out, x.tensor, 3, **words).out.shape == (16, 8, 3, 3)
    assert on.conv_bwd_data(result.out, w.tensor, (6, 7), **words).out.shape == (2, 16, 6, 7)
    y = guarded(on, (2, 16, 4, 5), packed_strides((2, 16, 4, 5)), "fp16")
    told = on.conv(x.tensor, w.tensor, out=y.tensor, **words)
    assert told.changes[-1] == "the result was copied into the strides of out"
    assert x.broken() == w.broken() == y.broken() == []


def test_channels_last_in_memory_are_used_where_they_are() -> None:
    on = convolver()
    given = []
    for array in (X, W):
        tensor = on.to_device(array)
        shape, strides = (
            tuple(values[axis] for axis in FIRST) for values in (tensor.shape, tensor.strides)
        )
        given.append(tensor.seen_as(shape, strides))
    result = on.conv(*given, groups=2, layout="channels_first", validate=True)
    assert result.changes == ()
    assert result.out.shape == (2, 16, 4, 5)
    assert result.out.strides[1] == 1


def test_channels_are_padded_on_the_device() -> None:
    on = only_kernels(
        *(kernel_name(direction, MANY) for direction in ("fwd", "bwd_data", "bwd_weight"))
    )
    x, w = uploaded(on, random((2, 5, 6, 6), 1)), uploaded(on, random((10, 3, 2, 3), 2))
    y = guarded(on, (2, 3, 5, 10), packed_strides((2, 3, 5, 10)), "fp16")
    result = on.conv(x.tensor, w.tensor, groups=2, out=y.tensor, validate=True)
    assert result.padded == (8, 8)
    new = on.conv(x.tensor, w.tensor, groups=2, validate=True).out
    assert new.strides == packed_strides((2, 3, 5, 10))
    assert np.array_equal(new.numpy(), y.tensor.numpy())
    dx = on.conv_bwd_data(new, w.tensor, (5, 6), groups=2, validate=True)
    dw = on.conv_bwd_weight(new, x.tensor, (3, 2), groups=2, validate=True)
    assert (dx.out.shape, dw.out.shape) == ((2, 5, 6, 6), (10, 3, 2, 3))
    assert x.broken() == w.broken() == y.broken() == []


def test_tensors_at_odd_addresses_are_copied_and_it_is_said() -> None:
    on = only_kernels(kernel_name("fwd", MANY))
    x, w = uploaded(on, X, shift=2), uploaded(on, W)
    result = on.conv(x.tensor, w.tensor, groups=2, validate=True)
    assert result.padded is None
    (told,) = result.changes
    assert told.endswith(
        "were copied, because no kernel takes their addresses or strides as they are"
    )
    with pytest.raises(NoKernel):
        on.conv(x.tensor, w.tensor, groups=2, pad=False)
    assert x.broken() == []


def test_a_tensor_with_gaps_is_copied_on_the_device() -> None:
    on = convolver()
    x = guarded(on, X.shape, (2000, 280, 40, 2), "fp16")
    x.tensor.write(X)
    result = on.conv(x.tensor, on.to_device(W), groups=2, validate=True)
    assert result.changes == ("x was copied, because it has gaps or is in another order",)
    assert x.broken() == []


def test_tensors_that_contradict_the_problem_are_refused() -> None:
    on = convolver()
    problem = GroupedConvProblem(2, 2, 8, 8, (6, 7), 3)
    x, w, y = on.to_device(X), on.to_device(W), on.empty((2, 4, 5, 16))
    for _ in range(2):  # the second time its plan is known
        with pytest.raises(
            InvalidArgument, match=r"^n2 .* was to be run with w of 100 elements; it has 1152"
        ):
            on.run(problem, x, on.empty((100,)), y)
        with pytest.raises(InvalidArgument, match="with y of fp32; it is of fp16"):
            on.run(problem, x, w, on.empty((2, 4, 5, 16), "fp32"))
        on.run(problem, x, w, y)
    assert np.array_equal(y.numpy(), on.conv(X, W, groups=2).out)
    biased = GroupedConvProblem(2, 2, 8, 8, (6, 7), 3, bias=True, fused_op="Relu")
    with pytest.raises(InvalidArgument, match="with bias of 8 elements; it has 16"):
        on.run(biased, x, w, y, on.empty((8,)))


def test_a_bias_of_the_device_is_used_where_it_is() -> None:
    on = convolver()
    bias = uploaded(on, random((16,), 3))
    result = on.conv(
        on.to_device(X), on.to_device(W), groups=2, bias=bias.tensor, fused_op="Relu", validate=True
    )
    assert result.changes == ()
    assert bias.broken() == []


def test_what_only_has_dlpack_is_read_where_it_is() -> None:
    result = convolver().conv(Foreign(X), Foreign(W), groups=2, validate=True)
    assert np.array_equal(np.asarray(result.out), convolver().conv(X, W, groups=2).out)


def test_calls_remember_their_plans_until_the_registry_changes() -> None:
    registry = convolver().registry.filter(variant="forward")
    on = Dispatcher(registry, convolver().device.name)
    first = on.conv(X, W, groups=2)
    assert on.conv(X, W, groups=2).plan is first.plan
    registry.remove(first.kernel)
    assert on.conv(X, W, groups=2, validate=True).kernel != first.kernel
