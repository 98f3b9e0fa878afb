# SPDX-License-Identifier: MIT
"""Makes docs/selection.md from tables of measured times: figures, pictures, and the record that
later figures are held against.

What the page is about is in OUTPUT/selection/settings.json. Parts of OUTPUT/selection.md between
`<!-- made: … -->` and `<!-- end -->` are made anew, and the rest of it is kept. With --check
nothing is written: it fails if a figure got worse, or if anything of this is not what would be
written; on another kind of processor than the record's, if a bar is not met. Kernels are not built;
a table whose kernels are not given is not judged. Example:
  ./bazelw run //tools/tune:page -- --measurements ../shared/measurements --kernels
  test_measured_conv --kernels test_measured_gemm
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ckarch.costs import read_costs
from ckarch.errors import ArchError
from ckdispatch.cli.exits import exit_code
from ckdispatch.cli.kernel_sources import load_kernels
from ckdispatch.cli.options import add_kernels
from ckdispatch.cli.progress import Steps
from ckdispatch.errors import CkDispatchError, Damaged, NotFound
from ckdispatch.evaluation.measured import Measured, measured_on
from ckdispatch.measurements.reading import read
from ckdispatch.registry import Registry
from ckdispatch.user_files import read_bytes

from cktune.blocks import filled
from cktune.comparing import alike, different, worse
from cktune.parts import is_met, value_of
from cktune.pictures import pictures
from cktune.settings import Settings, read_settings
from cktune.study import Study, bounds_study, study, trials_of

_COSTS = Path(__file__).parents[3] / "arch" / "cost_constants.json"
_SHOWN = 20


@dataclass(frozen=True)
class Found:
    """The record, and pictures by the names of their files."""

    record: dict[str, Any]
    pictures: dict[str, str]


@dataclass(frozen=True)
class Places:
    """The files of a page."""

    page: Path
    folder: Path

    @property
    def settings(self) -> Path:
        return self.folder / "settings.json"

    @property
    def record(self) -> Path:
        return self.folder / "figures.json"


def places(output: Path) -> Places:
    """Those below a folder of documents."""
    return Places(output / "selection.md", output / "selection")


def main(arguments: Sequence[str]) -> int:
    """Run the command line; returns the exit status."""
    options = _parser().parse_args(arguments)
    if folder := os.environ.get("BUILD_WORKING_DIRECTORY"):
        os.chdir(folder)
    try:
        at = places(options.output)
        settings = read_settings(at.settings)
        given = load_kernels(options.kernels)
        found = find(
            settings, options.measurements, given, read_costs(options.costs), quiet=options.quiet
        )
        if options.check:
            wrong = check(at, settings, found)
            print("\n".join(wrong) if wrong else f"{at.page} is what its tables say")
            return 1 if wrong else 0
        write(at, settings, found)
    except (ArchError, CkDispatchError) as error:
        print(f"page: {error}", file=sys.stderr)
        return exit_code(error) if isinstance(error, CkDispatchError) else 1
    return 0


def find(
    settings: Settings,
    folder: Path,
    given: Registry,
    costs: Mapping[str, Any],
    *,
    quiet: bool = True,
) -> Found:
    """All that the tables say."""
    tables: dict[str, Any] = {}
    drawn: dict[str, str] = {}
    for name, one in settings.tables.items():
        path = folder / name
        if not path.is_file():
            raise NotFound(f"the page is about the table {name}, which is not in {folder}")
        measured = measured_on(read(path), settings.gpu)
        if measured.cases:
            steps = Steps(f"trials of {name}", trials_of(measured), quiet=quiet)
            found = study(measured, given, one, _shipped_costs(costs, measured), steps)
        else:
            found = bounds_study(measured, given)
        tables[name] = found.record
        drawn |= _pictures(found, one.pictures)
    return Found(
        {
            "gpu": settings.gpu,
            "machine": platform.machine(),
            "terms": costs["terms"],
            "tables": tables,
        },
        drawn,
    )


def _pictures(found: Study, prefix: str) -> dict[str, str]:
    if not prefix or found.served is None:
        return {}
    return {f"{prefix}_{name}.svg": text for name, text in pictures(found).items()}


def _shipped_costs(costs: Mapping[str, Any], measured: Measured) -> Mapping[str, Any]:
    """The constants for the family and the GPU of a table, and what they are from."""
    family = measured.problems[0].family
    for row in costs["constants"]:
        if (row["family"], row["gpu"]) == (family, measured.gpu):
            found: Mapping[str, Any] = row
            return found
    return {}


def write(at: Places, settings: Settings, found: Found) -> None:
    """The page, the record and the pictures."""
    text = filled(read_page(at), found.record, settings)
    for name, picture in found.pictures.items():
        (at.folder / name).write_text(picture, "utf-8")
    at.record.write_text(json.dumps(found.record, indent=1, ensure_ascii=False) + "\n", "utf-8")
    at.page.write_text(text, "utf-8")


def read_page(at: Places) -> str:
    """The page as it is; its hand-written parts are nowhere else."""
    return read_bytes(at.page, "the page").decode()


def read_record(at: Places) -> dict[str, Any]:
    """The figures that the page has."""
    try:
        document = json.loads(read_bytes(at.record, "the record of figures"))
    except ValueError as error:
        raise Damaged(f"the record of figures {at.record} is no JSON: {error}") from error
    if not isinstance(document, dict) or not isinstance(document.get("tables"), dict):
        raise Damaged(f"the record of figures {at.record} has no tables")
    return document


def check(at: Places, settings: Settings, found: Found) -> list[str]:
    """What is wrong, line by line; first of all what got worse. What no kernels were given for is
    not compared.
    """
    recorded = read_record(at)
    wrong: list[str] = []
    skipped = [name for name, one in found.record["tables"].items() if "skipped" in one]
    if len(skipped) == len(found.record["tables"]):
        return ["no table was judged: the kernels of none were given"]
    old, new = (
        {
            **record,
            "tables": {name: one for name, one in record["tables"].items() if name not in skipped},
        }
        for record in (recorded, found.record)
    )
    if recorded.get("machine") != found.record["machine"]:
        # Another processor rounds in other places, and one flipped split of a tree changes many
        # figures a little: the bars hold everywhere.
        return [*unmet(found.record, settings, skipped), *check_page(at, settings, recorded)]
    figures = sorted(worse(old["tables"], new["tables"]), key=lambda one: one.where)
    if figures:
        wide = max(len(one.where) for one in figures)
        wrong += ["figures that got worse:", f"  {'':{wide}}  {'before':>8}  {'now':>8}"]
        wrong += [f"  {one.where:{wide}}  {one.was:8.2f}  {one.now:8.2f}" for one in figures]
    others = list(different(old, new))
    if others:
        wrong += [
            f"{at.record} is not what would be written:",
            *(f"  {one}" for one in others[:_SHOWN]),
        ]
        wrong += [f"  and {len(others) - _SHOWN} more"] if len(others) > _SHOWN else []
    wrong += check_page(at, settings, recorded)
    for name, picture in found.pictures.items():
        there = at.folder / name
        if not there.is_file() or not alike(there.read_text("utf-8"), picture):
            wrong.append(f"{there} is not the picture that would be drawn")
    if wrong:
        wrong.append("write them anew if this is meant: ./bazelw run //tools/tune:page -- --help")
    return wrong


def unmet(record: Mapping[str, Any], settings: Settings, skipped: Sequence[str]) -> list[str]:
    """The bars that figures do not reach, of tables that were judged."""
    return [
        (
            f"{bar.what}, {bar.strategy}: {figure} is {value_of(record, bar, figure)}, "
            f"and the bar is {wanted:g}"
        )
        for bar in settings.bars
        if bar.table not in skipped
        for figure, wanted in (*bar.least.items(), *bar.most.items())
        if not is_met(value_of(record, bar, figure), wanted, least=figure in bar.least)
    ]


def check_page(at: Places, settings: Settings, recorded: Mapping[str, Any]) -> list[str]:
    """Whether the page says what its record has; needs no tables."""
    page = read_page(at)
    return (
        []
        if filled(page, recorded, settings) == page
        else [f"{at.page} does not say what {at.record} has"]
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="page", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--measurements", required=True, type=Path, metavar="FOLDER", help="where the tables are"
    )
    add_kernels(parser)
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("docs"),
        metavar="FOLDER",
        help="where selection.md is; docs unless it is said",
    )
    parser.add_argument(
        "--costs", type=Path, default=_COSTS, metavar="FILE", help="the constants that ship"
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail if something is worse, or old"
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
