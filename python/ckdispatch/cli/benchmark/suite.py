# SPDX-License-Identifier: MIT
"""Times of the problems of a problem list, and of all its layers together, each as often as the
network has it.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ckdispatch import device_list
from ckdispatch.cli.benchmark.predicted import predict_all, said_of
from ckdispatch.cli.benchmark.selected import Measured, ending, measure_all
from ckdispatch.cli.benchmark.timing import head
from ckdispatch.cli.exits import UsageError
from ckdispatch.cli.families import commands_of
from ckdispatch.cli.listed import described, words_of
from ckdispatch.cli.report import Block, Column, Report, Table
from ckdispatch.cli.running import kernels_of, make_dispatcher, seed_of
from ckdispatch.problem_lists import lists

if TYPE_CHECKING:
    from ckdispatch.problem import Problem
    from ckdispatch.problem_lists.lists import Listed, ProblemList
    from ckdispatch.registry import Registry

HELP = "help"
"""What ``--suite`` takes in place of a name."""

_LAYERS = (
    Column("layers", whole=False),
    Column("times", right=True),
    Column("problem"),
    Column("us", right=True),
    Column("TFLOP/s", right=True),
    Column("time is"),
    Column("kernel", whole=False),
)
_TOTALS = (
    Column("batch", right=True),
    Column("layers", right=True),
    Column("all of them, us", right=True),
    Column("TFLOP/s", right=True),
)


@dataclass(frozen=True)
class Suite:
    """A problem list, with its problems for each size of the batch; the size is None where a list
    has none.
    """

    named: ProblemList
    batches: Mapping[int | None, Sequence[Listed]]

    @classmethod
    def of(cls, options: argparse.Namespace) -> Suite:
        """The list that ``--suite`` names, with the words of the other options."""
        found, words = lists.load(options.suite), words_of(options)
        sizes = options.batch or found.batches
        if not sizes:
            return cls(found, {None: found.problems((), words)})
        return cls(found, {size: found.problems((size,), words) for size in sizes})

    @property
    def problems(self) -> list[Problem]:
        """Each once."""
        return list(dict.fromkeys(one.problem for some in self.batches.values() for one in some))

    def kernel_sets(self) -> list[str]:
        """The shipped sets for its problems, which is what ``--kernels`` is if nothing is said."""
        found = [commands_of(problem.family).kernel_set(problem) for problem in self.problems]
        if None in found:
            raise UsageError(
                f"--suite {self.named.name} was asked for without --kernels; "
                "its problems have no one kernel set"
            )
        return list(dict.fromkeys(name for name in found if name is not None))


def measure_suite(suite: Suite, options: argparse.Namespace) -> Report:
    """A row for each layer, and a total for each size of the batch; failed if a result is wrong,
    and nothing found if a layer has no kernel.

    On a device times are its own. Where none was named and there is no GPU, and with ``--gpu``,
    they are predicted.
    """
    registry = kernels_of(options)
    gpu = _predicted_gpu(registry, options)
    problems = suite.problems
    document: dict[str, Any] = {"suite": described(suite.named)}
    if gpu is None:
        dispatcher, seed = make_dispatcher(options, registry), seed_of(options)
        found = measure_all(dispatcher, problems, seed, options)
        device = dispatcher.device_name
        document |= {
            "device": device,
            "gpu": dispatcher.selection.gpu,
            "simulated": device.startswith("sim:"),
            "seed": seed,
        }
        kinds = sorted({one.document["times"] for one in found if not one.refusal})
        heads = [head(device, kind) for kind in kinds]
    else:
        if options.validate:
            raise UsageError(
                f"--validate was asked for where times are predicted, for {gpu}, and there are no "
                "results; name a device with --device"
            )
        found = predict_all(registry, gpu, problems, options)
        document |= {"device": None, "gpu": gpu, "simulated": False}
        heads = [said_of(registry, gpu, problems)] if any(not one.refusal for one in found) else []
    return _report(suite, dict(zip(problems, found, strict=True)), document, heads)


def _predicted_gpu(registry: Registry, options: argparse.Namespace) -> str | None:
    """The GPU whose times are predicted; None if a device is to run the problems."""
    if options.gpu is not None:
        if options.device != "auto":
            raise UsageError(
                f"--gpu was asked for with --device {options.device}; --gpu predicts times and "
                "runs nothing, so leave out one of the two"
            )
        return str(options.gpu)
    if options.device != "auto" or os.environ.get("CKDISPATCH_DEVICE"):
        return None
    if any(
        one.usable and not one.simulated and one.gpu in registry.gpus
        for one in device_list.devices()
    ):
        return None
    usual = device_list.default_gpu()
    return usual if usual in registry.gpus or not registry.gpus else registry.gpus[0]


def _report(
    suite: Suite, found: Mapping[Problem, Measured], document: dict[str, Any], heads: Sequence[str]
) -> Report:
    rows = [
        (batch, one, found[one.problem]) for batch, some in suite.batches.items() for one in some
    ]
    totals = [
        _total(batch, [(one, found[one.problem]) for one in some])
        for batch, some in suite.batches.items()
    ]
    document["results"] = [
        {"batch": batch, "layers": list(one.layers), "count": one.times, **timed.document}
        for batch, one, timed in rows
    ]
    document["totals"] = totals
    refused = {one.text: one.refusal for one in found.values() if one.refusal}
    blocks: list[Block] = [f"{suite.named.name}: {suite.named.title}.", *heads]
    timed_rows = tuple(_row(one, timed) for _, one, timed in rows if not timed.refusal)
    if timed_rows:
        blocks += [Table(_LAYERS, timed_rows), Table(_TOTALS, tuple(map(_total_row, totals)))]
    blocks += [f"{text}: {why}" for text, why in refused.items()]
    blocks += [
        f"{one.text}: {say}" for one in found.values() for say in one.document.get("changes", ())
    ]
    return Report(document, tuple(blocks), *ending(list(found.values())))


def _total(batch: int | None, layers: Sequence[tuple[Listed, Measured]]) -> dict[str, Any]:
    """Of the layers that have a time, each as often as the network has it; ``missing`` are the
    others.
    """
    timed = [(one, measured.document) for one, measured in layers if not measured.refusal]
    milliseconds = sum(one.times * document["median"] for one, document in timed)
    total = {
        "batch": batch,
        "layers": sum(one.times for one, _ in timed),
        "missing": sum(one.times for one, _ in layers) - sum(one.times for one, _ in timed),
        "milliseconds": milliseconds,
    }
    # Times that say nothing about a GPU have no rates.
    if timed and milliseconds > 0 and all("tflops" in document for _, document in timed):
        total["tflops"] = (
            sum(one.times * one.problem.flops for one, _ in timed) / milliseconds / 1e9
        )
    return total


def _row(one: Listed, measured: Measured) -> tuple[str, ...]:
    document = measured.document
    figures = _figures(document, document["median"])
    return (
        ", ".join(one.layers),
        str(one.times),
        measured.text,
        *figures,
        document["times"],
        document["kernel"],
    )


def _total_row(total: Mapping[str, Any]) -> tuple[str, ...]:
    missing = f" of {total['layers'] + total['missing']}" if total["missing"] else ""
    batch = "-" if total["batch"] is None else str(total["batch"])
    return (batch, f"{total['layers']}{missing}", *_figures(total, total["milliseconds"]))


def _figures(document: Mapping[str, Any], milliseconds: float) -> tuple[str, str]:
    return (
        f"{1000 * milliseconds:.1f}",
        f"{document['tflops']:.1f}" if "tflops" in document else "-",
    )
