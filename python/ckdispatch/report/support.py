# SPDX-License-Identifier: MIT
"""Which dtypes and pipelines there are kernels for on each GPU, and which a GPU has no use for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from ckarch import GpuSpec, load_specs

from ckdispatch.report.manifests import Kernel

NOT_THERE, POSSIBLE = -1, 0
"""In place of a count of kernels: the GPU has nothing for them; it has, and no kernel is in these
sets.
"""


def support(kernels: Sequence[Kernel]) -> dict[str, Any]:
    """Counts of kernels by dtype and by pipeline, for every GPU that is known and every one that
    kernels are for.
    """
    known = load_specs()
    gpus = list(dict.fromkeys((*known.gpus, *(gpu for one in kernels for gpu in one.uses))))
    pairs = {f"{one.a} x {one.b}": one for one in known.dtype_combinations}

    def multiplies(gpu: GpuSpec, pair: str) -> bool:
        one = pairs.get(pair)
        # Of dtypes with names of a family's own, arch/ does not say.
        return one is None or bool(
            gpu.warp_tiles.get(one.key) or gpu.preshuffle_warp_tiles.get(one.key)
        )

    def has_pipeline(gpu: GpuSpec, name: str) -> bool:
        return name in gpu.pipelines

    specs = known.architectures
    return {
        "gpus": gpus,
        "dtypes": _rows(
            kernels,
            _pair,
            tuple(pairs),
            gpus,
            lambda gpu, pair: gpu in specs and multiplies(specs[gpu], pair),
        ),
        "pipelines": _rows(
            kernels,
            _pipeline,
            tuple(known.pipelines),
            gpus,
            lambda gpu, name: gpu in specs and has_pipeline(specs[gpu], name),
        ),
    }


def _rows(
    kernels: Sequence[Kernel],
    of: Callable[[Kernel], str],
    known: Sequence[str],
    gpus: Sequence[str],
    able: Callable[[str, str], bool],
) -> list[dict[str, Any]]:
    counts = Counter((of(one), gpu) for one in kernels for gpu in one.uses)
    spilling = Counter(
        (of(one), gpu)
        for one in kernels
        for gpu, use in one.uses.items()
        if use.figures["vgpr_spills"] or use.figures["scratch_bytes"]
    )
    names = dict.fromkeys((*known, *(name for name, _ in counts)))
    return [
        {
            "name": name,
            "counts": [
                counts[name, gpu] or (POSSIBLE if able(gpu, name) else NOT_THERE) for gpu in gpus
            ],
            "spilling": [spilling[name, gpu] for gpu in gpus],
        }
        for name in names
    ]


def _pair(kernel: Kernel) -> str:
    """The dtypes that are multiplied; a family that names one of them has two of it."""
    fields = [
        value
        for name, value in kernel.spec.items()
        if name in ("dtype", "dtype_a", "dtype_b", "dtype_x", "dtype_w")
    ]
    return f"{fields[0]} x {fields[-1]}"


def _pipeline(kernel: Kernel) -> str:
    return kernel.words.get("pipeline", "-")
