# SPDX-License-Identifier: MIT
"""``Dispatcher.gemm`` on arrays of the host, tensors of the device, and what other libraries hand
over.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from ckdispatch import DeviceTensor
from ckdispatch.errors import InvalidArgument, NoKernel
from dispatch_support import dispatcher, guarded, random


class Foreign:
    """A tensor of another library: all that is known of it is DLPack."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        device: tuple[int, int] = self.array.__dlpack_device__()
        return device


def test_arrays_in_and_out() -> None:
    a, b = random((64, 96), 1), random((96, 128), 2)
    result = dispatcher().gemm(a, b, validate=True)
    assert isinstance(result.out, np.ndarray)
    assert result.out.shape == (64, 128)
    assert result.out.dtype == np.float16
    assert np.allclose(result.out, a.astype(np.float32) @ b.astype(np.float32), atol=0.05)
    assert result.simulated is dispatcher().device.simulated
    assert result.padded is None


def test_operands_that_are_columns_already_are_not_copied_into_columns() -> None:
    a, b = random((64, 96), 1), np.asfortranarray(random((96, 128), 2))
    result = dispatcher().gemm(a, b, validate=True)
    assert result.changes == ()


@pytest.mark.parametrize("view", ["reversed", "strided", "transposed", "offset"])
def test_any_strides_of_the_host_are_taken(view: str) -> None:
    whole = random((256, 192), 3)
    a = {
        "reversed": whole[63::-1, :96],
        "strided": whole[:128:2, ::2],
        "transposed": whole[:96, :64].T,
        "offset": whole[3:67, 5:101],
    }[view]
    b = random((a.shape[1], 64), 4)
    result = dispatcher().gemm(a, b, validate=True)
    assert result.comparison is not None
    assert result.comparison.ok


def test_out_is_written_where_it_is_and_nothing_around_it() -> None:
    a, b = random((64, 64), 1), random((64, 64), 2)
    whole = np.full((80, 100), 9, np.float16)
    out = whole[8:72, 16:80]
    result = dispatcher().gemm(a, b, out=out)
    assert result.out is out
    assert np.allclose(out, a.astype(np.float32) @ b.astype(np.float32), atol=0.05)
    untouched = whole.copy()
    untouched[8:72, 16:80] = 9
    assert np.all(untouched == 9)


def test_a_batch_is_multiplied_matrix_by_matrix() -> None:
    a, b = random((3, 64, 96), 1), random((3, 96, 64), 2)
    result = dispatcher().gemm(a, b, validate=True)
    assert result.out.shape == (3, 64, 64)


def test_an_operand_may_be_shared_by_the_batch() -> None:
    a, b = random((3, 64, 96), 1), random((96, 64), 2)
    assert dispatcher().gemm(a, b, validate=True).out.shape == (3, 64, 64)
    assert dispatcher().gemm(a[0], np.stack([b, b]), validate=True).out.shape == (2, 64, 64)


def test_tensors_of_the_device_stay_there() -> None:
    on = dispatcher()
    a, b = on.to_device(random((64, 64), 1)), on.to_device(random((64, 64), 2), column_major=True)
    result = on.gemm(a, b, validate=True)
    assert isinstance(result.out, DeviceTensor)
    assert result.changes == ()


def test_out_on_the_device_is_used_where_it_is() -> None:
    on = dispatcher()
    a, b, c = (
        on.to_device(random((64, 64), 1)),
        on.to_device(random((64, 64), 2), column_major=True),
        on.empty((64, 64)),
    )
    assert on.gemm(a, b, out=c, validate=True).out is c


def test_strides_of_the_device_are_kept() -> None:
    on = dispatcher()
    left = guarded(on, (64, 64), (80, 1), "fp16")
    right = guarded(on, (64, 64), (1, 72), "fp16")
    target = guarded(on, (64, 64), (96, 1), "fp16")
    left.tensor.write(random((64, 64), 1))
    right.tensor.write(random((64, 64), 2))
    on.gemm(left.tensor, right.tensor, out=target.tensor, validate=True)
    assert left.broken() == right.broken() == target.broken() == []


def test_what_only_has_dlpack_is_read_where_it_is() -> None:
    a, b = random((64, 64), 1), random((64, 64), 2)
    result = dispatcher().gemm(Foreign(a), Foreign(b.T), validate=True)
    assert np.allclose(
        np.asarray(result.out), a.astype(np.float32) @ b.T.astype(np.float32), atol=0.05
    )


