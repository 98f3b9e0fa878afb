# SPDX-License-Identifier: MIT
"""Few kernels of the sets meet every pair of choices that all of them meet."""

from __future__ import annotations

from ckarch import load_specs
from cksupport.family import look_up
from cksupport.kernels import Kernel
from cksupport.set_pairs import all_pairs, in_stages, pairs_of
from cksupport.set_summary import shipped_sets

ARCH = load_specs()
SETS = shipped_sets(look_up("fmha"), ARCH)
KERNELS = [kernel for own in SETS.values() for kernel in own]


def of_a_gpu(kernels: list[Kernel], gpu: str) -> list[Kernel]:
    return [kernel for kernel in kernels if kernel.gpu == gpu]


def test_the_first_meet_every_pair_on_each_gpu() -> None:
    first, _ = in_stages(KERNELS)
    for gpu in ARCH.gpus:
        own = of_a_gpu(first, gpu)
        assert all_pairs(own) == all_pairs(of_a_gpu(KERNELS, gpu)), gpu
        assert len(own) < len(set(of_a_gpu(KERNELS, gpu))) / 2, gpu


def test_each_of_the_first_adds_a_pair_and_none_comes_twice() -> None:
    first, rest = in_stages(KERNELS)
    assert len(first) + len(rest) == len(set(KERNELS)) == len({*first, *rest})
    for gpu in ARCH.gpus:
        met: set[object] = set()
        for kernel in of_a_gpu(first, gpu):
            assert not pairs_of(kernel.spec) <= met, str(kernel)
            met |= pairs_of(kernel.spec)


def test_names_are_no_choices() -> None:
    named = {name for pair in all_pairs(KERNELS) for name, _ in pair}
    assert {"variant", "hdim_q", "bias"} <= named
    assert not named & {"family", "name"}


def test_of_no_kernels_there_is_nothing_to_try() -> None:
    assert in_stages([]) == ([], [])
    assert not all_pairs([])
