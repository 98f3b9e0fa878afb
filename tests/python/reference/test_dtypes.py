# SPDX-License-Identifier: MIT
"""Names and NumPy dtypes map onto each other, and 8-bit floats never without their encoding."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from ckarch import load_specs
from ckdispatch.errors import InvalidArgument
from ckdispatch.reference.dtypes import (
    convert,
    dtype_encoding,
    dtype_name,
    fp8_encoding,
    numpy_dtype,
    pack_fp4,
    unpack_fp4,
)

PLAIN = ["fp16", "bf16", "fp32", "fp64", "int8", "int32", "pk_fp4"]
ENCODED = [(name, encoding) for name in ("fp8", "bf8") for encoding in ("fnuz", "ocp")]


@pytest.mark.parametrize("name", PLAIN)
def test_a_plain_dtype_maps_to_numpy_and_back(name: str) -> None:
    dtype = numpy_dtype(name)
    assert (dtype_name(dtype), dtype_encoding(dtype)) == (name, None)
    assert numpy_dtype(name, "ocp") == dtype


@pytest.mark.parametrize(("name", "encoding"), ENCODED)
def test_an_8_bit_float_maps_to_numpy_and_back_with_its_encoding(name: str, encoding: str) -> None:
    dtype = numpy_dtype(name, encoding)
    assert (dtype_name(dtype), dtype_encoding(dtype)) == (name, encoding)


def test_every_dtype_of_the_arch_table_has_a_size_that_numpy_agrees_with() -> None:
    for name, facts in load_specs().dtypes.items():
        if name == "int4":
            continue
        assert numpy_dtype(name, "ocp").itemsize == facts.bytes * facts.pack, name


def test_the_encodings_are_a_factor_of_two_apart() -> None:
    pattern = np.array([0x38], np.uint8)
    fnuz = pattern.view(numpy_dtype("fp8", "fnuz")).astype(float)
    ocp = pattern.view(numpy_dtype("fp8", "ocp")).astype(float)
    assert (fnuz[0], ocp[0]) == (0.5, 1.0)


@pytest.mark.parametrize(
    ("gpu", "encoding"), [("gfx942", "fnuz"), ("gfx950", "ocp"), ("gfx1201", "ocp")]
)
def test_the_encoding_is_a_fact_about_the_gpu(gpu: str, encoding: str) -> None:
    assert fp8_encoding(gpu) == encoding


def test_an_8_bit_float_without_encoding_is_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"^fp8 was asked for with the encoding None; it nee"):
        numpy_dtype("fp8")
    with pytest.raises(InvalidArgument, match=r"bf8 .* the encoding 'ieee'; it needs 'fnuz' or "):
        numpy_dtype("bf8", "ieee")


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidArgument, match=r"'int4' has no NumPy form; .*fp16, .*pk_fp4, fp8"):
        numpy_dtype("int4")


def test_a_foreign_numpy_dtype_is_refused_with_the_known_ones() -> None:
    for foreign in (np.complex64, np.int16, ml_dtypes.float8_e8m0fnu, "nonsense"):
        with pytest.raises(InvalidArgument, match="belong to no dtype of this project"):
            dtype_name(foreign)


def test_a_gpu_without_8_bit_floats_has_no_encoding() -> None:
    with pytest.raises(InvalidArgument, match=r"^gfx1100 has no instructions for 8-bit floats"):
        fp8_encoding("gfx1100")


def test_an_unknown_gpu_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidArgument, match=r"unknown GPU 'gfx1'; known ones: .*gfx942"):
        fp8_encoding("gfx1")


def test_conversion_rounds_to_nearest_even() -> None:
    halfway = [1 + 2.0**-11, 1 + 3 * 2.0**-11, 1.5]
    assert convert(halfway, "fp16").tolist() == [1.0, 1 + 2.0**-9, 1.5]
    assert convert([True, 2.9, -2.9], "int8").tolist() == [1, 2, -2]


def test_fp4_is_packed_low_half_first() -> None:
    values = convert([[0.5, -6.0], [0.0, 1.0]], "pk_fp4")
    packed = pack_fp4(values)
    assert packed.tolist() == [[0xF1], [0x20]]
    assert unpack_fp4(packed).astype(float).tolist() == values.astype(float).tolist()


def test_packing_survives_any_strides() -> None:
    values = convert(np.arange(24).reshape(4, 6) % 7 - 3, "pk_fp4").T[:, ::2]
    assert (unpack_fp4(pack_fp4(values)).astype(float) == values.astype(float)).all()


def test_what_cannot_be_packed_is_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"shape \(2, 3\) cannot be packed; .* must be even"):
        pack_fp4(convert(np.zeros((2, 3)), "pk_fp4"))
    with pytest.raises(InvalidArgument, match="pack_fp4 takes an array of pk_fp4, not of float32"):
        pack_fp4(np.zeros(2, np.float32))
    with pytest.raises(InvalidArgument, match="unpack_fp4 takes an array of bytes, not of int32"):
        unpack_fp4(np.zeros(2, np.int32))
