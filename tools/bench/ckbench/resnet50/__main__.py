# SPDX-License-Identifier: MIT
"""Prints which kernel of a set each layer of ResNet-50 gets, and why.
Nothing is run or measured.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from ckdispatch import Registry
from ckdispatch.errors import CkDispatchError, InvalidArgument
from ckdispatch.problem_lists.lists import Layer, load
from ckdispatch.selection import Ranking

SETS = {
    "forward": "grouped_conv_fwd_fp16_2d_all",
    "backward_data": "grouped_conv_bwd_data_fp16_2d_all",
    "backward_weight": "grouped_conv_bwd_weight_fp16_2d_all",
}
LAYOUTS = {"channels_last": "nhwgc", "channels_first": "ngchw"}


def described(layer: Layer, ranking: Ranking, layout: str) -> dict[str, Any]:
    """A row of the table."""
    best = ranking.best
    return {
        "layer": layer.name,
        "count": layer.times,
        "problem": ranking.problem,
        "kernel": best.kernel if best else None,
        "predicted_microseconds": best.microseconds if best else None,
        "why": reason(ranking, layout),
    }


def reason(ranking: Ranking, layout: str) -> str:
    """Why it is this kernel: how much more the next one would take, and what keeps others out."""
    if not ranking.fit:
        return ranking.refused[0].reason if ranking.refused else "the set has no kernel"
    sentences = []
    if len(ranking.fit) == 1:
        sentences.append("no other kernel fits")
    else:
        first, second = ranking.fit[:2]
        more = 100 * (second.microseconds / first.microseconds - 1)
        sentences.append(f"{second.kernel} would take {more:.0f} % more")
    # Of the layout's own kernels, because it is no news that others are not.
    refused = [one for one in ranking.refused if f"_{layout}_" in one.kernel]
    if len(refused) == 1:
        sentences.append(f"one is refused: {refused[0].reason}")
    elif refused:
        sentences.append(f"{len(refused)} are refused, such as: {refused[0].reason}")
    return "; ".join(sentences)


def rows_of(given: argparse.Namespace) -> list[dict[str, Any]]:
    """The table; raises ``CkDispatchError`` if the set has nothing for the GPU."""
    registry = Registry.load(given.set or SETS[given.direction])
    layout = LAYOUTS[given.layout]
    network = load("resnet50")
    words = ("fp16", given.direction, layout)
    rows = [
        described(
            layer, registry.rank(network.problem(layer, given.images, words), gpu=given.gpu), layout
        )
        for layer in network.layers
    ]
    if not any(row["kernel"] for row in rows):
        raise CkDispatchError(f"no layer has a kernel on {given.gpu}: {rows[0]['why']}")
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="resnet50", description=__doc__)
    parser.add_argument("--direction", choices=SETS, default="forward", help="default: %(default)s")
    parser.add_argument(
        "--layout", choices=LAYOUTS, default="channels_last", help="default: %(default)s"
    )
    parser.add_argument("--gpu", default="gfx942", help="default: %(default)s")
    parser.add_argument("--images", type=int, default=32, help="default: %(default)s")
    parser.add_argument(
        "--set", help="a kernel set or its manifest, in place of the direction's own"
    )
    parser.add_argument("--json", action="store_true", help="print JSON, an object for each layer")
    given = parser.parse_args(arguments)
    try:
        rows = rows_of(given)
    except CkDispatchError as error:
        print(f"resnet50: {error}", file=sys.stderr)
        return 2 if isinstance(error, InvalidArgument) else 1
    if given.json:
        print(json.dumps(rows, indent=1))
        return 0
    from rich.console import Console
    from rich.table import Table

    table = Table(
        title=f"ResNet-50, {given.direction}, {given.images} images, on {given.gpu}: predicted, "
        "not measured"
    )
    for heading in ("layer", "times", "problem", "kernel", "us", "why"):
        table.add_column(heading, overflow="fold")
    for row in rows:
        time = row["predicted_microseconds"]
        table.add_row(
            row["layer"],
            str(row["count"]),
            row["problem"],
            row["kernel"] or "none",
            "" if time is None else f"{time:.1f}",
            row["why"],
        )
    Console(width=None if sys.stdout.isatty() else 200).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
