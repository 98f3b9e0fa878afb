# SPDX-License-Identifier: MIT
"""Kernels said by options: the fields of a declaration's entry, whatever its family."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ckdispatch.cli.exits import UsageError
from ckdispatch.families import FAMILIES
from ckdispatch.wording import quoted


def _is_number(word: str) -> bool:
    """Nothing that is counted here has more than nine digits."""
    return word.isascii() and word.isdigit() and len(word) <= 9


def triple(option: str, word: str) -> list[int]:
    """Three extents."""
    parts = word.split("x")
    if len(parts) != 3 or not all(_is_number(part) for part in parts):
        raise UsageError(f"{option} is {quoted(word)}; it is MxNxK, such as 64x64x64")
    return [int(part) for part in parts]


def switch(option: str, word: str) -> bool:
    if word not in ("true", "false"):
        raise UsageError(f"{option} is {quoted(word)}; it is true or false")
    return word == "true"


def count(option: str, word: str) -> int:
    if not _is_number(word):
        raise UsageError(f"{option} is {quoted(word)}; it is a whole number")
    return int(word)


def extents(option: str, word: str) -> list[bool]:
    """Which of M, N and K."""
    if word != "none" and (not word or set(word) - set("mnk")):
        raise UsageError(f"{option} is {quoted(word)}; it is `none`, or letters of mnk, such as mn")
    return [letter in word and word != "none" for letter in "mnk"]


@dataclass(frozen=True)
class ConfigOption:
    """An option for a field of kernels; ``choice`` is what a word of it means, the option's name
    before it.
    """

    help: str
    choice: Callable[[str, str], Any] = lambda _, word: word


def _options() -> dict[str, list[ConfigOption]]:
    """By the name of the field, as each family that has it says."""
    found: dict[str, list[ConfigOption]] = {}
    for family in FAMILIES.values():
        for name, option in family.commands.CONFIG_OPTIONS.items():
            found.setdefault(name, []).append(option)
    return found


def add_config_options(parser: argparse.ArgumentParser) -> None:
    """An option for each field."""
    group = parser.add_argument_group(
        "the kernels, in words",
        "Each may be several choices with commas between them, or '*' for every legal one.",
    )
    known = " or ".join(FAMILIES)
    group.add_argument(
        "--family",
        metavar="NAME",
        help=f"{known}; by default the first that has all of these fields",
    )
    for name, options in _options().items():
        meaning = ", or ".join(dict.fromkeys(option.help for option in options))
        group.add_argument(
            f"--{name.replace('_', '-')}", dest=f"field_{name}", metavar=name.upper(), help=meaning
        )


def said_entries(options: argparse.Namespace) -> dict[str, Any] | None:
    """A declaration with one entry of the fields that were said, or None if none was."""
    known = _options()
    said = {name: text for name in known if (text := getattr(options, f"field_{name}")) is not None}
    if not said:
        return None
    family = options.family or _family(said)
    # What a word means is the family's: a tile has three extents, or six.
    own = FAMILIES[family].commands.CONFIG_OPTIONS if family in FAMILIES else {}
    entry = {
        name: _value(f"--{name.replace('_', '-')}", own.get(name, known[name][0]), text)
        for name, text in said.items()
    }
    return {"family": family, "kernels": [entry]}


def _family(said: dict[str, str]) -> str:
    for name, family in FAMILIES.items():
        if said.keys() <= set(family.config_type.field_names()):
            return name
    words = " and ".join(f"--{name.replace('_', '-')}" for name in said)
    raise UsageError(f"{words} were said together; no family's kernels have all of these")


def _value(name: str, option: ConfigOption, text: str) -> Any:
    if text == "*":
        return text
    choices = [option.choice(name, word.strip()) for word in text.split(",")]
    return choices[0] if len(choices) == 1 else choices
