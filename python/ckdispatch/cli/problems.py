# SPDX-License-Identifier: MIT
"""Problems from the words of a command line, or from the lines of a file."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ckdispatch.cli.exits import UsageError
from ckdispatch.cli.families import face_of, face_of_text, is_beginning
from ckdispatch.errors import CkDispatchError, InvalidArgument
from ckdispatch.user_files import read_text
from ckdispatch.wording import quoted


_MOST = 16 << 20
"""Bytes of a list of problems."""


def parse_problem(words: Sequence[str], split_k: str | None = None) -> Any:
    """The one problem that ``words`` say; ``split_k``, if given, is what --split-k says."""
    return _with_split_k(_parse(" ".join(words)), split_k)


def parse_problems(words: Sequence[str], file: str | None, split_k: str | None = None) -> list[Any]:
    """The problems that ``words`` say, each with its family's first word, and those of a file."""
    texts: list[str] = []
    for word in words:
        if not texts or is_beginning(word, texts[-1]):
            texts.append(word)
        else:
            texts[-1] += f" {word}"
    found = [_parse(text) for text in texts]
    if file is not None:
        found += _from_file(file)
    if not found:
        raise UsageError("no problem was given; write one such as 512x256x1024, or use --file")
    return [_with_split_k(problem, split_k) for problem in found]


def _parse(text: str) -> Any:
    return face_of_text(text).parse_problem(text)


def _from_file(file: str) -> list[Any]:
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
                found.append(_parse(said))
            except InvalidArgument as error:
                raise UsageError(f"{file}, line {number}: {error}") from None
    return found


def _stdin() -> str:
    text = sys.stdin.read(_MOST + 1)
    if len(text) > _MOST:
        raise UsageError(f"--file - has more than {_MOST >> 20} MiB")
    return text


def _with_split_k(problem: Any, text: str | None) -> Any:
    if text is None:
        return problem
    if text == "auto":
        return face_of(problem).with_split_k(problem, 0)
    if text.isascii() and text.isdigit() and len(text) < 19 and int(text) > 0:
        return face_of(problem).with_split_k(problem, int(text))
    raise UsageError(f"--split-k is {quoted(text)}; it is a whole number of at least 1, or `auto`")
