# SPDX-License-Identifier: MIT
"""The project's dtypes as NumPy dtypes, and back.

8-bit floats have two encodings, and a codec that mixes them up is wrong by a factor of two. Which
one a kernel reads is a fact about its GPU, so whoever asks for ``fp8`` or ``bf8`` must say which.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from ckarch import UnknownNameError, load_specs
from numpy.typing import ArrayLike, NDArray

from ckdispatch.errors import InvalidArgument
from ckdispatch.reference.formats import round_to
from ckdispatch.wording import quoted

ENCODINGS = ("fnuz", "ocp")

AnyDtype = np.dtype[Any]

_PLAIN: dict[str, AnyDtype] = {
    "fp16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "fp32": np.dtype(np.float32),
    "fp64": np.dtype(np.float64),
    "int8": np.dtype(np.int8),
    "int32": np.dtype(np.int32),
    "pk_fp4": np.dtype(ml_dtypes.float4_e2m1fn),
}
_ENCODED: dict[str, dict[str, AnyDtype]] = {
    "fp8": {"fnuz": np.dtype(ml_dtypes.float8_e4m3fnuz), "ocp": np.dtype(ml_dtypes.float8_e4m3fn)},
    "bf8": {"fnuz": np.dtype(ml_dtypes.float8_e5m2fnuz), "ocp": np.dtype(ml_dtypes.float8_e5m2)},
}
_NAMES: dict[AnyDtype, tuple[str, str | None]] = {
    **{kind: (name, None) for name, kind in _PLAIN.items()},
    **{
        kind: (name, encoding)
        for name, kinds in _ENCODED.items()
        for encoding, kind in kinds.items()
    },
}


def numpy_dtype(name: str, encoding: str | None = None) -> AnyDtype:
    """The NumPy dtype of elements called ``name``; ``encoding`` matters to 8-bit floats alone.

    A NumPy array of ``pk_fp4`` holds one element per byte; ``pack_fp4`` makes what kernels read.
    """
    if name in _PLAIN:
        return _PLAIN[name]
    if name in _ENCODED:
        if encoding is None or encoding not in ENCODINGS:
            raise InvalidArgument(
                f"{name} was asked for with the encoding {quoted(encoding)}; it needs 'fnuz' or "
                "'ocp', "
                "and fp8_encoding(gpu) tells which one a GPU uses"
            )
        return _ENCODED[name][encoding]
    known = ", ".join((*_PLAIN, *_ENCODED))
    raise InvalidArgument(
        f"the dtype {quoted(name)} has no NumPy form; those that have are {known}"
    )


def dtype_name(dtype: object) -> str:
    """The project's name of a NumPy dtype."""
    return _look_up(dtype)[0]


def dtype_encoding(dtype: object) -> str | None:
    """``"fnuz"`` or ``"ocp"`` for 8-bit floats, None for every other dtype."""
    return _look_up(dtype)[1]


def fp8_encoding(gpu: str) -> str:
    """How kernels for ``gpu`` read 8-bit floats."""
    try:
        encoding = load_specs().gpu(gpu).fp8_encoding.value
    except UnknownNameError as error:
        raise InvalidArgument(str(error).rstrip(".")) from error
    if encoding not in ENCODINGS:
        raise InvalidArgument(f"{gpu} has no instructions for 8-bit floats, so no encoding of them")
    return encoding


def convert(values: ArrayLike, name: str, encoding: str | None = None) -> NDArray[Any]:
    """``values`` as an array of ``name``, rounded to nearest even as a kernel's epilogue does.

    What is too large becomes infinite, or the largest number where CK saturates: in 8-bit floats.
    """
    return round_to(np.asarray(values), numpy_dtype(name, encoding))


def pack_fp4(values: NDArray[Any]) -> NDArray[np.uint8]:
    """``pk_fp4`` elements as kernels read them: two in a byte along the last axis.

    The first of the two is in the low half.
    """
    if dtype_name(values.dtype) != "pk_fp4":
        raise InvalidArgument(f"pack_fp4 takes an array of pk_fp4, not of {values.dtype}")
    if values.ndim == 0 or values.shape[-1] % 2:
        raise InvalidArgument(
            f"an array of shape {values.shape} cannot be packed; its last extent must be even"
        )
    halves = np.ascontiguousarray(values).view(np.uint8)
    packed: NDArray[np.uint8] = np.bitwise_or(halves[..., 0::2] & 0xF, halves[..., 1::2] << 4)
    return packed


def unpack_fp4(packed: NDArray[np.uint8]) -> NDArray[Any]:
    """The inverse of ``pack_fp4``."""
    if packed.dtype != np.uint8 or packed.ndim == 0:
        raise InvalidArgument(f"unpack_fp4 takes an array of bytes, not of {packed.dtype}")
    halves = np.stack((packed & 0xF, packed >> 4), axis=-1)
    return halves.reshape(*packed.shape[:-1], -1).view(numpy_dtype("pk_fp4"))


def _look_up(dtype: object) -> tuple[str, str | None]:
    try:
        return _NAMES[np.dtype(dtype)]  # type: ignore[call-overload]  # NumPy says what is no dtype
    except (KeyError, TypeError):
        known = ", ".join(str(kind) for kind in _NAMES)
        raise InvalidArgument(
            f"arrays of {dtype} belong to no dtype of this project; those that do are of {known}"
        ) from None
