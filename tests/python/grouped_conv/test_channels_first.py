# SPDX-License-Identifier: MIT
"""``Dispatcher.conv`` with kernels that have channels first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from ckdispatch import DeviceTensor, Dispatcher
from ckdispatch.errors import NoKernel
from ckdispatch.grouped_conv.layouts import is_channels_first
from ckdispatch.tensors.memory import packed_strides
from conv_support import convolver, first_convolver, last_convolver
from dispatch_support import guarded, random
from numpy.typing import NDArray

X, W = random((2, 16, 6, 7), 1), random((16, 8, 3, 3), 2)
WORDS: dict[str, Any] = {"groups": 2, "layout": "channels_first", "validate": True}


def has_channels_first(on: Dispatcher, kernel: str) -> bool:
    return is_channels_first(on.registry[kernel].spec["layout"])


def in_other_order(array: NDArray[Any]) -> NDArray[Any]:
    """The same, with channels last in memory."""
    return np.moveaxis(np.moveaxis(array, 1, -1).copy(), -1, 1)


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_tensors_of_the_host_are_taken_as_they_are(axes: int) -> None:
    x, w = random((2, 6, *(7, 6, 5)[:axes]), 1), random((10, 3, *(2, 3, 2)[:axes]), 2)
    steps: dict[str, Any] = {"stride": (2, 1, 1)[:axes], "padding": (1, 2, 0)[:axes], "dilation": 2}
    result = first_convolver().conv(x, w, **steps, **WORDS)
    assert result.changes == ()
    assert result.padded is None
    assert result.out.flags.c_contiguous
    copied = last_convolver().conv(x, w, **steps, **WORDS)
    assert len(copied.changes) == 3
    assert np.allclose(result.out, copied.out, atol=0.02)


def test_they_are_preferred_where_both_would_do() -> None:
    result = convolver().conv(X, W, **WORDS)
    assert has_channels_first(convolver(), result.kernel)
    assert result.changes == ()


def test_tensors_of_the_device_stay_where_they_are() -> None:
    on = first_convolver()
    x, w = (guarded(on, one.shape, packed_strides(one.shape), "fp16") for one in (X, W))
    y = guarded(on, (2, 16, 4, 5), packed_strides((2, 16, 4, 5)), "fp16")
    x.tensor.write(X)
    w.tensor.write(W)
    new = on.conv(x.tensor, w.tensor, **WORDS)
    assert isinstance(new.out, DeviceTensor)
    assert new.out.strides == packed_strides((2, 16, 4, 5))
    told = on.conv(x.tensor, w.tensor, out=y.tensor, **WORDS)
    assert told.out is y.tensor
    assert new.changes == told.changes == ()
    assert np.array_equal(new.out.numpy(), y.tensor.numpy())
    assert x.broken() == w.broken() == y.broken() == []


def test_out_of_the_host_is_written() -> None:
    whole = np.full((3, 16, 4, 5), 9, np.float16)
    result = first_convolver().conv(X, W, out=whole[1:], **WORDS)
    assert result.changes == ()
    assert np.all(whole[0] == 9)
    assert np.array_equal(whole[1:], first_convolver().conv(X, W, **WORDS).out)


def with_gaps(array: NDArray[Any]) -> NDArray[Any]:
    """The same, with others in between."""
    return np.repeat(array, 2, axis=1)[:, ::2]


@pytest.mark.parametrize("lies", [in_other_order, with_gaps])
@pytest.mark.parametrize("which", ["x", "w", "out"])
def test_one_that_lies_otherwise_is_copied(which: str, lies: Callable[..., NDArray[Any]]) -> None:
    given: dict[str, Any] = {"x": X, "w": W, "out": np.zeros((2, 16, 4, 5), np.float16)}
    given[which] = lies(given[which])
    result = convolver().conv(**given, **WORDS)
    assert has_channels_first(convolver(), result.kernel)
    copied = f"{which} was copied into channels first, which the kernel reads"
    assert result.changes == (
        copied if which != "out" else "the result was copied into the strides of out",
    )
    assert np.array_equal(given["out"], convolver().conv(X, W, **WORDS).out)


@pytest.mark.parametrize("which", ["x", "w", "out"])
def test_one_of_the_device_that_has_gaps_is_copied(which: str) -> None:
    on = convolver()
    guards = {}
    for name, shape in (("x", X.shape), ("w", W.shape), ("out", (2, 16, 4, 5))):
        step = 2 if name == which else 1
        strides = tuple(step * stride for stride in packed_strides(shape))
        guards[name] = guarded(on, shape, strides, "fp16")
    guards["x"].tensor.write(X)
    guards["w"].tensor.write(W)
    tensors: dict[str, Any] = {name: guard.tensor for name, guard in guards.items()}
    result = on.conv(**tensors, **WORDS)
    assert has_channels_first(on, result.kernel)
    assert len(result.changes) == 1
    assert np.array_equal(result.out.numpy(), on.conv(X, W, **WORDS).out)
    assert [guard.broken() for guard in guards.values()] == [[], [], []]


def test_what_lies_channels_last_is_copied_where_only_such_kernels_are() -> None:
    x, w = in_other_order(X), in_other_order(W)
    result = first_convolver().conv(x, w, **WORDS)
    assert result.changes == tuple(
        f"{name} was copied into channels first, which the kernel reads" for name in "xw"
    )
    assert np.array_equal(result.out, first_convolver().conv(X, W, **WORDS).out)
    assert convolver().conv(x, w, **WORDS).changes == ()


def test_x_that_lies_channels_last_has_a_result_like_it() -> None:
    result = convolver().conv(in_other_order(X), W, **WORDS)
    assert result.changes == ("w was copied into channels last, which kernels read",)
    assert np.moveaxis(result.out, 1, -1).flags.c_contiguous


def test_channels_are_padded_where_only_such_kernels_are() -> None:
    x, w = (random(shape, 1, ml_dtypes.bfloat16) for shape in ((2, 6, 6, 6), (10, 3, 3, 3)))
    names = [one.name for one in first_convolver().registry if one.spec["vector_a"] > 1]
    on = Dispatcher(first_convolver().registry.filter(predicate=lambda one: one.name in names))
    result = on.conv(in_other_order(x), w, **WORDS)
    assert result.padded == (8, 5)
    assert result.changes[1] == "x was copied into channels first, which the kernel reads"
    assert result.out.shape == (2, 10, 4, 4)


def test_the_refusal_is_of_kernels_that_have_channels_first_if_there_are_some() -> None:
    with pytest.raises(NoKernel, match=r"ngchw Gelu on .* computes the convolution alone"):
        convolver().conv(X, W, fused_op="Gelu", **WORDS)
    with pytest.raises(NoKernel, match=r"nhwgc Gelu on"):
        last_convolver().conv(X, W, fused_op="Gelu", **WORDS)


def test_what_no_such_kernel_computes_is_copied() -> None:
    result = convolver().conv(X, W, bias=random((16,), 3), fused_op="Relu", **WORDS)
    assert not has_channels_first(convolver(), result.kernel)
    assert result.changes[0] == "x was copied into channels last, which kernels read"


def test_positions_that_their_vectors_do_not_fit_are_copied() -> None:
    x, w = random((1, 8, 6, 6), 1, ml_dtypes.bfloat16), random((8, 8, 3, 3), 2, ml_dtypes.bfloat16)
    words = {**WORDS, "groups": 1}
    result = convolver().conv(x, w, **words)  # 16 outputs, of which 8 are stored at a time
    assert has_channels_first(convolver(), result.kernel)
    odd = convolver().conv(x[..., :5].copy(), w, **words)
    assert not has_channels_first(convolver(), odd.kernel)
    assert len(odd.changes) == 3


def test_odd_addresses_are_no_reason_to_copy_what_is_read_one_by_one() -> None:
    on = first_convolver()
    x = guarded(on, X.shape, packed_strides(X.shape), "fp16", shift=2)
    x.tensor.write(X)
    result = on.conv(x.tensor, on.to_device(W), **WORDS)
    assert result.changes == ()
    assert result.plan.problem.alignment == 2
    assert x.broken() == []


def test_they_serve_no_other_layout() -> None:
    x, w = (np.moveaxis(one, 1, -1).copy() for one in (X, W))
    with pytest.raises(NoKernel, match=r"nhwgc on .* computes the layout ngchw, not nhwgc"):
        first_convolver().conv(x, w, groups=2)


def test_calls_remember_their_plans_until_the_registry_changes() -> None:
    registry = convolver().registry.filter(variant="forward")
    on = Dispatcher(registry, convolver().device.name)
    before = on.conv(X, W, **WORDS)
    assert on.conv(X, W, **WORDS).plan is before.plan
    for kernel in [one.name for one in registry if is_channels_first(one.spec["layout"])]:
        registry.remove(kernel)
    after = on.conv(X, W, **WORDS)
    assert len(after.changes) == 3
    assert on.conv(X, W, **WORDS).plan is after.plan
