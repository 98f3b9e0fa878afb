# SPDX-License-Identifier: MIT
"""``nearest``: what could be built instead of a kernel that a GPU does not take."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ckarch import load_specs

from ckgen.cli.render_command import spec_of
from ckgen.core.errors import UsageError
from ckgen.core.family import Family
from ckgen.core.nearest import describe_change, nearest_legal
from ckgen.core.rules import first_violation
from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target


def add_to(commands: Any) -> argparse.ArgumentParser:
    """Add the command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "nearest",
        help="name the legal kernels nearest to one",
        description="Says for each GPU which legal kernel is nearest to that of a JSON spec.",
        allow_abbrev=False,
    )
    parser.add_argument("--spec", type=Path, required=True, metavar="FILE")
    parser.add_argument("--gpus", nargs="+", required=True, metavar="GPU")
    parser.set_defaults(run=run)
    return parser


def run(options: argparse.Namespace) -> None:
    """A sentence for each of ``--gpus``."""
    family, spec = spec_of(options.spec)
    arch = load_specs(options.arch_specs)
    unknown = [gpu for gpu in options.gpus if gpu not in arch.gpus]
    if unknown:
        raise UsageError(
            f"there is no GPU {', '.join(map(repr, unknown))}; there is {', '.join(arch.gpus)}"
        )
    for gpu in options.gpus:
        print(_sentence(family, spec, Target.of(arch, gpu)))


def _sentence(family: Family, spec: KernelSpec, target: Target) -> str:
    if first_violation(family.rules, spec, target) is None:
        return f"It is legal on {target.name}."
    found = nearest_legal(family, spec, target)
    if found is None:
        return f"No similar kernel is legal on {target.name}."
    return f"The nearest legal choice on {target.name} is {describe_change(spec, found)}."
