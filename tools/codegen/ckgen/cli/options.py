# SPDX-License-Identifier: MIT
"""Options that several commands share."""

from __future__ import annotations

import argparse
from pathlib import Path

from ckarch import ArchSpecs, load_specs


def add_arch_specs(parser: argparse.ArgumentParser) -> None:
    """``--arch-specs``: another table of GPU facts than the project's."""
    parser.add_argument(
        "--arch-specs",
        type=Path,
        metavar="FILE",
        help="GPU facts to use instead of the project's own",
    )


def load_arch(options: argparse.Namespace) -> ArchSpecs:
    """The table that ``--arch-specs`` names, or the project's."""
    return load_specs(options.arch_specs)
