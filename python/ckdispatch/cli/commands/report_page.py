# SPDX-License-Identifier: MIT
"""``report``: one HTML file about kernels: what their code uses, which wins where, and what another
build changed.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ckdispatch.cli.exits import UsageError
from ckdispatch.cli.kernel_sources import find_set, load_kernels
from ckdispatch.cli.options import Commands, add_command
from ckdispatch.cli.progress import Steps
from ckdispatch.cli.report import Report, size
from ckdispatch.errors import NotFound
from ckdispatch.families import EXAMPLE
from ckdispatch.problem_lists import lists
from ckdispatch.user_files import check_writable
from ckdispatch.wording import several

if TYPE_CHECKING:
    from ckdispatch.report.document import Content
    from ckdispatch.report.layers import Layer
    from ckdispatch.report.manifests import Kernel, Manifest
    from ckdispatch.report.times import Map, Predictor


def add_to(commands: Commands) -> None:
    """The parser of the command."""
    parser = add_command(
        commands,
        "report",
        run,
        "write a page about kernels: what their code uses, which wins where, "
        "what another build changed",
        "The page is one file, needs no network, and says of each figure what it is from.\n"
        "docs/report.md shows it.\n\n"
        f"Example:\n  ckdispatch report {EXAMPLE.example_kernels} --output report.html",
    )
    parser.add_argument(
        "manifests",
        nargs="+",
        metavar="MANIFEST",
        help="<set>.manifest.json of a build, or the name of a set",
    )
    parser.add_argument(
        "--output",
        type=Path,
        required=True,
        metavar="FILE",
        help="the page to write, such as report.html",
    )
    parser.add_argument(
        "--before",
        action="append",
        default=[],
        metavar="MANIFEST",
        help="a manifest of an earlier build, to compare with; repeat for more",
    )
    parser.add_argument(
        "--problems",
        action="append",
        metavar="NAME",
        help="a list of problems to predict times of, as `ckdispatch problems --list` has them; "
        "repeat for more",
    )
    parser.add_argument(
        "--measurements",
        metavar="FILE",
        help="a table of measured times, to show beside the predicted ones",
    )
    parser.add_argument(
        "--no-times", action="store_true", help="predict nothing: libraries are not opened"
    )
    parser.add_argument("--title", default="", help="of the page; the names of the sets by default")
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def run(options: argparse.Namespace) -> Report:
    """The page, written last, whole or not at all."""
    from ckdispatch.report.document import Content, compose
    from ckdispatch.report.manifests import read, together
    from ckdispatch.report.page import charts, render, write

    check_writable(options.output, "--output")
    charts()  # without them nothing need be done
    for name in options.problems or ():
        lists.load(name)
    if options.no_times and options.problems:
        raise UsageError(
            "--problems was asked for with --no-times; it is for predicted times, "
            "so leave out one of the two"
        )
    paths = [_path(one) for one in options.manifests]
    manifests = [read(path) for path in paths]
    before = [read(_path(one)) for one in options.before]
    kernels = together(manifests)
    content = Content(
        manifests=manifests, before=before, title=options.title, remarks=_remarks(manifests)
    )
    content = _with_times(content, paths, kernels, options)
    text = render(compose(content))
    write(text, options.output)
    return _told(content, kernels, options.output, len(text.encode(errors="replace")))


def _path(given: str) -> Path:
    """Of a manifest by its path or by the name of its set."""
    path = Path(given)
    if path.suffix != ".json" and len(path.parts) == 1:
        return find_set(given)
    if not path.is_file():
        raise NotFound(f"the manifest {path} was asked for, and there is no such file")
    return path


def _remarks(manifests: Sequence[Manifest]) -> list[str]:
    told = [
        "Registers, LDS, spills, occupancy and instructions are read from code objects; "
        "instructions are counted as they stand in the code, not as often as they run."
    ]
    missing = sum(one.undescribed for one in manifests)
    if missing:
        told.append(
            f"The instructions of {several(missing, 'kernel')} are not shown: no description that "
            "fits the manifest lies beside the library."
        )
    return told


def _with_times(
    content: Content, paths: Sequence[Path], kernels: Sequence[Kernel], options: argparse.Namespace
) -> Content:
    """The content with maps and layers, and what their times are from."""
    from ckdispatch.report.times import Predictor

    maps: list[Map] = []
    layers: list[Layer] = []
    remarks = list(content.remarks)
    predictor = None
    if options.no_times:
        remarks.append("No times are predicted, as was asked for.")
    else:
        predictor = Predictor(load_kernels([str(path) for path in paths]))
        maps = _maps(predictor, options)
        layers = _layers(predictor, kernels, options)
    if options.measurements:
        gpus = sorted({gpu for one in kernels for gpu in one.uses})
        layers += _measured(predictor, gpus, options)
        remarks.append(
            f"Times that are called timed are from {Path(options.measurements).name}: the least of "
            "its rows for each problem."
        )
    if predictor is not None:
        remarks += predictor.remarks
    return replace(content, maps=maps, layers=layers, remarks=remarks)


def _maps(predictor: Predictor, options: argparse.Namespace) -> list[Map]:
    grids = predictor.grids()
    steps = Steps("problems of maps", sum(len(grid) for _, _, grid in grids), quiet=options.quiet)
    return [one for one in predictor.maps(grids, steps) if any(one.picks)]


def _layers(
    predictor: Predictor, kernels: Sequence[Kernel], options: argparse.Namespace
) -> list[Layer]:
    from ckdispatch.report.layers import of_lists, usual

    def dtypes(family: str) -> Sequence[str]:
        return list(dict.fromkeys(one.words["dtype"] for one in kernels if one.family == family))

    families = tuple(dict.fromkeys(one.family for one in kernels))
    names = tuple(dict.fromkeys(options.problems or usual(families)))
    wanted = list(of_lists(names, predictor.registry.gpus, dtypes))
    steps = Steps("problems of lists", len(wanted), quiet=options.quiet)
    return [
        one
        for one in (layer.picked_by(predictor, steps) for layer in wanted)
        if one.picked is not None
    ]


def _measured(
    predictor: Predictor | None, gpus: Sequence[str], options: argparse.Namespace
) -> list[Layer]:
    from ckdispatch.measurements.reading import read
    from ckdispatch.report.layers import of_table

    return list(of_table(read(options.measurements), predictor, gpus))


def _told(content: Content, kernels: Sequence[Kernel], output: Path, count: int) -> Report:
    uses = sum(len(one.uses) for one in kernels)
    # A path may hold bytes that are no text.
    name = os.fsencode(output).decode(errors="replace")
    document: dict[str, Any] = {
        "output": name,
        "bytes": count,
        "kernels": len(kernels),
        "code_objects": uses,
        "maps": len(content.maps),
        "layers": len(content.layers),
    }
    sentence = (
        f"{name} has {several(len(kernels), 'kernel')} ({several(uses, 'code object')}), "
        f"{several(len(content.maps), 'map')} and {several(len(content.layers), 'layer')} in "
        f"{size(count)}."
    )
    return Report(document, (sentence,))
