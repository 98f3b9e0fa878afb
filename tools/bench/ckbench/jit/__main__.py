# SPDX-License-Identifier: MIT
"""Measures how building just in time scales: kernels by workers,
each cell into a cache of its own.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ckdispatch.errors import CkDispatchError

from ckbench.errors import BenchError
from ckbench.figures import publish
from ckbench.jit.cells import KERNELS, measured

BAR = 1.8
"""Times one worker's speed that two are to have, with as many processors or more, and all kernels.
"""


def figures_of(given: argparse.Namespace, say: Callable[[str], None]) -> dict[str, Any]:
    """The cells, and what follows from them."""
    cells = [
        measured(kernels, workers, given.gpu, say)
        for kernels in given.kernels
        for workers in given.workers
    ]
    by_size = {(cell["kernels"], cell["workers"]): cell for cell in cells}
    most = max(given.kernels)
    figures: dict[str, Any] = {
        "gpu": given.gpu,
        "cells": cells,
        "two_workers": None,
        "precompiled_saves": None,
    }
    if {1, 2} <= set(given.workers) and most > 1:
        figures["two_workers"] = by_size[most, 1]["seconds"] / by_size[most, 2]["seconds"]
    alone, several = by_size.get((1, 1)), by_size.get((most, 1))
    if alone and several and most > 1:
        # One kernel on one worker is compiled without a precompiled header, and the same one among
        # several with it.
        figures["precompiled_saves"] = (
            1 - several["first_kernel_processor_seconds"] / alone["first_kernel_processor_seconds"]
        )
    return figures


def table_of(figures: dict[str, Any]) -> str:
    """What people read."""
    lines = [
        f"Kernels built just in time for {figures['gpu']}, each cell from an empty cache",
        (
            f"{'kernels':>7} {'workers':>7} {'seconds':>8} {'of processors':>13} "
            f"{'most memory of a process':>24}"
        ),
    ]
    for cell in figures["cells"]:
        lines.append(
            f"{cell['kernels']:7} {cell['workers']:7} {cell['seconds']:8.1f} "
            f"{cell['processor_seconds']:13.1f} {cell['memory'] / 2**20:20.0f} MiB"
        )
    if figures["two_workers"]:
        met = "met" if figures["two_workers"] >= BAR else "missed"
        lines.append(
            f"two workers are {figures['two_workers']:.2f} times as fast as one with the most "
            f"kernels; the bar is {BAR}: {met}"
        )
    if figures["precompiled_saves"]:
        lines.append(
            f"a precompiled header saves {100 * figures['precompiled_saves']:.0f} % of a kernel's "
            "processor seconds"
        )
    return "\n".join(lines)


def _counts(most: int) -> Callable[[str], list[int]]:
    def read(text: str) -> list[int]:
        words = text.split(",")
        if not all(word.isascii() and word.isdigit() and 1 <= int(word) <= most for word in words):
            raise argparse.ArgumentTypeError(
                f"{text!r} is no list of numbers from 1 to {most}, such as 1,2,4"
            )
        return sorted({int(word) for word in words})

    return read


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="jit_bench", description=__doc__)
    parser.add_argument(
        "--kernels",
        type=_counts(len(KERNELS)),
        default=[1, 2, 4, 6],
        metavar="N,…",
        help="how many are built at once (default: 1,2,4,6)",
    )
    parser.add_argument(
        "--workers",
        type=_counts(64),
        default=[1, 2, 4, 8],
        metavar="N,…",
        help="by how many workers (default: 1,2,4,8)",
    )
    parser.add_argument("--gpu", default="gfx942", help="default: %(default)s")
    parser.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        help="write the JSON object, which is the last line too, to a file",
    )
    given = parser.parse_args(arguments)
    return publish(
        "jit_bench",
        given.json,
        lambda say: figures_of(given, say),
        table_of,
        BenchError,
        CkDispatchError,
    )


if __name__ == "__main__":
    sys.exit(main())
