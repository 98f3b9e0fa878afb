# SPDX-License-Identifier: MIT
"""The command line of the generator.

The specs are validated first; nothing is written when they have a problem.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ckarch.costs import read_costs
from ckarch.errors import ArchError
from ckarch.loader import build_specs, read_document
from ckarch.timing import read_timing

from archgen.bazelrc import bazelrc
from archgen.costs import cost_header
from archgen.cpp import cpp_header
from archgen.python import python_module
from archgen.timing import timing_header

_WRITERS: dict[str, Callable[[dict[str, Any]], str]] = {
    "python": python_module,
    "cpp": lambda document: cpp_header(build_specs(document)),
    "bazelrc": bazelrc,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        document = read_document(options.specs)
        others = (
            []
            if options.cost_header is None
            else [(options.cost_header, cost_header(read_costs(options.costs)))]
        )
        if options.timing_header is not None:
            others.append((options.timing_header, timing_header(read_timing(options.timing))))
        outputs = [
            (path, write(document))
            for name, write in _WRITERS.items()
            if (path := getattr(options, name)) is not None
        ]
        for path, text in outputs + others:
            _write(path, text)
    except ArchError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _write(path: Path, text: str) -> None:
    """Replace the file at ``path`` as a whole, so that an interruption leaves the old one."""
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        unfinished.write_text(text, "utf-8")
        unfinished.replace(path)
    except OSError as error:
        raise ArchError(f"cannot write {path}: {error.strerror}.") from error
    finally:
        unfinished.unlink(missing_ok=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="generate",
        description="Validate the GPU specs and write the files that are generated from them.",
    )
    parser.add_argument(
        "--specs",
        type=Path,
        default=Path(__file__).parent.parent / "arch_specs.json",
        help="the specs to read (default: %(default)s)",
    )
    parser.add_argument(
        "--costs",
        type=Path,
        default=Path(__file__).parent.parent / "cost_constants.json",
        help="the constants of the cost model (default: %(default)s)",
    )
    parser.add_argument(
        "--timing",
        type=Path,
        default=Path(__file__).parent.parent / "timing_facts.json",
        help="the facts about time (default: %(default)s)",
    )
    parser.add_argument("--python", type=Path, metavar="FILE", help="write ckarch's module")
    parser.add_argument("--cpp", type=Path, metavar="FILE", help="write the C++ header")
    parser.add_argument(
        "--bazelrc", type=Path, metavar="FILE", help="write the --config shorthands"
    )
    parser.add_argument(
        "--cost-header",
        type=Path,
        metavar="FILE",
        help="write the C++ header with the constants of the cost model",
    )
    parser.add_argument(
        "--timing-header",
        type=Path,
        metavar="FILE",
        help="write the C++ header with the facts about time",
    )
    return parser
