# SPDX-License-Identifier: MIT
"""AMD's products of fp4 with scales on gfx950: the code objects and the tuned table of the wheel,
and how they are launched.

Where operands lie in memory decides a time, and what they hold does not: they are never written, in
whatever order a kernel takes them.
"""

from __future__ import annotations

import csv
import io
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ckfetch import wheelhouse

from ckbench.errors import BenchError

GPU = "gfx950"
THREADS = 256
_CODE = PurePosixPath("aiter_meta/hsa/gfx950/f4gemm")
_KERNELS = "f4gemm_bf16_per1x32Fp4.csv"
_TABLES = PurePosixPath("aiter/configs")
_TABLE = "a4w4_blockscale_tuned_gemm.csv"
_COMPUTE_UNITS = 256
_SCALED = 32
"""Elements of a row that have one scale."""


@dataclass(frozen=True)
class Timed:
    """A row of the table: a product, the kernel that was the fastest, and its time."""

    m: int
    n: int
    k: int
    kernel: str
    code: bytes
    tile: tuple[int, int]
    microseconds: float

    @property
    def work(self) -> int:
        return self.m * self.n * self.k

    @property
    def grid(self) -> tuple[int, int]:
        return -(-self.n // self.tile[1]), -(-self.m // self.tile[0])

    @property
    def sizes(self) -> tuple[int, ...]:
        """Bytes of the result, of both operands and of their scales, whose rows are padded to
        tiles.
        """
        rows = [-(-some // 256) * 256 for some in (self.m, self.n)]
        return (
            2 * self.m * self.n,
            self.m * self.k // 2,
            self.n * self.k // 2,
            rows[0] * self._scales,
            rows[1] * self._scales,
        )

    @property
    def _scales(self) -> int:
        return -(-self.k // (8 * _SCALED)) * 8

    def arguments(self, addresses: Sequence[int]) -> bytes:
        """The kernel's arguments, each in 16 bytes: D, C, A, B, alpha, beta, strides of each,
        sizes, scales with their strides, parts of K.
        """
        d, a, b, scale_a, scale_b = addresses
        pointers = b"".join(struct.pack("<QQ", address, 0) for address in (d, 0, a, b))
        factors = struct.pack("<fIII", 1.0, 0, 0, 0) + struct.pack("<fIII", 0.0, 0, 0, 0)
        numbers = (0, 0, self.n, 0, self.k, 0, self.k, 0, self.m, self.n, self.k)
        scales = struct.pack("<QQQQ", scale_a, 0, scale_b, 0) + b"".join(
            struct.pack("<IIII", one, 0, 0, 0) for one in (self._scales, 0, self._scales, 0)
        )
        return (
            pointers
            + factors
            + b"".join(struct.pack("<IIII", one, 0, 0, 0) for one in numbers)
            + scales
            + struct.pack("<i", 0)
        )


def timed_kernels(lock: Path) -> list[Timed]:
    """The rows of the table whose kernels are among the code objects and take K in one part, the
    least work first.
    """
    wheel = wheelhouse.obtain(lock, "amd_aiter-")
    files = dict(wheelhouse.files_below(wheel, _CODE, lambda _: True))
    tables = dict(wheelhouse.files_below(wheel, _TABLES, lambda path: path == _TABLE))
    if _KERNELS not in files or _TABLE not in tables:
        raise BenchError(
            f"{wheel.name} has no {_CODE / _KERNELS} or no {_TABLES / _TABLE}; "
            "the lock names another wheel."
        )
    known = {row["knl_name"]: row for row in _rows(files[_KERNELS])}
    found = []
    for row in _rows(tables[_TABLE]):
        kernel = known.get(row["kernelName"])
        if kernel is None or int(row["splitK"]) or int(row["cu_num"]) != _COMPUTE_UNITS:
            continue
        tile = int(kernel["tile_m"]), int(kernel["tile_n"])
        found.append(
            Timed(
                int(row["M"]),
                int(row["N"]),
                int(row["K"]),
                row["kernelName"],
                files[kernel["co_name"]],
                tile,
                float(row["us"]),
            )
        )
    return sorted(found, key=lambda one: (one.work, one.m, one.n, one.kernel))


def _rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode())))
