# SPDX-License-Identifier: MIT
"""How a kernel library is made, from ``recipe.bzl``,
which describes it also for the Bazel rules.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ckarch import GpuSpec

RECIPE_FILE = Path(__file__).parent / "recipe.bzl"

_PLACEHOLDER = re.compile(r"\{(\w+)\}")

Values = Mapping[str, Sequence[str]]
"""What the placeholders of a step stand for."""


@dataclass(frozen=True)
class Step:
    """One command. ``inputs`` and ``outputs`` are the names of values that are files."""

    tool: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    elements: tuple[Any, ...]

    def arguments(
        self, values: Values, write: Callable[..., str] = lambda *parts: "".join(parts)
    ) -> tuple[str, ...]:
        """The words after the tool; ``write`` makes a word of what stands before, in place of and
        behind a placeholder.
        """
        return tuple(_expanded(self.elements, values, write))


@dataclass(frozen=True)
class Recipe:
    """The steps by name, where a compiler is looked for, and the flags that they are made of."""

    steps: Mapping[str, Step]
    search: Mapping[str, Any]
    parts: Mapping[str, tuple[Any, ...]]
    by_gpu: Mapping[str, Sequence[str]]

    def gpu_flags(self, gpus: Sequence[GpuSpec]) -> list[str]:
        """What device passes have beside the flags of all; those of one GPU do no harm to the
        others of one command.
        """
        wanted = (
            flags for fact, flags in self.by_gpu.items() if any(_has(gpu, fact) for gpu in gpus)
        )
        return [flag for flags in wanted for flag in flags]

    def for_device_pass(self, gpu: GpuSpec) -> tuple[str, ...]:
        """The flags that the code object of a GPU depends on, beside its source and headers."""
        return (
            *self.parts["common"],
            *self.parts["device"],
            *self.gpu_flags([gpu]),
            f"--offload-arch={gpu.name}",
        )


def wave_sizes(gpus: Sequence[GpuSpec]) -> list[str]:
    """GPUs as a library is told of them."""
    return [f"{gpu.name}:{gpu.wave_size}" for gpu in gpus]


@cache
def load_recipe(path: Path = RECIPE_FILE) -> Recipe:
    """The recipe as ``recipe.bzl`` has it."""
    (value,) = (
        node.value
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign)
    )
    data = ast.literal_eval(value)
    parts: dict[str, tuple[Any, ...]] = {}
    for name, elements in data["parts"].items():
        parts[name] = _spliced(elements, parts)
    steps = {
        name: Step(
            step["tool"],
            tuple(step["inputs"]),
            tuple(step["outputs"]),
            _spliced(step["arguments"], parts),
        )
        for name, step in data["steps"].items()
    }
    return Recipe(steps, data["search"], parts, data["by_gpu"])


def _spliced(elements: Sequence[Any], parts: Mapping[str, tuple[Any, ...]]) -> tuple[Any, ...]:
    """The elements with those of the parts that they name."""
    found: list[Any] = []
    for element in elements:
        found += (
            parts[element[1:]]
            if isinstance(element, str) and element.startswith("@")
            else [element]
        )
    return tuple(found)


def _expanded(elements: Sequence[Any], values: Values, write: Callable[..., str]) -> Iterator[str]:
    for element in elements:
        if isinstance(element, dict):
            yield write(
                element["format"]
                % ",".join(_expanded(element["joined"], values, lambda *parts: "".join(parts)))
            )
            continue
        *before, last = [element] if isinstance(element, str) else element
        found = _PLACEHOLDER.search(last)
        for value in values[found[1]] if found else [None]:
            yield from map(write, before)
            yield (
                write(last)
                if found is None
                else write(last[: found.start()], value, last[found.end() :])
            )


def _has(gpu: GpuSpec, fact: str) -> bool:
    """Whether a fact of arch/ is true of a GPU, or has the value behind ``=``."""
    name, _, value = fact.partition("=")
    found = getattr(gpu, name)
    return bool(found == value if value else found)
