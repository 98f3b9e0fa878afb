# SPDX-License-Identifier: MIT
"""The command line of the benchmark."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TypeVar

from ckgen.gemm.spec import Pipeline

_Word = TypeVar("_Word", bound=Enum)


class Part(Enum):
    """One measurement; the value is its name on the command line."""

    GENERATE = "generate"
    COMPILE = "compile"
    NOOP = "noop"
    EDIT = "edit"
    CLONE = "clone"


@dataclass(frozen=True)
class Options:
    """What to measure, and how often."""

    parts: frozenset[Part]
    kernels: int
    repeat: int
    gpu: str
    json_file: Path | None
    pipelines: frozenset[Pipeline] = frozenset(Pipeline)


def parse_options(arguments: Sequence[str], working_directory: Path) -> Options:
    """The options in ``arguments``; paths are relative to ``working_directory``."""
    names = ",".join(part.value for part in Part)
    parser = argparse.ArgumentParser(
        prog="build_bench",
        description="Measures this repository's build. Progress goes to standard error; standard "
        "output is a table and, as its last line, one JSON object. See docs/benchmarks.md.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--only",
        type=partial(_named, "part", Part),
        default=frozenset(Part),
        metavar="PART,…",
        help=f"measure only these of {names}; the others are null in the JSON",
    )
    parser.add_argument(
        "--kernels",
        type=_positive,
        default=1,
        metavar="N",
        help="how many kernels of each pipeline to compile for compile_ratio (default: 1)",
    )
    parser.add_argument(
        "--pipelines",
        type=partial(_named, "pipeline", Pipeline),
        default=frozenset(Pipeline),
        metavar="PIPELINE,…",
        help=f"compile only kernels of these of {','.join(Pipeline)}",
    )
    parser.add_argument(
        "--repeat",
        type=_positive,
        default=2,
        metavar="N",
        help="how often to generate and to compile; the fastest counts (default: 2)",
    )
    parser.add_argument(
        "--gpu", default="gfx942", metavar="GPU", help="the GPU to build for (default: gfx942)"
    )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="also write the JSON object to this file"
    )
    parsed = parser.parse_args(arguments)
    json_file = None if parsed.json is None else working_directory / parsed.json
    return Options(
        parsed.only, parsed.kernels, parsed.repeat, parsed.gpu, json_file, parsed.pipelines
    )


def _named(what: str, kind: type[_Word], text: str) -> frozenset[_Word]:
    known = {word.value: word for word in kind}
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise argparse.ArgumentTypeError(
                f"there is no {what} {name!r}; there are {', '.join(known)}"
            )
    if not names:
        raise argparse.ArgumentTypeError(f"no {what} is named; there are {', '.join(known)}")
    return frozenset(known[name] for name in names)


def _positive(text: str) -> int:
    value = int(text) if text.isascii() and text.isdigit() else 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least 1")
    return value
