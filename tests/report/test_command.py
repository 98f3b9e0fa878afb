# SPDX-License-Identifier: MIT
"""``ckdispatch report``: a page, or one sentence and nothing written.
Times are not predicted here.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from ckdispatch.cli.exits import ExitCode
from ckdispatch.cli.main import main
from made_up import write_set
from report_support import SPECS


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    return write_set(tmp_path / "made", "few", SPECS[:3])


def told(capsys: pytest.CaptureFixture[str]) -> str:
    """The one line of the error stream."""
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_a_page_is_written_and_told_of(
    manifest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    assert (
        main(["report", str(manifest), "--output", str(page), "--no-times", "--json"])
        == ExitCode.OK
    )
    document = json.loads(capsys.readouterr().out)
    assert document["kernels"] == 3
    assert document["bytes"] == page.stat().st_size
    assert page.read_text().startswith("<!doctype html>")


def test_a_page_replaces_the_one_before(manifest: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("before")
    assert (
        main(
            ["report", str(manifest), "--output", str(page), "--no-times", "--title", "A & B <now>"]
        )
        == ExitCode.OK
    )
    assert '<h1 id="title">A &amp; B &lt;now&gt;</h1>' in page.read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["made", "page.html"]


REFUSED = {
    "a manifest that is not there": (
        ["{folder}/none.manifest.json"],
        ExitCode.NOT_FOUND,
        "there is no such file",
    ),
    "a set that was not built": (
        ["no_such_set"],
        ExitCode.NOT_FOUND,
        "the kernel set no_such_set was asked for",
    ),
    "a manifest that is damaged": (["{bad}"], ExitCode.FAILED, "is damaged: it is not JSON"),
    "an earlier manifest that is damaged": (
        ["{good}", "--before", "{bad}"],
        ExitCode.FAILED,
        "is damaged: it is not JSON",
    ),
    "a folder for a manifest": (["{folder}"], ExitCode.NOT_FOUND, "there is no such file"),
    "a pipe for a manifest": (["{pipe}"], ExitCode.NOT_FOUND, "there is no such file"),
    "no manifest": ([], ExitCode.USAGE, "the following arguments are required: MANIFEST"),
    "an option that there is not": (
        ["{good}", "--colour", "red"],
        ExitCode.USAGE,
        "unrecognized arguments: --colour red",
    ),
    "an option in short": (["{good}", "--measure", "x"], ExitCode.USAGE, "unrecognized arguments"),
    "a list that there is not": (
        ["{good}", "--problems", "spam"],
        ExitCode.NOT_FOUND,
        "the problem list 'spam' was asked for",
    ),
    "problems without times": (
        ["{good}", "--problems", "resnet50"],
        ExitCode.USAGE,
        "--problems was asked for with --no-times",
    ),
    "a table that is none": (["{good}", "--measurements", "{bad}"], ExitCode.USAGE, "bad"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_makes_no_sense_is_one_sentence(
    what: str, manifest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words, code, sentence = REFUSED[what]
    bad, pipe, page = tmp_path / "bad.manifest.json", tmp_path / "pipe.json", tmp_path / "page.html"
    bad.write_text('{"kernels": [')
    os.mkfifo(pipe)
    before = sorted(tmp_path.rglob("*"))
    given = [word.format(folder=tmp_path, bad=bad, good=manifest, pipe=pipe) for word in words]
    assert main(["report", *given, "--output", str(page), "--no-times"]) == code
    line = told(capsys)
    assert line.startswith("ckdispatch: ")
    assert sentence in line
    assert line.endswith((".", "!"))
    assert sorted(tmp_path.rglob("*")) == before


OUTPUTS = {
    "a folder": ("{folder}", "it is a folder"),
    "a folder that is not there": ("{folder}/none/page.html", "there is no folder"),
    "a device": ("/dev/null", "no regular file"),
    "a name that is too long": ("{folder}/" + "x" * 300, "a name has at most|File name too long"),
    "a null": ("{folder}/a\0b", "null"),
}


@pytest.mark.parametrize("what", OUTPUTS)
def test_an_output_that_cannot_be_written_is_one_sentence(
    what: str, manifest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output, sentence = OUTPUTS[what]
    before = sorted(tmp_path.rglob("*"))
    assert (
        main(["report", str(manifest), "--output", output.format(folder=tmp_path), "--no-times"])
        != ExitCode.OK
    )
    assert re.search(
        sentence, told(capsys)
    )  # which of two sentences depends on the version of Python
    assert sorted(tmp_path.rglob("*")) == before
