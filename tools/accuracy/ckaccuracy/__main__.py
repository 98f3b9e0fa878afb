# SPDX-License-Identifier: MIT
"""Measures how far results of shipped kernels are from exact ones on the simulator, and writes the
page about it.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from fnmatch import fnmatchcase
from pathlib import Path

from ckdispatch.errors import CkDispatchError

from ckaccuracy.cases import Case, Key, read_cases
from ckaccuracy.errors import AccuracyError
from ckaccuracy.figures import Figures
from ckaccuracy.page import page
from ckaccuracy.results import read, write
from ckaccuracy.worker import measure_all

KERNELS = "CK_KERNELS"
"""The variable with the files of the kernels, with spaces between."""

CLOSE = 1e-4
"""How far, relatively, a figure may be from the one that was kept: libraries of linear algebra add
references in other orders.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the arguments say; returns the exit code."""
    clone = Path(os.environ.get("BUILD_WORKSPACE_DIRECTORY", "."))
    parser = argparse.ArgumentParser(prog="accuracy", description=__doc__)
    parser.add_argument(
        "--only",
        metavar="PATTERN",
        default="*",
        help="measure only kernels whose names fit, such as '*_fp8_*'",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="compare with what was kept, and write nothing; exit code 1 if it differs",
    )
    parser.add_argument(
        "--results",
        type=Path,
        default=clone / "evidence/accuracy/results.json",
        help="default: %(default)s",
    )
    parser.add_argument(
        "--page", type=Path, default=clone / "docs/accuracy.md", help="default: %(default)s"
    )
    given = parser.parse_args(arguments)
    libraries = [Path(one) for one in os.environ.get(KERNELS, "").split()]
    try:
        return _run(given, libraries)
    except (AccuracyError, CkDispatchError) as error:
        print(f"accuracy: {error}", file=sys.stderr)
    except OSError as error:
        print(f"accuracy: {error.filename}: {error.strerror}.", file=sys.stderr)
    return 1


def _run(given: argparse.Namespace, libraries: Sequence[Path]) -> int:
    cases = read_cases()
    chosen = [case for case in cases if fnmatchcase(case.kernel, given.only)]
    if not chosen:
        raise AccuracyError(f"--only {given.only} fits the kernel of no case.")
    kept, found = read(given.results), measure_all(chosen, libraries)
    if given.check:
        wrong = differences(chosen, kept, found)
        for sentence in wrong:
            print(f"accuracy: {sentence}", file=sys.stderr)
        return 1 if wrong else 0
    results = {**kept, **found}
    write(results, cases, given.results)
    given.page.write_text(page(cases, results), encoding="utf-8")
    return 0


def differences(
    cases: Iterable[Case], kept: Mapping[Key, Figures], found: Mapping[Key, Figures]
) -> list[str]:
    """In sentences, the cases whose figures are not those that were kept."""
    wrong = []
    for case in cases:
        before, now = kept.get(case.key), found[case.key]
        if before is None:
            wrong.append(f"{case.problem} by {case.kernel} was never measured.")
            continue
        for name, value in asdict(now).items():
            was = getattr(before, name)
            same = (
                math.isclose(was, value, rel_tol=CLOSE)
                if isinstance(value, float)
                else was == value
            )
            if not same:
                wrong.append(
                    f"{case.problem} by {case.kernel} has {name} {value} in place of {was}."
                )
    return wrong


if __name__ == "__main__":
    sys.exit(main())
