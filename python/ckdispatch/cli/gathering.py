# SPDX-License-Identifier: MIT
"""Commands that need the kernels of a table of measurements: their options, and the kernels."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from ckdispatch.cli.options import add_kernels, whole
from ckdispatch.errors import NotFound
from ckdispatch.wording import several

if TYPE_CHECKING:
    from ckdispatch.evaluation.kernels import Gathered
    from ckdispatch.evaluation.measured import Measured
    from ckdispatch.registry import Registry


def add_gathering(parser: argparse.ArgumentParser) -> None:
    """``--measurements``, ``--gpu``, ``--kernels``, ``--jobs`` and ``--quiet``."""
    parser.add_argument(
        "--measurements", required=True, metavar="FILE", help="the table: CSV or Parquet"
    )
    parser.add_argument("--gpu", required=True, help="the GPU that is chosen for, such as gfx950")
    add_kernels(parser, required=False)
    parser.add_argument("--jobs", type=whole(1), metavar="N", help="kernels to compile at a time")
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def gathered_kernels(
    measured: Measured, given: Registry | None, options: argparse.Namespace
) -> Gathered:
    """The table's kernels; says first what has to be built."""
    from ckdispatch.evaluation.kernels import gather, missing_from

    names = measured.table.kernels()
    missing = missing_from(names, options.gpu, given)
    if missing and not options.quiet:
        print(
            f"{len(missing)} of {several(len(names), 'kernel')} are not there: they are built",
            file=sys.stderr,
            flush=True,
        )
    gathered = gather(
        names, options.gpu, given, max_workers=options.jobs, progress=not options.quiet
    )
    if not len(gathered.registry):
        raise NotFound(
            f"no kernel of {options.measurements} could be built: "
            f"{next(iter(gathered.missing.values()))}"
        )
    return gathered
