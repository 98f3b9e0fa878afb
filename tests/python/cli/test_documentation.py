# SPDX-License-Identifier: MIT
"""docs/command-line.md: its commands run, what it quotes is printed, and it leaves nothing out."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from ckdispatch.cli.exits import ExitCode
from ckdispatch.cli.main import build_parser
from cli_support import ckdispatch

PAGE = (Path(__file__).parents[3] / "docs" / "command-line.md").read_text(encoding="utf-8")


def fenced(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def examples() -> list[tuple[list[str], list[str]]]:
    """The words of each command, and the lines that the page quotes of its output."""
    found: list[tuple[list[str], list[str]]] = []
    for block in fenced("console"):
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("$ "):
                found.append((shlex.split(line)[1:], []))
            else:
                found[-1][1].append(line)
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the reader is, with the declaration of the page."""
    (declaration,) = fenced("json")
    path = tmp_path_factory.mktemp("reader")
    (path / "my_gemms.json").write_text(declaration)
    return path


def test_every_command_of_the_page_is_ckdispatch() -> None:
    assert len(examples()) >= 14
    assert {words[0] for words, _ in examples()} == {"ckdispatch"}


@pytest.mark.parametrize(
    ("words", "quoted"), examples(), ids=[" ".join(words)[11:60] for words, _ in examples()]
)
def test_a_command_of_the_page_runs_and_prints_what_is_quoted(
    words: list[str], quoted: list[str], folder: Path, compiled: dict[str, str]
) -> None:
    ended = ckdispatch(*words[1:], env=compiled, cwd=folder)
    assert ended.code == 0, ended.err
    for line in quoted:
        assert line in ended.out.splitlines()


def commands() -> list[str]:
    text = build_parser().format_help()
    return re.findall(r"^    (\w+) {2,}", text, re.MULTILINE)


def test_every_command_is_in_the_table() -> None:
    table = re.findall(
        r"^\| `(\w+)", PAGE.split("## Commands\n")[1].split("\n\n```")[0], re.MULTILINE
    )
    assert table == commands()


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """A parser and those of its commands."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from parsers(command)


def test_every_option_is_on_the_page() -> None:
    # Those of a declaration's entry have a page of their own, and help is everywhere.
    options = {
        tuple(action.option_strings)
        for parser in parsers(build_parser())
        for action in parser._actions
        if action.option_strings and not action.dest.startswith("field_")
    }
    assert [names for names in options if not any(name in PAGE for name in names)] == []
    assert len(options) > 20


def test_every_exit_code_is_in_the_table() -> None:
    section = PAGE.split("| exit code | |\n")[1].split("\n\n")[0]
    assert [int(code) for code in re.findall(r"^\| (\d+) \|", section, re.MULTILINE)] == list(
        ExitCode
    )
