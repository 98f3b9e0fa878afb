# SPDX-License-Identifier: MIT
"""Compares the simulated times of kernels in two builds of a set, and says which got slower. No GPU
is measured.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ckdispatch.cli.exits import UsageError
from ckdispatch.errors import CkDispatchError
from ckdispatch.measurements.row import Row
from ckdispatch.measurements.writing import write

from ckbench.errors import BenchError
from ckbench.figures import publish
from ckbench.kernel_times.builds import Build, build_of, problems_of, timed

_EXAMPLE = """example:
  bazelw build //kernels:gemm_fp16_rcr_essential
  bazelw run //tools/bench:kernel_times -- gemm_fp16_rcr_essential --save before.csv
  … change a header, a flag or the compiler, and build again …
  bazelw run //tools/bench:kernel_times -- gemm_fp16_rcr_essential --before before.csv"""


def figures_of(given: argparse.Namespace, say: Callable[[str], None]) -> dict[str, Any]:
    """The times, and if there are two builds their comparison."""
    after = build_of(given.after)
    before = build_of(given.before) if given.before else None
    problems = problems_of(
        before if before is not None and before.registry is None and not given.problem else after,
        given.problem,
    )
    known: dict[tuple[str, str, str], Row] = {}
    new = timed(after, problems, given.gpu, known, say)
    if not new:
        raise BenchError(
            f"No kernel of {after.name} takes {problems[0].text} on {given.gpu}; name problems of "
            "its kernels with --problem."
        )
    if given.save:
        write(new.values(), Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."), given.save))
    old = timed(before, problems, given.gpu, known, say) if before is not None else {}
    return {
        "gpu": given.gpu,
        "times": "simulated",
        "after": after.name,
        **_compared(new, old, before, given.worse),
    }


def _compared(
    new: dict[tuple[str, str], Row],
    old: dict[tuple[str, str], Row],
    before: Build | None,
    worse: float,
) -> dict[str, Any]:
    rows = []
    for (problem, kernel), row in new.items():
        one: dict[str, Any] = {
            "problem": problem,
            "kernel": kernel,
            "microseconds": row.microseconds,
        }
        if (problem, kernel) in old:
            one["before"] = old[problem, kernel].microseconds
            one["change_percent"] = 100 * (one["microseconds"] / one["before"] - 1)
        rows.append(one)
    if before is None:
        return {"rows": sorted(rows, key=lambda one: (one["problem"], one["microseconds"]))}
    both = [one for one in rows if "before" in one]
    if not both:
        raise BenchError(
            f"{before.name} has no time of a kernel and problem that the other build has too; "
            "nothing can be compared."
        )
    both.sort(key=lambda one: -one["change_percent"])
    return {
        "before": before.name,
        "rows": both,
        "only_before": sorted({kernel for _, kernel in old.keys() - new.keys()}),
        "only_after": sorted({kernel for _, kernel in new.keys() - old.keys()}),
        "worse_percent": worse,
        "slower": sum(one["change_percent"] > worse for one in both),
        "faster": sum(one["change_percent"] < -worse for one in both),
    }


def table_of(figures: dict[str, Any]) -> str:
    """What people read."""
    lines = [f"Simulated for {figures['gpu']} by a model of it; no GPU was measured."]
    if "before" not in figures:
        return "\n".join(
            lines
            + [
                f"{one['microseconds']:10.2f} us  {one['problem']}  {one['kernel']}"
                for one in figures["rows"]
            ]
        )
    lines.append(f"{'before':>10} {'after us':>10} {'change':>8}")
    lines += [
        (
            f"{one['before']:10.2f} {one['microseconds']:10.2f} {one['change_percent']:+7.1f}%  "
            f"{one['problem']}  {one['kernel']}"
        )
        for one in figures["rows"]
    ]
    for name, what in (
        ("only_before", "only in the build before"),
        ("only_after", "only in the new build"),
    ):
        lines += [f"{what}: {kernel}" for kernel in figures[name]]
    lines.append(
        f"{figures['slower']} slower and {figures['faster']} faster by more than "
        f"{figures['worse_percent']:g} %, of {len(figures['rows'])}."
    )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="kernel_times",
        description=__doc__,
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "after", metavar="BUILD", help="a kernel set that is built, or the path of a manifest"
    )
    parser.add_argument(
        "--before",
        metavar="BUILD",
        help="what it is compared with: another manifest, or a table that --save wrote",
    )
    parser.add_argument("--save", metavar="FILE", help="write the times of BUILD, .csv or .parquet")
    parser.add_argument("--gpu", default="gfx942", help="default: %(default)s")
    parser.add_argument(
        "--problem", action="append", default=[], help="time them on this one; repeat for more"
    )
    parser.add_argument(
        "--worse",
        type=float,
        default=3.0,
        metavar="PERCENT",
        help="what counts as slower; default: %(default)s",
    )
    parser.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        help="write the JSON object, which is the last line too, to a file",
    )
    given = parser.parse_args(arguments)
    found: dict[str, Any] = {}

    def measure(say: Callable[[str], None]) -> dict[str, Any]:
        found.update(figures_of(given, say))
        return found

    code = publish("kernel_times", given.json, measure, table_of, CkDispatchError, UsageError)
    return code or (3 if found.get("slower") else 0)


if __name__ == "__main__":
    sys.exit(main())
