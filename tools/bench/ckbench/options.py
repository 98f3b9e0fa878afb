# SPDX-License-Identifier: MIT
"""The command line of the benchmark."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ckbench.families import FAMILIES, GEMM, Family
from ckbench.parts import Part


@dataclass(frozen=True)
class Options:
    """What to measure, and how often; ``matching`` is a pattern for names of kernels to compile."""

    parts: frozenset[Part]
    kernels: int
    repeat: int
    gpu: str
    json_file: Path | None
    pipelines: frozenset[str] = frozenset(GEMM.pipelines)
    family: Family = GEMM
    matching: str = "*"


def parse_options(arguments: Sequence[str], working_directory: Path) -> Options:
    """The options in ``arguments``; paths are relative to ``working_directory``."""
    parser = argparse.ArgumentParser(
        prog="build_bench",
        description="Measures this repository's build. Progress goes to standard error; standard "
        "output is a table and, as its last line, one JSON object. See docs/benchmarks.md.",
        allow_abbrev=False,
    )
    parts = [part.value for part in Part]
    parser.add_argument(
        "--only",
        type=partial(_named, "part", parts),
        metavar="PART,…",
        help=f"measure only these of {','.join(parts)}; the others are null in the JSON (default: "
        "all that the family has)",
    )
    parser.add_argument(
        "--family",
        type=_family,
        default=GEMM,
        metavar="FAMILY",
        help="whose kernels: "
        + ", ".join(f"{one.name} ({','.join(_parts_of(one))})" for one in FAMILIES.values())
        + "; default: gemm",
    )
    parser.add_argument(
        "--kernels",
        type=_positive,
        default=1,
        metavar="N",
        help="how many kernels of each pipeline to compile for compile_ratio, of fmha of each "
        "pipeline and head size (default: 1)",
    )
    parser.add_argument(
        "--pipelines",
        metavar="PIPELINE,…",
        help="compile only kernels of these of "
        + ", of ".join(f"{','.join(one.pipelines)} ({one.name})" for one in FAMILIES.values()),
    )
    parser.add_argument(
        "--matching",
        default="*",
        metavar="PATTERN",
        help="compile only kernels whose names fit, such as '*_h64x64_*'",
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
    family: Family = parsed.family
    only = (
        _parts_of(family)
        if parsed.only is None
        else [part for part in parts if part in parsed.only]
    )
    if others := [part for part in only if part not in _parts_of(family)]:
        parser.error(
            f"--family {family.name} has no {', '.join(others)}; measured of it is "
            f"{', '.join(_parts_of(family))}: "
            f"--only {','.join(_parts_of(family))} --family {family.name}"
        )
    try:
        pipelines = (
            frozenset(family.pipelines)
            if parsed.pipelines is None
            else _named("pipeline", family.pipelines, parsed.pipelines)
        )
    except argparse.ArgumentTypeError as error:
        parser.error(f"argument --pipelines: {error}")
    json_file = None if parsed.json is None else working_directory / parsed.json
    return Options(
        frozenset(map(Part, only)),
        parsed.kernels,
        parsed.repeat,
        parsed.gpu,
        json_file,
        pipelines,
        family,
        parsed.matching,
    )


def _parts_of(family: Family) -> list[str]:
    return [part.value for part in Part if part in family.parts]


def _family(text: str) -> Family:
    if text not in FAMILIES:
        raise argparse.ArgumentTypeError(
            f"there is no family {text!r}; there are {', '.join(FAMILIES)}"
        )
    return FAMILIES[text]


def _named(what: str, known: Sequence[str], text: str) -> frozenset[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise argparse.ArgumentTypeError(
                f"there is no {what} {name!r}; there are {', '.join(known)}"
            )
    if not names:
        raise argparse.ArgumentTypeError(f"no {what} is named; there are {', '.join(known)}")
    return frozenset(names)


def _positive(text: str) -> int:
    value = int(text) if text.isascii() and text.isdigit() else 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least 1")
    return value
