# SPDX-License-Identifier: MIT
"""``expand``: a declaration as data, for build systems. Needs nothing but the standard library."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from ckarch import load_specs

from ckgen.core.declaration import Declaration, load_declaration
from ckgen.core.errors import DeclarationError
from ckgen.core.expand import Expansion, Refusals, expand
from ckgen.core.sets import named_sets, restrict
from ckgen.core.writer import write_if_changed
from ckgen.families import FAMILIES


def add_to(commands: Any) -> argparse.ArgumentParser:
    """Add the command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "expand",
        help="expand a kernel-set declaration into specs",
        description="Writes the sets of a declaration, each with its kernels and the GPUs that "
        "these are legal on, as JSON.",
        allow_abbrev=False,
    )
    parser.add_argument("--declaration", type=Path, required=True, metavar="FILE")
    parser.add_argument("--output", type=Path, required=True, metavar="FILE")
    parser.add_argument(
        "--set",
        dest="set_name",
        metavar="NAME",
        help="what a declaration that names no sets is called; default: the file's stem",
    )
    parser.add_argument(
        "--display-name", default="", metavar="TEXT", help="what messages call the declaration"
    )
    parser.add_argument(
        "--errors-as-data",
        action="store_true",
        help="write errors in the declaration into the output instead of failing",
    )
    parser.set_defaults(run=run)
    return parser


def run(options: argparse.Namespace) -> None:
    """Expand ``--declaration`` into ``--output``."""
    arch = load_specs(options.arch_specs)
    name = options.set_name or options.declaration.stem
    try:
        declaration = load_declaration(
            options.declaration, FAMILIES, arch.gpus, options.display_name
        )
        parts = [(one.name, restrict(declaration, one)) for one in named_sets(declaration, name)]
    except DeclarationError as error:
        if not options.errors_as_data:
            raise
        _write(options.output, [{**_header(name), "kernels": [], "errors": [str(error)]}])
        return
    sets = []
    refusals = Refusals()
    for set_name, part in parts:
        expansion = expand(part, arch, refusals)
        if expansion.errors and not options.errors_as_data:
            raise DeclarationError("\n".join(expansion.errors))
        sets.append({**_header(set_name, part), **expansion_to_json(expansion)})
    _write(options.output, sets)


def expansion_to_json(expansion: Expansion) -> dict[str, Any]:
    """The kernels, the errors and what was dropped, as JSON values."""
    return {
        "kernels": [
            {
                "name": kernel.name,
                "spec": kernel.spec.to_json(),
                "gpus": list(kernel.gpus),
                "refused": dict(kernel.refused),
                "entry": kernel.entry,
            }
            for kernel in expansion.kernels
        ],
        "errors": list(expansion.errors),
        "dropped": dict(expansion.dropped),
    }


def _header(name: str, declaration: Declaration | None = None) -> dict[str, Any]:
    return {
        "set": name,
        "family": declaration.family.name if declaration else None,
        "forbid_spills": declaration.forbid_spills if declaration else False,
    }


def _write(path: Path, sets: list[dict[str, Any]]) -> None:
    whole = {"sets": [{"dropped": {}, **one} for one in sets]}
    write_if_changed(path, json.dumps(whole, indent=1) + "\n")
