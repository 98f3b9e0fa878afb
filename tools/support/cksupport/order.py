# SPDX-License-Identifier: MIT
"""In which order kernels are tried: a little of everything first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from ckgen.core.spec import KernelSpec

from cksupport.family import support_of
from cksupport.kernels import Kernel

MOST_IN_A_BATCH = 32
"""Kernels whose results would have to be made again after an interruption, if the cache is lost."""


def batches(
    kernels: Iterable[Kernel], size: int = MOST_IN_A_BATCH
) -> Iterator[tuple[str, list[KernelSpec]]]:
    """The kernels in batches of one GPU.

    What operates on the same dtypes on a GPU comes with one kernel first, then with two more, then with
    four more, and so on: what is wrong with a dtype or a GPU as a whole is seen early.
    """
    turns: dict[tuple[str, str], int] = defaultdict(int)
    tiers: dict[tuple[int, str], list[KernelSpec]] = defaultdict(list)
    gpus: dict[str, int] = {}
    for kernel in kernels:
        gpu, spec = kernel.gpu, kernel.spec
        group = (gpu, support_of(spec).operands_of(spec))
        gpus.setdefault(gpu, len(gpus))
        turns[group] += 1
        tiers[turns[group].bit_length(), gpu].append(spec)
    for (_, gpu), specs in sorted(tiers.items(), key=lambda item: (item[0][0], gpus[item[0][1]])):
        for start in range(0, len(specs), size):
            yield gpu, specs[start : start + size]
