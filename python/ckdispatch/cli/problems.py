# SPDX-License-Identifier: MIT
"""Problems from the words of a command line, or from the lines of a file."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ckdispatch.cli.exits import UsageError
from ckdispatch.errors import CkDispatchError, InvalidArgument
from ckdispatch.families import EXAMPLE, FAMILIES
from ckdispatch.user_files import read_text
from ckdispatch.wording import quoted

if TYPE_CHECKING:
    from ckdispatch.problem import Problem

_MOST = 16 << 20
"""Bytes of a list of problems."""

_EXTENTS = re.compile(r"\d+(?:[x+]\d+)*", re.ASCII)


def parse_problem(words: Sequence[str]) -> Problem:
    """The one problem that ``words`` say."""
    text = " ".join(words)
    family = _family(text)
    if family is None:
        examples = ", or ".join(one.example for one in FAMILIES.values())
        raise UsageError(f"{quoted(text)} is no problem; write one such as {examples}")
    return FAMILIES[family].problem_type.parse(text)


def parse_problems(words: Sequence[str], file: str | None) -> list[Problem]:
    """The problems that ``words`` say, each with its family's first word, and those of a file."""
    texts: list[str] = []
    for word in words:
        if not texts or _is_beginning(word, texts[-1]):
            texts.append(word)
        else:
            texts[-1] += f" {word}"
    found = [parse_problem([text]) for text in texts]
    if file is not None:
        found += _from_file(file)
    if not found:
        raise UsageError(
            f"no problem was given; write one such as {EXAMPLE.example}, or use --file"
        )
    return found


def _family(text: str) -> str | None:
    """The family that a problem's text names, or that its first word is of."""
    words = text.replace(":", " ").split()
    if words and words[0] in FAMILIES:
        return words[0]
    return next((name for name, one in FAMILIES.items() if one.begins.match(text.strip())), None)


def _is_beginning(word: str, before: str) -> bool:
    """Whether a word that follows the text of a problem is the first of another."""
    if _family(word) is None:
        return False
    family = _family(before)
    if family is None:
        return True
    words = before.replace(":", " ").split()
    # The extents of one family's problem may look like the first word of another's.
    still_open = (
        sum(_EXTENTS.fullmatch(one) is not None for one in words) < FAMILIES[family].extents
    )
    return not (words == [family] or (still_open and _EXTENTS.match(word)))


def _from_file(file: str) -> list[Problem]:
    """One problem on each line; empty ones and what follows a # say nothing."""
    try:
        text = _stdin() if file == "-" else read_text(Path(file), "--file", _MOST)
    except UnicodeDecodeError:
        raise UsageError("--file - is not UTF-8 text") from None
    except CkDispatchError as error:
        raise UsageError(str(error)) from None
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        said = line.partition("#")[0].strip()
        if said:
            try:
                found.append(parse_problem([said]))
            except InvalidArgument as error:
                raise UsageError(f"{file}, line {number}: {error}") from None
    return found


def _stdin() -> str:
    text = sys.stdin.read(_MOST + 1)
    if len(text) > _MOST:
        raise UsageError(f"--file - has more than {_MOST >> 20} MiB")
    return text
