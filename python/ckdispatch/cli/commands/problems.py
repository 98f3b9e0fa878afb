# SPDX-License-Identifier: MIT
"""``problems``: lists of problems that people care about, as the other commands take them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ckdispatch.cli.exits import UsageError
from ckdispatch.cli.options import Commands, add_command, whole
from ckdispatch.cli.report import Column, Report, Table
from ckdispatch.problem_lists import lists
from ckdispatch.wording import quoted

if TYPE_CHECKING:
    from ckdispatch.problem_lists.lists import ProblemList

_COLUMNS = (
    Column("list"),
    Column("problems", right=True),
    Column("what", whole=False),
    Column("batch", whole=False),
    Column("source", whole=False),
)


def add_to(commands: Commands) -> None:
    """The parser of the command."""
    parser = add_command(
        commands,
        "problems",
        run,
        "print lists of problems that people care about, or what lists there are",
        "A list has one problem on each line, which --file - of `bench` reads.\n\n"
        "Example:\n  ckdispatch problems resnet50 --dtype bf16 --batch 1,32 --sample 5 --seed 1",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="the lists whose problems to print")
    parser.add_argument("--list", action="store_true", help="the lists that there are, which is also what no name prints")
    parser.add_argument("--dtype", type=_word, help="of the problems; fp16 by default")
    parser.add_argument(
        "--batch", type=_batches, default=(), metavar="N[,N]", help="the sizes of the batch, such as images or tokens"
    )
    parser.add_argument("--words", default="", help="more words of every problem, such as backward_data")
    parser.add_argument("--sample", type=whole(1), metavar="N", help="print so many of them, chosen at random")
    parser.add_argument("--seed", type=whole(0), metavar="N", help="of the sample; 0 by default")


def run(options: argparse.Namespace) -> Report:
    """The problems of the lists that were named, each once, or a table of all lists."""
    if options.names and options.list:
        raise UsageError(f"--list was asked for with {quoted(options.names[0])}; it shows all lists, so leave out one of the two")
    if options.seed is not None and options.sample is None:
        raise UsageError("--seed was asked for without --sample; it is the sample's")
    if options.names:
        return _problems(options)
    if options.sample is not None or options.dtype or options.batch or options.words:
        raise UsageError("problems were asked for without the name of a list; `ckdispatch problems --list` has them")
    return _table([lists.load(name) for name in lists.names()])


def _problems(options: argparse.Namespace) -> Report:
    words = (*((options.dtype,) if options.dtype else ()), *options.words.split())
    chosen = [lists.load(name) for name in options.names]
    listed = lists.distinct(one for some in chosen for one in some.problems(options.batch, words))
    seed = options.seed or 0
    document: dict[str, Any] = {"lists": [_described(some) for some in chosen]}
    if options.sample is not None:
        listed = lists.sample(listed, options.sample, seed)
        document["seed"] = seed
    document["problems"] = [
        {"problem": one.problem.text, "family": one.problem.family, "layers": list(one.layers), "times": one.times}
        for one in listed
    ]
    return Report(document, ("\n".join(one.problem.text for one in listed),))


def _described(one: ProblemList) -> dict[str, object]:
    return {"name": one.name, "title": one.title, "source": one.source, "family": one.family, "batch": one.batch}


def _table(found: list[ProblemList]) -> Report:
    counts = [len(one.problems()) for one in found]
    document = {
        "lists": [
            {**_described(one), "default_batches": list(one.batches), "problems": count}
            for one, count in zip(found, counts, strict=True)
        ]
    }
    rows = tuple((one.name, str(count), one.title, _batch(one), one.source) for one, count in zip(found, counts, strict=True))
    return Report(document, (Table(_COLUMNS, rows),))


def _batch(one: ProblemList) -> str:
    if not one.batches:
        return one.batch
    sizes = str(one.batches[0]) if len(one.batches) == 1 else f"{one.batches[0]} to {one.batches[-1]}"
    return f"{one.batch}; {sizes}"


def _word(text: str) -> str:
    if len(text.split()) != 1:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is no word such as bf16")
    return text


def _batches(text: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(map(whole(1), text.split(","))))
