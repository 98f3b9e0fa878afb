# SPDX-License-Identifier: MIT
"""An open device: memory, copies and streams. Opening it is what loads HIP."""

from __future__ import annotations

import os
import weakref
from typing import TYPE_CHECKING, Any

from ckdispatch.arguments import address, in_range, text, whole
from ckdispatch.arguments import size as checked_size
from ckdispatch.errors import DeviceFailed, InvalidArgument
from ckdispatch.native import places
from ckdispatch.native.library import native
from ckdispatch.wording import kind_of, quoted

if TYPE_CHECKING:
    import numpy as np


class Device:
    """``hip:0`` or ``sim:gfx942``, opened."""

    def __init__(self, name: str) -> None:
        called = text("a device", name)
        simulator = os.fsencode(places.simulator_library()) if name.startswith("sim:") else None
        self.name = name
        self.handle = native().make("ckd_device_open", called, simulator)
        self.gpu: str = native().functions.ckd_device_gpu(self.handle).decode()
        self.simulated = name.startswith("sim:")
        self.process = os.getpid()
        self._dtypes: dict[str, np.dtype[Any]] = {}
        weakref.finalize(self, native().functions.ckd_device_close, self.handle)

    def check_process(self) -> None:
        """Raises in a forked child: a HIP runtime does not survive a fork."""
        if os.getpid() != self.process:
            raise DeviceFailed(
                f"the device {self.name} was opened before this process was forked, and HIP does "
                "not survive that; "
                "run nothing before forking, or start processes by spawning"
            )

    def numpy_dtype(self, dtype: str) -> np.dtype[Any]:
        """The NumPy dtype of a project dtype as this GPU encodes it."""
        if not isinstance(dtype, str):
            raise InvalidArgument(
                f"the dtype {quoted(dtype)} was asked for; it is a word such as 'fp16'"
            )
        if dtype not in self._dtypes:
            from ckdispatch.reference.dtypes import fp8_encoding, numpy_dtype

            encoding = fp8_encoding(self.gpu) if dtype in ("fp8", "bf8") else None
            self._dtypes[dtype] = numpy_dtype(dtype, encoding)
        return self._dtypes[dtype]

    def allocate(self, size: int) -> int:
        self.check_process()
        return native().make(
            "ckd_device_allocate", self.handle, checked_size("a size in bytes", size)
        )

    def copy_in(self, to: int, from_host: int, size: int) -> None:
        native().call(
            "ckd_device_copy_in", self.handle, to, from_host, checked_size("a size in bytes", size)
        )

    def copy_out(self, to_host: int, source: int, size: int) -> None:
        native().call(
            "ckd_device_copy_out",
            self.handle,
            to_host,
            source,
            checked_size("a size in bytes", size),
        )

    def copy_rows(
        self,
        to: int,
        to_pitch: int,
        source: int,
        source_pitch: int,
        width: int,
        rows: int,
        stream: int | None = None,
    ) -> None:
        """Copies ``rows`` of ``width`` bytes on the device, rows ``pitch`` bytes apart."""
        native().call(
            "ckd_device_copy_rows",
            self.handle,
            to,
            to_pitch,
            source,
            source_pitch,
            width,
            rows,
            stream,
        )

    def fill(self, address: int, byte: int, size: int, stream: Any = None) -> None:
        value, length = in_range("a byte", byte, 0, 255), checked_size("a size in bytes", size)
        native().call(
            "ckd_device_fill", self.handle, address, value, length, stream_address(stream)
        )

    def synchronize(self, stream: Any = None) -> None:
        native().call("ckd_device_synchronize", self.handle, stream_address(stream))

    def stream(self) -> Stream:
        """A stream of its own; freed when nothing refers to it."""
        self.check_process()
        return Stream(self)

    def __repr__(self) -> str:
        return f"Device({self.name})"


class Stream:
    """A queue of work on a device."""

    __slots__ = ("__weakref__", "address", "device")

    def __init__(self, device: Device) -> None:
        self.device = device
        self.address = native().make("ckd_device_create_stream", device.handle)
        weakref.finalize(
            self, native().functions.ckd_device_destroy_stream, device.handle, self.address
        )

    def synchronize(self) -> None:
        self.device.synchronize(self.address)


def stream_address(stream: Any) -> int | None:
    """The address behind a stream: this package's, another library's (``cuda_stream``), or the
    address itself.
    """
    if stream is None:
        return None
    if type(stream) is Stream:
        return stream.address
    if not hasattr(stream, "__index__"):
        stream = next(
            (getattr(stream, name) for name in ("address", "cuda_stream") if hasattr(stream, name)),
            stream,
        )
    if whole(stream) is None:
        raise InvalidArgument(
            f"{kind_of(stream)} was given as a stream; it is one of device.stream(), one of torch, "
            "or the address of one"
        )
    return address("a stream", stream)
