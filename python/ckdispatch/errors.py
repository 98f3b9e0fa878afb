# SPDX-License-Identifier: MIT
"""What can go wrong, as exceptions with codes.
The codes are those of the C ABI (``ckd_status``).
"""

from __future__ import annotations

from enum import IntEnum


class Code(IntEnum):
    """Why a call failed; equal to ``ckd_status`` in ``ckdispatch.h``."""

    OK = 0
    INVALID_ARGUMENT = 1
    NOT_FOUND = 2
    DUPLICATE = 3
    UNSUPPORTED = 4
    NO_KERNEL = 5
    WRONG_GPU = 6
    ABI_MISMATCH = 7
    DAMAGED = 8
    DEVICE_FAILED = 9
    OUT_OF_MEMORY = 10
    IO_FAILED = 11
    MISMATCH = 12
    INTERNAL = 13


LONGEST = 2000
"""Characters of a message; what is longer quotes something that nobody reads."""


def presentable(message: str) -> str:
    """A message that any terminal and any log takes: not too long,
    and without control characters.
    """
    if len(message) > LONGEST:
        message = f"{message[: LONGEST - 500]} […] {message[-490:]}"
    if message.isprintable():
        return message
    shown = (
        one if one.isprintable() or one == "\n" else one.encode("unicode_escape").decode()
        for one in message
    )
    return "".join(shown)


_BY_CODE: dict[int, type[CkDispatchError]] = {}


class CkDispatchError(RuntimeError):
    """The base of every error that this package raises on purpose.
    ``code`` says which kind it is.
    """

    code = Code.INTERNAL

    def __init_subclass__(cls, code: Code | None = None) -> None:
        """A class that names a code is what is raised for it; others have that of their base."""
        super().__init_subclass__()
        if code is not None:
            cls.code = code
            _BY_CODE[code] = cls

    def __init__(self, *told: object) -> None:
        super().__init__(*(presentable(one) if isinstance(one, str) else one for one in told))


class InvalidArgument(CkDispatchError, ValueError, code=Code.INVALID_ARGUMENT):
    """A problem, an option or a name that makes no sense."""


class NotFound(CkDispatchError, LookupError, code=Code.NOT_FOUND):
    """A kernel, a registry, a device or a file that is not there."""


class DuplicateKernel(CkDispatchError, code=Code.DUPLICATE):
    """The registry already has that kernel, and the policy is to refuse."""


class Unsupported(CkDispatchError, code=Code.UNSUPPORTED):
    """A valid problem that the kernel asked for cannot compute."""


class NoKernel(CkDispatchError, code=Code.NO_KERNEL):
    """No kernel of the registry computes the problem; the message has the nearest refusals."""


class WrongGpu(CkDispatchError, code=Code.WRONG_GPU):
    """The library holds no code for the device's GPU."""


class AbiMismatch(CkDispatchError, code=Code.ABI_MISMATCH):
    """A library of another ABI version."""


class Damaged(CkDispatchError, code=Code.DAMAGED):
    """A file that is not what its hash, its manifest or its own description says."""


class DeviceFailed(CkDispatchError, code=Code.DEVICE_FAILED):
    """The HIP runtime reported an error."""


class OutOfMemory(CkDispatchError, MemoryError, code=Code.OUT_OF_MEMORY):
    """The device, or the machine, has too little memory."""


class IoFailed(CkDispatchError, OSError, code=Code.IO_FAILED):
    """A file could not be read or written."""


class Mismatch(CkDispatchError, AssertionError, code=Code.MISMATCH):
    """A result differs from the reference by more than its tolerance."""


class BuildFailed(CkDispatchError):
    """Some kernels could not be compiled; the message names the first and the
    compiler log of each.
    """


class JitForbidden(CkDispatchError):
    """A kernel would have to be compiled, and CKDISPATCH_JIT=0 forbids it."""


def error_class(code: int) -> type[CkDispatchError]:
    """The exception for a code of the C ABI."""
    return _BY_CODE.get(code, CkDispatchError)


class IllegalConfig(InvalidArgument):
    """A config that no kernel on the GPU can have; the message names the rule and a way out."""


class GenerationFailed(CkDispatchError):
    """Some kernels have no source; the message says how many and why the first one has none."""
