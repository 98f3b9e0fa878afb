# SPDX-License-Identifier: MIT
"""In which order kernels are tried: a little of everything first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from ckgen.gemm.spec import GemmSpec

from cksupport.kernels import Kernel

MOST_IN_A_BATCH = 32
"""Kernels whose results would have to be made again after an interruption, if the cache is lost."""


def batches(
    kernels: Iterable[Kernel], size: int = MOST_IN_A_BATCH
) -> Iterator[tuple[str, list[GemmSpec]]]:
    """The kernels in batches of one GPU.

    Every pair of dtypes on every GPU comes with one kernel first, then with two more, then with
    four more, and so on: what is wrong with a dtype or a GPU as a whole is seen early.
    """
    turns: dict[tuple[str, str, str], int] = defaultdict(int)
    tiers: dict[tuple[int, str], list[GemmSpec]] = defaultdict(list)
    gpus: dict[str, int] = {}
    for kernel in kernels:
        gpu, spec = kernel.gpu, kernel.spec
        group = (gpu, spec.dtype_a, spec.dtype_b)
        gpus.setdefault(gpu, len(gpus))
        turns[group] += 1
        tiers[turns[group].bit_length(), gpu].append(spec)
    for (_, gpu), specs in sorted(tiers.items(), key=lambda item: (item[0][0], gpus[item[0][1]])):
        for start in range(0, len(specs), size):
            yield gpu, specs[start : start + size]
