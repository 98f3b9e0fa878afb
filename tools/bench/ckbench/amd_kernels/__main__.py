# SPDX-License-Identifier: MIT
"""Compares simulated times of AMD's hand-written kernels with the times that its tuned table has of
them. No GPU is measured.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from ckfetch.wheelhouse import FetchError
from gfxsim import HipError

from ckbench.amd_kernels.f4gemm import timed_kernels
from ckbench.amd_kernels.launching import Simulator
from ckbench.figures import publish


def figures_of(options: argparse.Namespace, say: Callable[[str], None]) -> dict[str, Any]:
    """The times of both, and how far one factor for all brings them together."""
    every = timed_kernels(Path(os.environ["CK_LOCK"]))
    small = every[: len(every) * options.share // 100] or every[:1]
    chosen = small[:: options.every]
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as scratch:
        simulator = Simulator(Path(os.environ["CK_SIM_RUNTIME"]), Path(scratch))
        for one in chosen:
            row = {
                "m": one.m,
                "n": one.n,
                "k": one.k,
                "tile": list(one.tile),
                "measured_us": one.microseconds,
            }
            rows.append({**row, "simulated_us": simulator.microseconds(one)})
            say(f"{len(rows)} of {len(chosen)}: {one.m}x{one.n}x{one.k}")
    return {
        "table": len(every),
        "rows": rows,
        **compared([(row["simulated_us"], row["measured_us"]) for row in rows]),
    }


def compared(times: Sequence[tuple[float, float]]) -> dict[str, float]:
    """Of simulated and measured times: the factor between them, and the median error in per cent
    without and with it.
    """
    ratios = [simulated / measured for simulated, measured in times]
    factor = median(ratios)
    error, scaled = (100 * median(abs(one / by - 1) for one in ratios) for by in (1.0, factor))
    return {"factor": factor, "error_percent": error, "scaled_error_percent": scaled}


def table_of(figures: dict[str, Any]) -> str:
    lines = [f"{'m x n x k':>22} {'tile':>9} {'measured µs':>12} {'simulated µs':>13} {'ratio':>6}"]
    for row in figures["rows"]:
        ratio = row["simulated_us"] / row["measured_us"]
        shape, tile = f"{row['m']}x{row['n']}x{row['k']}", "x".join(map(str, row["tile"]))
        lines.append(
            f"{shape:>22} {tile:>9} {row['measured_us']:>12.1f} {row['simulated_us']:>13.1f} "
            f"{ratio:>6.2f}"
        )
    told = (
        f"{len(figures['rows'])} of the table's {figures['table']} rows: median error "
        f"{figures['error_percent']:.1f} %"
    )
    return "\n".join(
        [
            *lines,
            "",
            (
                f"{told}, with the one factor {figures['factor']:.2f} "
                f"{figures['scaled_error_percent']:.1f} %"
            ),
        ]
    )


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="amd_kernels",
        description="Compares simulated times of AMD's fp4 kernels for gfx950 with those of its "
        "tuned table, both from the wheel that Composable Kernel's headers come from. "
        "See docs/timing.md.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--every", type=_count, default=40, metavar="N", help="take each N-th row (default: 40)"
    )
    parser.add_argument(
        "--share",
        type=_percent,
        default=100,
        metavar="PERCENT",
        help="of this share of the rows, those with the least work (default: 100)",
    )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="also write the JSON object to a file"
    )
    options = parser.parse_args(arguments)
    return publish(
        "amd_kernels",
        options.json,
        lambda say: figures_of(options, say),
        table_of,
        FetchError,
        HipError,
    )


def _count(text: str) -> int:
    if not (number := int(text)) > 0:
        raise ValueError(text)
    return number


def _percent(text: str) -> int:
    if not 0 < (number := int(text)) <= 100:
        raise ValueError(text)
    return number


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
