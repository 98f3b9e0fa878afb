# SPDX-License-Identifier: MIT
"""Numbers that C would cut off, results in the memory of their operands,
and what callbacks raise.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from ckdispatch import Dispatcher, GemmProblem, Registry
from ckdispatch.arguments import filled
from ckdispatch.errors import CkDispatchError, InvalidArgument, OutOfMemory
from ckdispatch.native.library import native
from ckdispatch.native.structures import BenchmarkOptions, RunOptions
from conv_support import FORWARD
from dispatch_support import ESSENTIAL, dispatcher, everything, of_each_variant, random

TOO_LARGE: dict[str, Callable[[], object]] = {
    "an extent of 2^61+8": lambda: dispatcher().empty((2**61 + 8, 4)),
    "extents whose product is 2^64": lambda: dispatcher().empty((2**32, 2**32)),
    "an extent of -1": lambda: dispatcher().empty((-1, 4)),
    "an extent of 2^80": lambda: dispatcher().empty((2**80,)),
    "a stream of 2^80": lambda: dispatcher().gemm(
        random((64, 64), 1), random((64, 64), 2), stream=2**80
    ),
    "a stream of -1": lambda: dispatcher().synchronize(-1),
    "a priority of 2^40": lambda: Registry.load(ESSENTIAL, priority=2**40),
    "a priority of -2^31-1": lambda: Registry.load(ESSENTIAL, priority=-(2**31) - 1),
    "2^32+1 repetitions": lambda: timed(repeat=2**32 + 1),
    "2^32 warmups": lambda: timed(warmup=2**32),
    "2^32+1 rotating buffers": lambda: timed(rotating_buffers=2**32 + 1),
    "a size of 2^64": lambda: dispatcher().device.allocate(2**64),
    "a byte of 256": lambda: dispatcher().device.fill(dispatcher().empty((64,)).address, 256, 16),
    "an address of 2^64": lambda: dispatcher().run(GemmProblem(64, 64, 64), 2**64, 2**64, 2**64),
    "a split of 2^80": lambda: dispatcher().gemm(
        random((64, 64), 1), random((64, 64), 2), split_k=2**80
    ),
}


def timed(**options: Any) -> Any:
    on = dispatcher()
    tensors = [on.empty((64, 64)), on.empty((64, 64), column_major=True), on.empty((64, 64))]
    return on.benchmark(
        on.plan(GemmProblem(64, 64, 64)), tensors, **{"warmup": 0, "repeat": 1, **options}
    )


@pytest.mark.parametrize("name", TOO_LARGE)
def test_what_c_would_cut_off_is_refused(name: str) -> None:
    with pytest.raises((InvalidArgument, OutOfMemory), match=r"was asked for"):
        TOO_LARGE[name]()


def test_the_fast_path_refuses_streams_and_addresses_too() -> None:
    on, problem = dispatcher(), GemmProblem(64, 64, 64)
    tensors = [on.empty((64, 64)), on.empty((64, 64), column_major=True), on.empty((64, 64))]
    on.run(problem, *tensors)
    for stream in (2**80, -1, "x", 1.5, object()):
        with pytest.raises(InvalidArgument, match="stream"):
            on.run(problem, *tensors, stream=stream)
    with pytest.raises(InvalidArgument, match="the address of a tensor"):
        on.run(problem, *tensors[:2], 2**64 + 16)
    on.synchronize()


def test_every_number_of_a_structure_is_checked() -> None:
    for kind in (RunOptions, BenchmarkOptions):
        for name, ctype in (field[:2] for field in kind._fields_ if field[0] != "struct_size"):
            bits = 8 * ctypes.sizeof(ctype)
            for number in (2**bits, -(2**bits), 2**80):
                with pytest.raises(InvalidArgument, match=f"{name} was asked for"):
                    filled(kind, **{name: number})


def test_no_call_of_the_library_cuts_a_number_off() -> None:
    for name, arguments in (
        ("ckd_device_allocate", (0, 2**64)),
        ("ckd_device_release", (2**64, 0)),
        ("ckd_dispatcher_use_strategy", (0, 2**31)),
    ):
        with pytest.raises(InvalidArgument, match=f"an argument of {name} was asked for"):
            native().call(name, *arguments)


def test_a_text_with_a_null_is_not_the_text_before_it() -> None:
    for given in ({"dtype": "fp16\0x"}, {"layout": "rcr\0"}, {"fused_op": "Relu\0"}):
        with pytest.raises(InvalidArgument):
            GemmProblem(64, 64, 64, **given)  # type: ignore[arg-type]  # what is refused
    with pytest.raises(InvalidArgument, match="null character"):
        _ = everything()["gemm\0"]


class Enough(BaseException):
    """What no ``except Exception`` catches."""


SELECTING: dict[str, Callable[[Dispatcher], object]] = {
    "plan": lambda on: on.plan(GemmProblem(64, 64, 64)),
    "rank": lambda on: on.selection.rank(GemmProblem(64, 64, 64)),
    "gemm": lambda on: on.gemm(random((64, 64), 1), random((64, 64), 2)),
    "grouped_gemm": lambda on: on.grouped_gemm([(random((64, 64), 1), random((64, 64), 2))]),
}
ASKED = [("strategy", name) for name in SELECTING] + [
    ("chooser", name) for name in SELECTING if name != "rank"
]
"""A ranking asks no chooser."""


@pytest.mark.parametrize(
    "raised",
    [SystemExit(3), KeyboardInterrupt(), Enough(), ValueError("mine"), InvalidArgument("mine too")],
    ids=repr,
)
@pytest.mark.parametrize(("way", "action"), ASKED)
def test_what_a_callback_raises_reaches_the_caller(
    raised: BaseException, way: str, action: str
) -> None:
    calls = 0

    def callback(*_: object) -> Any:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise raised
        return 0

    asked: dict[str, Any] = {way: callback}
    on = Dispatcher(everything(), **asked)
    with pytest.raises(type(raised)) as caught:
        SELECTING[action](on)
    assert caught.value is raised
    # It is raised once, not again by the next selection.
    calls = 1
    assert SELECTING[action](on)


def _always(choice: Any, _problem: object, _kernels: object) -> Any:
    return choice


def test_a_chooser_that_chooses_nothing_is_told_so() -> None:
    for choice in (-1, 2**80, None, "x", 1.5):
        with pytest.raises(
            InvalidArgument, match="the kernel that a chooser chose was asked for as"
        ):
            Dispatcher(everything(), chooser=partial(_always, choice)).plan(GemmProblem(64, 64, 64))


def product(a: Any, b: Any) -> Any:
    return a.astype(np.float32) @ b.astype(np.float32)


@pytest.mark.parametrize("validate", [False, True])
@pytest.mark.parametrize("size", [64, 60])
def test_an_out_on_the_host_may_be_an_operand(validate: bool, size: int) -> None:
    """Operands are on the device before the result comes back, padded ones too."""
    on = dispatcher()
    for which in range(2):
        operands = [random((size, size), seed) for seed in (1, 2)]
        expected = product(*operands)
        on.gemm(*operands, out=operands[which], validate=validate)
        assert np.allclose(operands[which], expected, atol=0.05)
    whole = random((2 * size, size), 3)
    other = random((size, size), 4)
    expected = product(whole[:size], other)
    on.gemm(whole[:size], other, out=whole[size // 2 : size // 2 + size], validate=validate)
    assert np.allclose(whole[size // 2 : size // 2 + size], expected, atol=0.05)


@pytest.mark.parametrize("validate", [False, True])
def test_an_out_may_be_a_d_tensor(validate: bool) -> None:
    a, b, d = (random((64, 64), seed) for seed in (1, 2, 3))
    expected = product(a, b) + d
    of_each_variant().gemm(a, b, ds=[d], out=d, validate=validate)
    assert np.allclose(d, expected, atol=0.05)


@pytest.mark.parametrize("validate", [False, True])
def test_outs_of_groups_may_be_operands_of_any_group(validate: bool) -> None:
    a, b, c, d = (random((64, 64), seed) for seed in (1, 2, 3, 4))
    expected = product(a, b), product(c, d)
    outs = dispatcher().grouped_gemm([(a, b), (c, d)], outs=[c, a], validate=validate).outs
    assert np.allclose(outs[0], expected[0], atol=0.05) and np.allclose(
        outs[1], expected[1], atol=0.05
    )


def test_outs_of_groups_have_no_memory_in_common() -> None:
    a, b, out = random((64, 64), 1), random((64, 64), 2), np.zeros((96, 64), np.float16)
    with pytest.raises(InvalidArgument, match="out 0 and out 1 have memory in common"):
        dispatcher().grouped_gemm([(a, b), (b, a)], outs=[out[:64], out[32:]])
    apart = np.zeros((64, 2, 64), np.float16)
    dispatcher().grouped_gemm([(a, b), (b, a)], outs=[apart[:, 0], apart[:, 1]], validate=True)


@pytest.mark.parametrize("validate", [False, True])
def test_an_out_of_a_convolution_may_be_its_input(validate: bool) -> None:
    on = Dispatcher(Registry.load(FORWARD))
    images, filters = random((1, 8, 8, 32), 1), random((32, 3, 3, 32), 2)
    expected = on.conv(images.copy(), filters, padding=1, validate=True).out
    on.conv(images, filters, padding=1, out=images, validate=validate)
    assert np.array_equal(images, expected)


def test_an_out_whose_elements_are_the_same_memory_is_refused() -> None:
    line = np.zeros(64, np.float16)
    out = np.lib.stride_tricks.as_strided(line, (64, 64), (0, 2), writeable=True)
    with pytest.raises(InvalidArgument, match="some of its elements are the same memory"):
        dispatcher().gemm(random((64, 64), 1), random((64, 64), 2), out=out)


def test_validation_of_a_result_over_its_operand_on_the_device_is_refused() -> None:
    on = dispatcher()
    a, b = on.to_device(random((64, 64), 1)), on.to_device(random((64, 64), 2), column_major=True)
    with pytest.raises(CkDispatchError, match="out lies in the memory of A"):
        on.gemm(a, b, out=a, validate=True)


def test_a_sentence_is_never_longer_than_anyone_reads() -> None:
    for action in (
        lambda: GemmProblem.parse("x" * 20_000_000),
        lambda: everything()["x" * 20_000_000],
        lambda: dispatcher().empty((4, 4), "x" * 20_000_000),
    ):
        with pytest.raises(CkDispatchError) as caught:
            action()
        assert 20 < len(str(caught.value)) <= 2000
