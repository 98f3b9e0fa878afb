# SPDX-License-Identifier: MIT
"""The dispatch benchmark: its figures, and what it says when it cannot measure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ckbench.dispatch.__main__ import TENSORS, main

ASKED_FOR = {
    "select_cached_us_p50",
    "select_cold_us_p50",
    "select_cold_model_us_p50",
    "import_s",
    *(f"python_run_{count}_us_p50" for count in TENSORS),
}


@pytest.fixture(autouse=True)
def manifest(monkeypatch: pytest.MonkeyPatch) -> Path:
    (path,) = Path("kernels").glob("*.manifest.json")
    monkeypatch.setenv("CK_DISPATCH_MANIFEST", str(path))
    return path


def test_a_small_run_ends_with_a_json_object(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--scale", "0.01", "--json", str(tmp_path / "figures.json")]) == 0
    lines = capsys.readouterr().out.splitlines()
    figures = json.loads(lines[-1])
    assert figures.keys() >= ASKED_FOR
    assert (figures["device"], figures["simulated"], figures["kernels"]) == (
        "sim:gfx942",
        True,
        100,
    )
    assert all(figures[name] > 0 for name in ASKED_FOR)
    assert figures["select_cached_us_p50"] < figures["select_cold_us_p50"]
    assert json.loads((tmp_path / "figures.json").read_text()) == figures


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("CK_DISPATCH_MANIFEST", "no/such.manifest.json", "cannot be read"),
        ("CK_DISPATCH_SIMULATOR", "no/such/runtime.so", "cannot be loaded"),
        ("CK_DISPATCH_PROGRAM", "no/such/program", "cannot be run: No such file"),
    ],
)
def test_what_cannot_be_measured_is_one_sentence(
    name: str,
    value: str,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(name, value)
    assert main(["--scale", "0.01"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert words in said.err.splitlines()[-1]


@pytest.mark.parametrize(
    "arguments",
    [["--scale", "0"], ["--json", "missing/folder/figures.json"], ["--device", "sim:gfx1"]],
)
def test_a_wrong_option_is_told(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--scale", "0.01", *arguments]) == 1
    assert capsys.readouterr().err.splitlines()[-1].startswith("dispatch_bench: ")
