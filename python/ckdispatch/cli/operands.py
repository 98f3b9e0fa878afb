# SPDX-License-Identifier: MIT
"""Operands of random problems, and the launch on them."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ckdispatch.cli.report import extents
from ckdispatch.errors import OutOfMemory

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ckdispatch.base_dispatcher import BaseDispatcher
    from ckdispatch.cli.families import Workload
    from ckdispatch.comparison import Reference
    from ckdispatch.device import Device
    from ckdispatch.plan import Plan
    from ckdispatch.tensors.device_tensor import DeviceTensor

_POISON = 0xFF
"""What a result holds before the launch: no number in any float, so nothing is right by chance."""


class Launched:
    """A plan with its tensors on the device."""

    dispatcher: BaseDispatcher
    plan: Plan[Any]
    tensors: Sequence[DeviceTensor]

    def launch(self) -> None:
        """Run the plan once, and wait for it."""
        addresses = [tensor.address for tensor in self.tensors]
        self.dispatcher.launch(self.plan, addresses, None)
        self.dispatcher.synchronize()

    def with_plan(self, plan: Plan[Any]) -> Workload | None:
        """The same operands for another plan of the same problem;
        None if they are to be made anew.
        """
        return None


class LastReference:
    """The reference that was needed last. Mostly the next kernel needs the same, and making it
    takes longer than any launch.
    """

    def __init__(self) -> None:
        self._key: object = None
        self._made: Any = None

    def get(self, key: object, make: Callable[[], Reference]) -> Reference:
        """What ``make`` makes; whoever has the same ``key`` has the same."""
        if self._made is None or self._key != key:
            self._made = None  # before the next one takes as much memory
            self._key, self._made = key, make()
        made: Reference = self._made
        return made


def numbers(seed: int | None) -> Any:
    """What operands are drawn by; nothing where no seed says that their values count."""
    import numpy as np

    return None if seed is None else np.random.default_rng(seed)


def random_operand(device: Device, random: Any, shape: tuple[int, ...], dtype: str) -> NDArray[Any]:
    """Numbers of a normal distribution, or any integers; without ``random`` zeros that take no
    memory.
    """
    import numpy as np

    from ckdispatch.reference.dtypes import convert, dtype_encoding

    kind = device.numpy_dtype(dtype)
    # Half of what can be addressed is more than any machine has, and beyond it NumPy errs.
    if math.prod(shape) * 8 > sys.maxsize // 2:
        raise OutOfMemory(f"an operand of {extents(shape)} elements fits into no memory")
    if random is None:
        return np.broadcast_to(np.zeros((), kind), shape)
    if np.issubdtype(kind, np.integer):
        least, most = np.iinfo(kind).min, np.iinfo(kind).max
        values: NDArray[Any] = random.integers(least, most, shape, kind, endpoint=True)
        return values
    return convert(random.standard_normal(shape, np.float32), dtype, dtype_encoding(kind))


def poisoned(dispatcher: BaseDispatcher, shape: tuple[int, ...], dtype: str) -> DeviceTensor:
    """Memory for a result."""
    tensor = dispatcher.empty(shape, dtype)
    poison(dispatcher, tensor)
    return tensor


def poison(dispatcher: BaseDispatcher, tensor: DeviceTensor) -> None:
    """Makes what a launch left unrecognisable for the next."""
    size = tensor.span * dispatcher.device.numpy_dtype(tensor.dtype).itemsize
    dispatcher.device.fill(tensor.address, _POISON, size)
