# SPDX-License-Identifier: MIT
"""What a caller wants of batched transposes: for Python, for C, and in words."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ckdispatch.errors import InvalidArgument
from ckdispatch.native.structures import ProblemBase
from ckdispatch.problem import Problem, c_text, check_numbers, check_text
from ckdispatch.wording import quoted


class BatchedTransposeStructure(ctypes.Structure):
    """``ckd_batched_transpose_problem``."""

    _fields_ = [
        ("base", ProblemBase),
        *((name, ctypes.c_int64) for name in ("batch", "height", "width")),
        ("dtype", ctypes.c_char_p),
        ("alignment", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
        ("workspace_limit", ctypes.c_uint64),
    ]


STRUCTURES = {"ckd_batched_transpose_problem": BatchedTransposeStructure}
"""What the C header calls them."""

_TEXT = re.compile(r"transpose\s+(\d{1,10})x(\d{1,10})x(\d{1,10})(?:\s+(\w+))?", re.ASCII)


@dataclass(frozen=True)
class BatchedTransposeProblem(Problem):
    """``batch`` packed matrices of ``height`` x ``width``, each to be transposed."""

    family: ClassVar[str] = "batched_transpose"

    batch: int
    height: int
    width: int
    dtype: str = "fp16"
    alignment: int = 16

    def __post_init__(self) -> None:
        check_numbers("a batched transpose", self, ("batch", "height", "width", "alignment"))
        sizes = {name: getattr(self, name) for name in ("batch", "height", "width", "alignment")}
        self.keep(BatchedTransposeStructure(dtype=c_text(self.dtype), **sizes))

    __hash__ = Problem.__hash__

    @property
    def tensors(self) -> tuple[str, ...]:
        return ("x", "y")

    def spans(self) -> tuple[int, ...]:
        return (self.batch * self.height * self.width,) * 2

    def dtypes(self, spec: Mapping[str, Any]) -> tuple[str, ...]:
        return (self.dtype, self.dtype)

    @property
    def flops(self) -> float:
        return 0.0

    @classmethod
    def parse(cls, text: str) -> BatchedTransposeProblem:
        """The problem of a command line: ``transpose 8x64x128 fp16``."""
        check_text(text)
        match = _TEXT.fullmatch(text.strip())
        if not match:
            raise InvalidArgument(
                f"{quoted(text)} is no batched transpose; write such as transpose 8x64x128 fp16"
            )
        batch, height, width = (int(match[i]) for i in (1, 2, 3))
        return cls(batch, height, width, match[4] or "fp16")

    @property
    def text(self) -> str:
        return f"transpose {self.batch}x{self.height}x{self.width} {self.dtype}"
