# SPDX-License-Identifier: MIT
"""``render``: the source of one kernel."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ckarch import load_specs

from ckgen.core import codec
from ckgen.core.errors import FieldError, SpecError
from ckgen.core.family import Family, look_up_family
from ckgen.core.spec import KernelSpec
from ckgen.core.writer import write_if_changed
from ckgen.families import FAMILIES


def add_to(commands: Any) -> argparse.ArgumentParser:
    """Add the command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "render",
        help="write the source of one kernel",
        description="Writes the C++ source of the kernel that a JSON spec describes.",
        allow_abbrev=False,
    )
    parser.add_argument("--spec", type=Path, required=True, metavar="FILE")
    parser.add_argument("--output", type=Path, required=True, metavar="FILE")
    parser.set_defaults(run=run)
    return parser


def run(options: argparse.Namespace) -> None:
    """Render ``--spec`` into ``--output``."""
    from ckgen.core.generate import render_kernel

    family, spec = spec_of(options.spec)
    write_if_changed(options.output, render_kernel(family, spec, load_specs(options.arch_specs)))


def spec_of(path: Path) -> tuple[Family, KernelSpec]:
    """The spec in a file, with its family."""
    try:
        data = codec.load_json(path)
    except FieldError as error:
        raise SpecError(str(error)) from error
    if not isinstance(data, dict):
        raise SpecError(f"{path}: expected a JSON object, not {codec.show(data)}")
    family = look_up_family(FAMILIES, data.get("family"))
    return family, family.spec_type.from_json(data)
