# SPDX-License-Identifier: MIT
"""Which kernels of the sets to try first: few that have every two choices which any of them has
together, because all are too many to try in a day.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations

from ckgen.core.spec import KernelSpec, canonical_json

from cksupport.kernels import Kernel

Choice = tuple[str, str]
Pair = tuple[Choice, Choice]

_NO_CHOICES = frozenset({"family", "name"})


def pairs_of(spec: KernelSpec) -> frozenset[Pair]:
    """Every two choices of ``spec``, as the names of fields and their values."""
    said = sorted(spec.to_json().items())
    choices = [(name, canonical_json(value)) for name, value in said if name not in _NO_CHOICES]
    return frozenset(combinations(choices, 2))


def all_pairs(kernels: Iterable[Kernel]) -> frozenset[Pair]:
    """Every two choices that one of ``kernels`` has."""
    return frozenset().union(*(pairs_of(kernel.spec) for kernel in kernels))


def in_stages(kernels: Iterable[Kernel]) -> tuple[list[Kernel], list[Kernel]]:
    """On each GPU those that meet all pairs first, then the rest."""
    gpus: dict[str, list[Kernel]] = defaultdict(list)
    for kernel in dict.fromkeys(kernels):
        gpus[kernel.gpu].append(kernel)
    first = [kernel for own in gpus.values() for kernel in _cover(own)]
    chosen = set(first)
    return first, [one for own in gpus.values() for one in own if one not in chosen]


def _cover(kernels: Sequence[Kernel]) -> list[Kernel]:
    """Each time the kernel that meets most of the pairs which none before has met."""
    pairs = [pairs_of(kernel.spec) for kernel in kernels]
    left = set().union(*pairs)
    # What a kernel would add only becomes less, so one that still leads is the best.
    heap = [(-len(own), place) for place, own in enumerate(pairs)]
    heapq.heapify(heap)
    chosen = []
    while left:
        _, place = heapq.heappop(heap)
        adds = len(pairs[place] & left)
        if heap and -adds > heap[0][0]:
            heapq.heappush(heap, (-adds, place))
            continue
        chosen.append(kernels[place])
        left -= pairs[place]
    return chosen