def test_out_by_dlpack_is_written_where_it_is() -> None:
    out = np.zeros((64, 64), np.float16)
    target = Foreign(out)
    a, b = random((64, 64), 1), random((64, 64), 2)
    assert dispatcher().gemm(a, b, out=target).out is target
    assert np.allclose(out, a.astype(np.float32) @ b.astype(np.float32), atol=0.05)


def test_a_tensor_that_its_library_does_not_hand_over_gets_a_sentence() -> None:
    class Kept(Foreign):
        def __dlpack__(self, **options: Any) -> Any:
            raise RuntimeError("it requires a gradient")

    with pytest.raises(
        InvalidArgument,
        match="a Kept was given that cannot be handed over by DLPack: it requires a gradient",
    ):
        dispatcher().gemm(Kept(random((64, 64), 1)), random((64, 64), 2))


def test_split_k_is_right_within_its_own_tolerance() -> None:
    result = dispatcher().gemm(random((64, 512), 1), random((512, 64), 2), split_k=4, validate=True)
    assert result.plan.parts == 4


@pytest.mark.parametrize(
    ("a", "b", "sentence"),
    [
        (
            np.zeros((2, 3), np.float16),
            np.zeros((4, 2), np.float16),
            "A's columns must be as many as B's rows",
        ),
        (np.zeros(3, np.float16), np.zeros((3, 2), np.float16), r"A has the shape \(3,\)"),
        (np.zeros((0, 3), np.float16), np.zeros((3, 2), np.float16), "no extent of 0"),
        (np.zeros((2, 4, 4), np.float16), np.zeros((3, 4, 4), np.float16), "different batches"),
        ([[1.0]], np.zeros((1, 1), np.float16), "A is a list; give a NumPy array"),
        (np.zeros((2, 2), complex), np.zeros((2, 2), np.float16), "complex128"),
    ],
)
def test_operands_that_do_not_fit_get_a_sentence(a: Any, b: Any, sentence: str) -> None:
    with pytest.raises(InvalidArgument, match=sentence):
        dispatcher().gemm(a, b)


def test_an_out_that_does_not_fit_gets_a_sentence() -> None:
    a, b = random((64, 64), 1), random((64, 64), 2)
    with pytest.raises(InvalidArgument, match=r"out has the shape \(64, 32\)"):
        dispatcher().gemm(a, b, out=np.zeros((64, 32), np.float16))
    frozen = np.zeros((64, 64), np.float16)
    frozen.flags.writeable = False
    with pytest.raises(InvalidArgument, match="cannot be written to"):
        dispatcher().gemm(a, b, out=frozen)
    with pytest.raises(InvalidArgument, match="out holds fp16, and dtype='fp32'"):
        dispatcher().gemm(a, b, out=np.zeros((64, 64), np.float16), dtype="fp32")


def test_a_dtype_without_a_kernel_gets_the_reason() -> None:
    a = np.zeros((64, 64), ml_dtypes.bfloat16)
    with pytest.raises(NoKernel, match="bf16"):
        dispatcher().gemm(a, a)


def test_the_other_encoding_of_8_bit_floats_is_refused() -> None:
    a = np.zeros((64, 64), ml_dtypes.float8_e4m3fn)
    with pytest.raises(
        InvalidArgument,
        match="holds fp8 in the ocp encoding, and gfx942 computes in the fnuz encoding",
    ):
        dispatcher().gemm(a, a)


@pytest.mark.parametrize("gpu", ["gfx950", "gfx1200", "gfx1201"])
def test_the_encoding_of_gfx942_is_refused_on_gpus_with_the_other(gpu: str) -> None:
    # A process simulates one GPU. What the kernels are does not matter: operands come first.
    program = f"""
import ckdispatch, ml_dtypes, numpy as np
dispatcher = ckdispatch.Dispatcher(ckdispatch.Registry(), "sim:{gpu}")
for kind in (ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2fnuz):
    a = np.zeros((64, 64), kind)
    try:
        dispatcher.gemm(a, a)
    except ckdispatch.errors.InvalidArgument as error:
        print(error)
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    ended = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    refused = f"in the fnuz encoding, and {gpu} computes in the ocp encoding"
    assert [refused in line for line in ended.stdout.splitlines()] == [True, True]


def test_a_tensor_of_the_device_with_gaps_everywhere_is_refused() -> None:
    on = dispatcher()
    odd = guarded(on, (32, 32), (128, 2), "fp16").tensor
    with pytest.raises(InvalidArgument, match="its rows or its columns must be contiguous"):
        on.gemm(odd, on.to_device(random((32, 32), 1)))
