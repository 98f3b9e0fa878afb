# SPDX-License-Identifier: MIT
"""The command line of the dispatch benchmark."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ckbench.dispatch.measure import Setup, measure
from ckbench.figures import publish

TENSORS = (3, 4, 9, 12)

# What is shown, where the figure is, and its bar.
_ROWS: tuple[tuple[str, str, float | None], ...] = (
    ("cached select, C++, p50, us", "select_cached_us_p50", 0.2),
    ("cached select, C++, p99, us", "select_cached_us_p99", None),
    ("cold select over 100 kernels, C++, p50, us", "select_cold_us_p50", 100.0),
    ("cold select over 100 kernels, C++, p99, us", "select_cold_us_p99", None),
    ("the same with a learned model, p50, us", "select_cold_model_us_p50", 60.0),
    ("raw HIP launch, p50, us", "raw_launch_us_p50", None),
    ("C++ run above it, p50, us", "cpp_run_us_p50", None),
    ("C++ run above it, p99, us", "cpp_run_us_p99", None),
    *(
        (f"Python run above it, {count} tensors, p50, us", f"python_run_{count}_us_p50", 3.5)
        for count in TENSORS
    ),
    *(
        (f"Python run above it, {count} tensors, p99, us", f"python_run_{count}_us_p99", 10.0)
        for count in TENSORS
    ),
    ("Python select, p50, us", "python_select_us_p50", None),
    ("import ckdispatch, s", "import_s", 0.15),
)


def _table(figures: dict[str, Any]) -> str:
    machine = figures["machine"]
    kind = "simulated, executing nothing" if figures["simulated"] else "an AMD GPU"
    lines = [
        (
            f"{figures['device']} ({kind}), {machine['cpus']} {machine['arch']} cores, "
            f"load {machine['load']}"
        ),
        "",
    ]
    for what, name, bar in _ROWS:
        value = figures[name]
        verdict = "" if bar is None else f"≤ {bar:<6g} {'met' if value <= bar else 'missed'}"
        lines.append(f"{what:<46}{value:>10.3f}  {verdict}".rstrip())
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="dispatch_bench",
        description="Measures selection and the run paths around a launch, on a device that "
        "executes nothing. Progress goes to standard error; standard output is a table "
        "and, as its last line, one JSON object. See docs/benchmarks.md.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--device",
        default="sim:gfx942",
        help="sim:gfx942 (default), or hip:0, whose kernels do execute",
    )
    parser.add_argument(
        "--scale",
        type=float,
        default=1.0,
        metavar="X",
        help="of the number of samples (default: 1)",
    )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="also write the JSON object to a file"
    )
    options = parser.parse_args(arguments)
    setup = Setup(
        program=Path(os.environ["CK_DISPATCH_PROGRAM"]).resolve(),
        manifest=Path(os.environ["CK_DISPATCH_MANIFEST"]).resolve(),
        others=tuple(Path(one).resolve() for one in os.environ["CK_DISPATCH_MORE_TENSORS"].split()),
        simulator=Path(os.environ["CK_DISPATCH_SIMULATOR"]).resolve(),
        device=options.device,
        scale=options.scale,
    )
    return publish("dispatch_bench", options.json, lambda say: measure(setup, say), _table)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
