# SPDX-License-Identifier: MIT
"""One command per family: list, explain or generate its kernels."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from ckarch import ArchSpecs, load_specs

from ckgen.cli.explain import explain, explanation_lines, spec_from_text
from ckgen.cli.profiles import print_profile, select_profile
from ckgen.cli.selection import Selection, fill_in, option_name, select, wanted_gpus
from ckgen.core.errors import CkgenError, UsageError
from ckgen.core.family import Family
from ckgen.core.target import DEFAULT_GPU, Target

BUILD_SYSTEMS = ("cmake", "ninja", "makefile")


def add_to(commands: Any, family: Family) -> argparse.ArgumentParser:
    """Add the family's command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        family.name,
        help=family.summary,
        description=f"Generates {family.summary}. Without --preselected or --declaration these "
        "are all legal kernels of the family's catalogue.",
        allow_abbrev=False,
    )
    parser.add_argument("--output-dir", type=Path, metavar="DIR", help="where sources are written")
    parser.add_argument(
        "--gpu-target",
        nargs="+",
        default=[],
        metavar="GPU",
        help=f"such as gfx942,gfx950; {DEFAULT_GPU} if none is said",
    )
    for field in family.entry_fields:
        if field.set_level:
            parser.add_argument(
                option_name(field),
                *(f"--{alias}" for alias in field.aliases),
                dest=field.name,
                nargs="+",
                metavar="X",
                help=f"{field.description}; several, or '*' for all",
            )
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        "--preselected",
        metavar="SET",
        help="a set that ships with the generator; a wrong name lists them all",
    )
    source.add_argument("--declaration", type=Path, metavar="FILE", help="a kernel-set declaration")
    if family.profiles:
        source.add_argument(
            "--profile",
            "--receipt",
            metavar="NAME",
            help="what users of CK build, by name or CK's number; --list counts it; "
            "a wrong name lists them all",
        )
    source.add_argument(
        "--explain", metavar="KERNEL", help="a kernel's name or JSON: why is it legal, or not"
    )
    parser.add_argument("--list", action="store_true", help="print the kernels, write nothing")
    parser.add_argument("--json", action="store_true", help="print JSON on standard output")
    parser.add_argument(
        "--jobs", type=_positive, default=os.cpu_count() or 1, metavar="N", help="processes"
    )
    # Said on AMD's pages, of what is always so here.
    parser.add_argument(
        "--parallel", action="store_true", help="generate in --jobs processes, as is done anyway"
    )
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="print a line for each kernel, as is done anyway",
    )
    for system in BUILD_SYSTEMS:
        parser.add_argument(
            f"--generate-{system}", action="store_true", help=f"also write a {system} build file"
        )
    parser.set_defaults(run=lambda options: run(family, options))
    return parser


def run(family: Family, options: argparse.Namespace) -> None:
    """List, explain or generate."""
    arch = load_specs(options.arch_specs)
    profile = getattr(options, "profile", None)
    filled = fill_in(family, options)
    if options.explain is not None:
        _explain(family, options, arch)
        return
    if not options.list and options.output_dir is None:
        raise UsageError("--output-dir is needed to generate kernels; --list only prints them")
    if profile is not None and options.list:
        print_profile(family, profile, options, arch)
        return
    if filled:
        print(f"ckgen: as nothing else was said: {' '.join(filled)}", file=sys.stderr)
    selection = (
        select(family, options, arch)
        if profile is None
        else select_profile(family, profile, options, arch)
    )
    if selection.left_out:
        print(
            f"ckgen: left out {selection.left_out} kernels that are legal on none of "
            f"{', '.join(wanted_gpus(options, arch))}",
            file=sys.stderr,
        )
    if options.list:
        _list(selection, options.json)
    else:
        _generate(family, selection, options, arch)


def _explain(family: Family, options: argparse.Namespace, arch: ArchSpecs) -> None:
    spec = spec_from_text(family, options.explain, arch)
    explanations = []
    for gpu in wanted_gpus(options, arch):
        explanation = explain(family, spec, Target.of(arch, gpu))
        explanations.append(explanation)
        if not options.json:
            print("\n".join(explanation_lines(explanation)))
    if options.json:
        print(json.dumps(explanations, indent=2))
    illegal = [explanation["gpu"] for explanation in explanations if not explanation["legal"]]
    if illegal:
        raise CkgenError(f"{spec.name} is not legal on {' and '.join(illegal)}")


def _list(selection: Selection, as_json: bool) -> None:
    if as_json:
        kernels = [
            {"name": kernel.name, "gpus": list(kernel.gpus), "spec": kernel.spec.to_json()}
            for kernel in selection.kernels
        ]
        print(json.dumps(kernels, indent=2))
        return
    for kernel in selection.kernels:
        print(kernel.name)


def _generate(
    family: Family, selection: Selection, options: argparse.Namespace, arch: ArchSpecs
) -> None:
    from ckgen.cli.generation import generate_selection

    systems = [system for system in BUILD_SYSTEMS if getattr(options, f"generate_{system}")]
    summary = generate_selection(family, selection, arch, options, systems)
    if options.json:
        print(json.dumps(summary, indent=2))


def _positive(text: str) -> int:
    value = int(text) if text.isascii() and text.isdigit() else 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of processes, at least 1")
    return value
