# SPDX-License-Identifier: MIT
"""What the commands that take a problem list share: more words of its problems, and the table of
all lists.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ckdispatch.cli.options import whole
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


def add_listed(parser: argparse.ArgumentParser) -> None:
    """``--dtype``, ``--batch`` and ``--words``."""
    parser.add_argument("--dtype", type=_word, help="of the list's problems; fp16 by default")
    parser.add_argument(
        "--batch",
        type=_batches,
        default=(),
        metavar="N[,N]",
        help="the sizes of the batch, such as images or tokens",
    )
    parser.add_argument(
        "--words", default="", help="more words of every problem of the list, such as backward_data"
    )


def words_of(options: argparse.Namespace) -> tuple[str, ...]:
    """What the options add to the words of every problem."""
    return (*((options.dtype,) if options.dtype else ()), *options.words.split())


def said(options: argparse.Namespace) -> bool:
    """Whether one of the options was given."""
    return bool(options.dtype or options.batch or options.words)


def described(one: ProblemList) -> dict[str, object]:
    """A list without its problems."""
    return {
        "name": one.name,
        "title": one.title,
        "source": one.source,
        "family": one.family,
        "batch": one.batch,
    }


def every_list() -> Report:
    """A row for each list."""
    found = [lists.load(name) for name in lists.names()]
    counts = [len(one.problems()) for one in found]
    document: dict[str, Any] = {
        "lists": [
            {**described(one), "default_batches": list(one.batches), "problems": count}
            for one, count in zip(found, counts, strict=True)
        ]
    }
    rows = tuple(
        (one.name, str(count), one.title, _batch(one), one.source)
        for one, count in zip(found, counts, strict=True)
    )
    return Report(document, (Table(_COLUMNS, rows),))


def _batch(one: ProblemList) -> str:
    if not one.batches:
        return one.batch
    sizes = (
        str(one.batches[0]) if len(one.batches) == 1 else f"{one.batches[0]} to {one.batches[-1]}"
    )
    return f"{one.batch}; {sizes}"


def _word(text: str) -> str:
    if len(text.split()) != 1:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is no word such as bf16")
    return text


def _batches(text: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(map(whole(1), text.split(","))))
