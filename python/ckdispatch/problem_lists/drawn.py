# SPDX-License-Identifier: MIT
"""Problems drawn at random from a distribution that a file states, the same on every machine."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ckdispatch.problem import Problem


@dataclass(frozen=True)
class Distribution:
    """``count`` different problems whose ``words`` have a number or a word that is drawn in place
    of each name of ``draw``.

    Each is drawn alone: ``{"log_uniform": [least, most], "multiple": 8}`` is a whole number whose
    logarithm is uniform, rounded to a multiple; ``{"one_of": [...]}`` is one of those, all alike. A
    problem of more than ``most_flops``, or with a tensor of more than ``most_elements``, is drawn
    again.
    """

    seed: int
    count: int
    words: str
    each: Mapping[str, Mapping[str, Any]]
    most_flops: float
    most_elements: int

    def draw(self, kind: type[Problem]) -> list[str]:
        """The words of all of them; ``kind`` is the problem of their family."""
        # Of Python's generators only random() gives the same numbers in every version.
        uniform = random.Random(self.seed).random
        found: dict[Problem, str] = {}
        while len(found) < self.count:
            drawn = {
                name: _DRAWN[next(iter(how))](uniform(), **how) for name, how in self.each.items()
            }
            words = self.words.format(**drawn)
            problem = kind.parse(words)
            if problem.flops <= self.most_flops and max(problem.spans()) <= self.most_elements:
                found.setdefault(problem, words)
        return list(found.values())


def _log_uniform(uniform: float, log_uniform: tuple[int, int], multiple: int = 1) -> int:
    least, most = log_uniform
    drawn = least * math.exp(uniform * math.log(most / least))
    return max(round(drawn / multiple), 1) * multiple


def _one_of(uniform: float, one_of: list[Any]) -> Any:
    return one_of[int(uniform * len(one_of))]


_DRAWN: Mapping[str, Callable[..., Any]] = {"log_uniform": _log_uniform, "one_of": _one_of}
