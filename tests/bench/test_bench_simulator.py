# SPDX-License-Identifier: MIT
"""The simulator's benchmark: its figures, and what it says when it cannot measure."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from ckbench.simulator.__main__ import main

FIGURES = {
    "wave_instr_per_s",
    "gemm_1024_s",
    "thread_speedup",
    "check_slowdown",
    "check_size",
    "wave_instructions",
}
CONTEXT = {"seconds", "device", "kernel", "machine"}


@pytest.fixture(autouse=True)
def kernel(monkeypatch: pytest.MonkeyPatch) -> Path:
    (path,) = Path("kernels").glob("lib*.so")
    monkeypatch.setenv("CK_SIM_KERNEL", str(path))
    return path


def test_a_small_run_ends_with_a_json_object(
    tmp_path: Path, kernel: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--sizes", "64", "--repeat", "1", "--json", str(tmp_path / "figures.json")]) == 0
    lines = capsys.readouterr().out.splitlines()
    figures = json.loads(lines[-1])
    assert figures.keys() == FIGURES | CONTEXT
    assert (figures["device"], figures["kernel"]) == ("sim:gfx942", kernel.stem.removeprefix("lib"))
    assert figures["check_size"] == 64 and figures["wave_instructions"] > 0
    assert figures["seconds"].keys() == {"64"} and min(figures["seconds"]["64"].values()) > 0
    assert json.loads((tmp_path / "figures.json").read_text()) == figures
    # What was not measured has met no bar.
    assert figures["gemm_1024_s"] is None
    assert [line.split() for line in lines if line.startswith("1024³")] == [
        "1024³ with two threads, s not measured ≤ 3".split()
    ]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("CK_SIM_KERNEL", "no/such/kernel.so", "no/such/kernel.so: cannot open shared object file"),
        ("CK_SIM_KERNEL", os.environ["CK_SIM_RUNTIME"], "undefined symbol: ck_kernel_get_api"),
        (
            "CK_SIM_RUNTIME",
            "no/such/runtime.so",
            "no/such/runtime.so: cannot open shared object file",
        ),
        ("CK_SIM_GPU", "gfx000", "GFXSIM_GPU=gfx000 is no GPU that is simulated"),
        ("CK_SIM_GPU", "gfx1100", "gfx1100"),
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
    assert main(["--sizes", "64", "--repeat", "1"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    _, sentence = said.err.splitlines()
    assert sentence.startswith("sim_bench: The GEMM of 64³ failed: ") and words in sentence


def test_a_folder_that_does_not_exist_is_told_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--json", str(tmp_path / "missing/figures.json")]) == 1
    (sentence,) = capsys.readouterr().err.splitlines()
    assert "missing/figures.json, whose folder does not exist" in sentence
