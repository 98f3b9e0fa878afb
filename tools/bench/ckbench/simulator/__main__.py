# SPDX-License-Identifier: MIT
"""The command line of the simulator's benchmark."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ckbench.figures import publish
from ckbench.simulator.measure import Setup, measure

_SIZES = (256, 512, 1024)


def _table(figures: dict[str, Any]) -> str:
    machine = figures["machine"]
    lines = [
        (
            f"{figures['kernel']} on {figures['device']} (simulated), {machine['cpus']} "
            f"{machine['arch']} cores, load {machine['load']}"
        ),
        "",
        f"{'fp16 GEMM':<12}{'one thread, s':>16}{'two threads, s':>16}",
    ]
    for size, seconds in figures["seconds"].items():
        lines.append(
            f"{size + '³':<12}{seconds['one_thread']:>16.3f}{seconds['two_threads']:>16.3f}"
        )
    seconds_1024 = figures["gemm_1024_s"]
    rows = [
        ("wave instructions per second", f"{figures['wave_instr_per_s']:,}", "", None),
        (
            "1024³ with two threads, s",
            _form(seconds_1024),
            "≤ 3",
            None if seconds_1024 is None else seconds_1024 <= 3,
        ),
        (
            "two threads against one",
            f"{figures['thread_speedup']:.2f}",
            "≥ 1.8",
            figures["thread_speedup"] >= 1.8,
        ),
        (
            f"checking mode, slower by ({figures['check_size']}³)",
            f"{figures['check_slowdown']:.1f}",
            "≤ 8",
            figures["check_slowdown"] <= 8,
        ),
    ]
    lines.append("")
    verdicts = {True: "met", False: "missed", None: ""}
    lines += [
        f"{what:<40}{value:>14}  {bar:<6} {verdicts[met]}".rstrip()
        for what, value, bar, met in rows
    ]
    return "\n".join(lines)


def _form(seconds: float | None) -> str:
    return "not measured" if seconds is None else f"{seconds:.2f}"


def _sizes(text: str) -> tuple[int, ...]:
    sizes = tuple(int(part) for part in text.split(","))
    if not sizes or min(sizes) < 1:
        raise ValueError(text)
    return sizes


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="sim_bench",
        description="Measures the simulator with a fp16 GEMM kernel. Progress goes to standard "
        "error; standard output is a table and, as its last line, one JSON object. "
        "See docs/benchmarks.md.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--sizes",
        type=_sizes,
        default=_SIZES,
        metavar="N,…",
        help="sizes of the square GEMMs (default: 256,512,1024)",
    )
    parser.add_argument(
        "--repeat",
        type=int,
        default=3,
        metavar="N",
        help="launches of each GEMM, the fastest counts (default: 3)",
    )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="also write the JSON object to a file"
    )
    options = parser.parse_args(arguments)
    setup = Setup(
        runtime=Path(os.environ["CK_SIM_RUNTIME"]),
        kernel=Path(os.environ["CK_SIM_KERNEL"]),
        gpu=os.environ["CK_SIM_GPU"],
        repeat=max(1, options.repeat),
    )
    return publish(
        "sim_bench", options.json, lambda say: measure(setup, options.sizes, say), _table
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
