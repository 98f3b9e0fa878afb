# SPDX-License-Identifier: MIT
"""The problem lists: ``data`` has a file for each, which says what it is, where it is from and how
a batch enters it.

The words of a problem are those of the command line, with ``{batch}`` or a multiple such as
``{batch*64}`` for a number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ckdispatch.errors import InvalidArgument, NotFound
from ckdispatch.families import FAMILIES
from ckdispatch.problem_lists.drawn import Distribution
from ckdispatch.wording import quoted, several

if TYPE_CHECKING:
    from ckdispatch.problem import Problem

_DATA = Path(__file__).parent / "data"
_BATCH = re.compile(r"\{batch(?:\*(\d+))?\}")


@dataclass(frozen=True)
class Layer:
    """A layer, and how often the network has it."""

    name: str
    times: int
    words: str


@dataclass(frozen=True)
class Listed:
    """A problem of a list, with the layers that it is,
    and how often the network has them together.
    """

    problem: Problem
    layers: tuple[str, ...]
    times: int


@dataclass(frozen=True)
class ProblemList:
    """What a file says. ``batch`` is what a batch is to its problems; ``batches`` are its sizes if
    nothing is said.
    """

    name: str
    title: str
    source: str
    family: str
    batch: str
    batches: tuple[int, ...]
    layers: tuple[Layer, ...]

    def problem(self, layer: Layer, batch: int | None = None, words: Sequence[str] = ()) -> Problem:
        """A layer as a problem; ``words`` are more of it, such as a dtype."""
        said = _BATCH.sub(
            lambda found: str((1 if batch is None else batch) * int(found[1] or 1)), layer.words
        )
        return FAMILIES[self.family].problem_type.parse(" ".join((said, *words)))

    def problems(self, batches: Sequence[int] = (), words: Sequence[str] = ()) -> list[Listed]:
        """Its problems, each once, in its own order for each batch."""
        if batches and not self.batches:
            raise InvalidArgument(
                f"the problem list {self.name} was asked for with a batch of {batches[0]}; "
                f"{self.batch}"
            )
        sizes = tuple(batches) or self.batches or (None,)
        return distinct(
            Listed(self.problem(layer, batch, words), (layer.name,), layer.times)
            for batch in sizes
            for layer in self.layers
        )


def names() -> list[str]:
    """The lists that there are."""
    return sorted(path.stem for path in _DATA.glob("*.json"))


@cache
def load(name: str) -> ProblemList:
    """The list of this name."""
    known = names()
    if name not in known:
        raise NotFound(
            f"the problem list {quoted(name)} was asked for; there is {', '.join(known)}"
        )
    document = json.loads((_DATA / f"{name}.json").read_text(encoding="utf-8"))
    return ProblemList(
        name,
        document["title"],
        document["source"],
        document["family"],
        document["batch"]["is"],
        tuple(document["batch"]["default"]),
        tuple(_layers(document)),
    )


def _layers(document: dict[str, Any]) -> Iterable[Layer]:
    if "random" in document:
        drawn = Distribution(**document["random"]).draw(FAMILIES[document["family"]].problem_type)
        return (Layer(str(number), 1, words) for number, words in enumerate(drawn, 1))
    return (Layer(one["layer"], one["times"], one["words"]) for one in document["problems"])


def distinct(listed: Iterable[Listed]) -> list[Listed]:
    """Each problem once, where it first is, with the names of all layers that it is."""
    found: dict[Problem, Listed] = {}
    for one in listed:
        before = found.get(one.problem)
        if before is not None:
            layers = tuple(dict.fromkeys((*before.layers, *one.layers)))
            one = Listed(one.problem, layers, before.times + one.times)
        found[one.problem] = one
    return list(found.values())


def sample(listed: Sequence[Listed], count: int, seed: int) -> list[Listed]:
    """So many of them at random, in their order; the same ones for the same seed,
    on every machine.
    """
    if count > len(listed):
        raise InvalidArgument(
            f"a sample of {several(count, 'problem')} was asked for, and there are {len(listed)}"
        )
    import random

    # Of Python's generators only random() gives the same numbers in every version.
    draw = random.Random(seed).random
    chosen = sorted(sorted(range(len(listed)), key=lambda _: draw())[:count])
    return [listed[place] for place in chosen]
