# SPDX-License-Identifier: MIT
"""The plain kernels against NumPy: every dtype, strides, batches, directions, parts of a sum."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from ckdispatch import DeviceTensor
from ckdispatch.config.values import arch_specs
from ckdispatch.device import Device
from ckdispatch.grouped_conv.on_device import convolution_on_device
from ckdispatch.grouped_conv.reference import grouped_conv_reference
from ckdispatch.grouped_conv.sizes import TENSORS, ConvSizes
from ckdispatch.native import places
from ckdispatch.product.sums import Parts
from ckdispatch.reference.on_device import DeviceSums
from numpy.typing import NDArray

MIXED = (("fp8", "bf8"), ("bf8", "fp8"))
CONVOLVED = (*((one, one) for one in ("fp16", "bf16", "fp32", "fp8", "bf8", "int8")), *MIXED)
MULTIPLIED = (*CONVOLVED, *((one, one) for one in ("fp64", "int32", "pk_fp4")))
"""What A and B are of: all that kernels have, and what else the plain kernels read."""
CONVOLUTIONS = (
    ConvSizes.of(2, 3, 4, 5, input=(9,), filter=3, stride=2, left_pad=1, right_pad=2),
    ConvSizes.of(
        2, 1, 3, 4, input=(7, 8), filter=(3, 2), stride=(2, 3), dilation=(2, 1), left_pad=(2, 0),
        right_pad=1,
    ),
    ConvSizes.of(1, 2, 3, 2, input=(5, 4, 6), filter=(2, 3, 1), stride=(1, 2, 2), left_pad=1),
)  # fmt: skip  # short


@pytest.fixture(scope="module")
def device() -> Device:
    return Device(f"sim:{os.environ['CK_GPU']}")


def placed(device: Device, array: NDArray[Any], dtype: str) -> DeviceTensor:
    tensor = DeviceTensor.allocate(device, array.shape, dtype)
    tensor.write(array)
    return tensor


def skip_without(device: Device, *dtypes: str) -> None:
    if {"fp8", "bf8"} & {*dtypes} and arch_specs().gpu(device.gpu).fp8_encoding.value == "none":
        pytest.skip("a GPU without 8-bit floats")


def numbers(
    device: Device, dtype: str, shape: tuple[int, ...], special: bool = True
) -> NDArray[Any]:
    """With what is special in the dtype, or without."""
    kind = device.numpy_dtype(dtype)
    random = np.random.default_rng([sum(shape), len(dtype)])
    if dtype.startswith("int"):
        return random.integers(-127, 127, shape).astype(kind)
    values = random.standard_normal(shape)
    values[..., ::3] *= 1e-3
    if special and dtype != "pk_fp4":
        values.flat[1], values.flat[shape[-1] + 2] = np.nan, np.inf
    with np.errstate(over="ignore"):
        return values.astype(kind)


def named(dtypes: tuple[str, str]) -> str:
    return "x".join(dict.fromkeys(dtypes))


@pytest.mark.parametrize("dtypes", MULTIPLIED, ids=named)
def test_products_are_numpys(device: Device, dtypes: tuple[str, str]) -> None:
    skip_without(device, *dtypes)
    of_a, of_b = dtypes
    a, b = numbers(device, of_a, (2, 9, 36)), numbers(device, of_b, (36, 14))
    found = DeviceSums(device).of_product(placed(device, a, of_a), placed(device, b, of_b))
    wide = a.astype(np.float64), b.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        for part in (slice(0, 36), slice(8, 20), slice(36, 36)):
            left, right = wide[0][..., part], wide[1][part]
            sums, magnitudes = found(part)
            np.testing.assert_allclose(sums, left @ right, rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(magnitudes, np.abs(left) @ np.abs(right), rtol=1e-12)


def test_strides_are_followed(device: Device) -> None:
    whole = np.arange(12 * 20, dtype=np.float32).reshape(12, 20)
    on = placed(device, whole, "fp32")
    a, b = on.seen_as((5, 7), (20, 1)), on.seen_as((7, 6), (1, 20))
    sums, _ = DeviceSums(device).of_product(a, b)(slice(0, 7))
    assert np.array_equal(sums, whole[:5, :7] @ whole[:6, :7].T)


@pytest.mark.parametrize("direction", TENSORS)
@pytest.mark.parametrize("sizes", CONVOLUTIONS, ids=lambda sizes: f"{len(sizes.axes)}d")
@pytest.mark.parametrize("dtypes", CONVOLVED, ids=named)
def test_convolutions_are_numpys(
    device: Device, dtypes: tuple[str, str], sizes: ConvSizes, direction: str
) -> None:
    skip_without(device, *dtypes)
    names = TENSORS[direction][:2]
    a, b = (
        numbers(device, dtype, sizes.shape(name), special=False)
        for name, dtype in zip(names, dtypes, strict=True)
    )
    tensors = {
        name: placed(device, array, dtype)
        for name, array, dtype in zip(names, (a, b), dtypes, strict=True)
    }
    splits = [Parts(), Parts(3, 4)] if direction == "backward_weight" else [Parts()]
    for parts in splits:
        expected = grouped_conv_reference(direction, a, b, sizes, parts=parts)
        one, other, products = convolution_on_device(direction, sizes, tensors)
        found = grouped_conv_reference(direction, one, other, sizes, parts=parts, products=products)
        np.testing.assert_allclose(found.exact, expected.exact, rtol=1e-12, atol=1e-12)
        # Inputs that meet no tap have no error, and this has one for each that there could be.
        bound, own = (np.asarray(one.tolerance.absolute) for one in (expected, found))
        assert np.all(own >= bound * (1 - 1e-6))
        assert np.all(own <= 2 * bound + 1e-3)


def test_code_that_is_not_there_is_asked_for(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CKDISPATCH_REFERENCE_CODE", "/nowhere/reference.co")
    with pytest.raises(Exception, match=r"CKDISPATCH_REFERENCE_CODE names /nowhere/reference\.co"):
        DeviceSums(device)
    monkeypatch.delenv("CKDISPATCH_REFERENCE_CODE")
    assert places.reference_code(device.gpu).name == f"reference_{device.gpu}.co"
