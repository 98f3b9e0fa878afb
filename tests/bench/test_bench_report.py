# SPDX-License-Identifier: MIT
import json
import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ckbench import __main__ as program
from ckbench.clone import CloneBuild
from ckbench.compilation import Comparison, Compilation, Side
from ckbench.edit import Edit, Rebuild
from ckbench.errors import BenchError
from ckbench.execution_log import Spawn
from ckbench.families import FMHA
from ckbench.generation import Generation
from ckbench.options import Options
from ckbench.process import Seconds
from ckbench.results import Machine, Results

HEADLINE = ("generate_per_s", "compile_ratio", "noop_s", "edit_actions", "second_clone_compiles")
OWN = Spawn("CkCompile", "//kernels:new", False)
MANIFEST = Spawn("CkManifest", "//kernels:gemm_fp16_rcr_all", False)
CACHED = Spawn("CkCompile", "//kernels:a", True)
EDIT = Edit(3, None, (True, False, False), "old", "new", {})

FULL = Results(
    Machine("aarch64", 2, 0.5),
    "gfx942",
    generations=(
        Generation(1000, 10, Seconds(0.6, 0.5), Seconds(1.0, 0.9)),
        Generation(1000, 10, Seconds(0.6, 0.4), Seconds(1.0, 0.6)),
    ),
    compilation=Compilation(
        (
            Comparison(
                "a",
                Side(
                    {
                        "CkPrecompile": Seconds(1.0, 1.0),
                        "CkCompile": Seconds(10.0, 9.0),
                        "CkHost": Seconds(2.0, 2.0),
                    }
                ),
                Side({"CkCompile": Seconds(21.0, 20.0), "CkHost": Seconds(5.0, 4.0)}),
                Side({"CkCompile": Seconds(27.0, 26.0), "CkHost": Seconds(5.0, 4.0)}),
            ),
        ),
        Seconds(27.5, 27.0),
        27,
        "clang version 21",
        "abc",
    ),
    noop=(0.31, 0.29, 0.4),
    rebuild=Rebuild(EDIT, (OWN, MANIFEST)),
    clone=CloneBuild((CACHED, CACHED), 2, ()),
)


def run_program(
    results: Results, monkeypatch: pytest.MonkeyPatch, cache: Path, *arguments: str
) -> int:
    def measured(options: Options, environment: Mapping[str, str], scratch: Path) -> Results:
        assert scratch.is_dir()
        return results

    return run_with(measured, monkeypatch, cache, *arguments)


def run_with(
    measure: Callable[[Options, Mapping[str, str], Path], Results],
    monkeypatch: pytest.MonkeyPatch,
    cache: Path,
    *arguments: str,
) -> int:
    monkeypatch.setattr(program, "measure", measure)
    monkeypatch.setattr(signal, "signal", lambda number, handler: None)
    monkeypatch.setattr(sys, "argv", ["build_bench", *arguments])
    monkeypatch.setenv("CKDISPATCH_CACHE", str(cache))
    return program.main()


def last_line(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_the_last_line_is_one_json_object_with_the_figures(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run_program(FULL, monkeypatch, tmp_path) == 0
    data = last_line(capsys)
    assert {name: data[name] for name in HEADLINE} == {
        "generate_per_s": 1000.0,
        "compile_ratio": 0.5,
        "noop_s": 0.29,
        "edit_actions": 2,
        "second_clone_compiles": 0,
    }


def test_the_json_says_how_the_figures_came_about() -> None:
    data = FULL.to_json()
    assert data["machine"] == {"arch": "aarch64", "cpus": 2, "load": 0.5}
    assert (data["gpu"], data["family"], data["target"]) == (
        "gfx942",
        "gemm",
        "//kernels:gemm_fp16_rcr_all",
    )
    assert data["generate"]["per_wall_s"] == 625.0
    assert data["compile"]["ours_cpu_s_per_kernel"] == 12.0
    assert data["compile"]["theirs_cpu_s_per_kernel"] == 24.0
    assert data["compile"]["precompile_s"] == 27.0
    assert data["compile"]["precompile_shared_by"] == 27
    assert data["compile"]["wall_ratio"] == 0.5
    assert data["compile"]["ratio_to_shipped_headers"] == 0.4
    assert data["compile"]["kernels"][0]["theirs_with_shipped_headers"]["cpu_s"] == 30.0
    assert data["compile"]["toolchain_digest"] == "abc"
    assert data["compile"]["kernels"][0]["ours"]["steps"]["CkHost"] == {"cpu_s": 2.0, "wall_s": 2.0}
    assert data["edit"]["executed"] == {"CkCompile": 1, "CkManifest": 1}
    assert (data["edit"]["old_kernel"], data["edit"]["new_kernel"]) == ("old", "new")
    assert data["clone"]["from_cache"] == {"CkCompile": 2}
    assert data["clone"]["byte_identical"] is True


def test_what_was_not_measured_is_null(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run_program(Results(FULL.machine, "gfx942"), monkeypatch, tmp_path) == 0
    data = last_line(capsys)
    for name in (*HEADLINE, "generate", "compile", "noop", "edit", "clone"):
        assert data[name] is None, name


def test_the_table_says_which_bars_are_met(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    slow = replace(FULL, noop=(1.5,))
    assert run_program(slow, monkeypatch, tmp_path) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = {line[:32].strip(): line.rpartition(" ")[2] for line in lines}
    assert rows["kernels generated per second"] == "met"
    assert rows["compile time against tile_engine"] == "met"
    assert rows["build with nothing to do, s"] == "missed"
    assert rows["actions after one edited entry"] == "met"
    assert rows["compiles in a second clone"] == "met"
    assert "ours has a share of the 27.0 s for headers that 27 kernels share" in lines
    assert "with CK's headers as shipped on tile_engine's side: 0.40" in lines


@pytest.mark.parametrize(("ratio", "verdict"), [(0.6, "met"), (0.61, "missed")])
def test_attention_is_shown_with_its_set_its_rival_and_its_bar(
    ratio: float,
    verdict: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    ours, theirs = (Side({"CkCompile": Seconds(99.0, seconds)}) for seconds in (100 * ratio, 100.0))
    compilation = Compilation(
        (Comparison("a", ours, theirs, theirs),), Seconds(9.0, 9.0), 67, "clang", "abc"
    )
    assert (
        run_program(
            Results(FULL.machine, "gfx942", FMHA, compilation=compilation), monkeypatch, tmp_path
        )
        == 0
    )
    *lines, last = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("//kernels:fmha_fwd_fp16_all for gfx942, on 2 aarch64 cores")
    assert [line.split() for line in lines if "01_fmha" in line] == [
        ["compile", "time", "against", "01_fmha", f"{ratio:.2f}", "≤", "0.6", verdict],
        ["compiled", "kernel,", "processor", "seconds", "ours", "01_fmha", "ratio"],
        ["with", "CK's", "headers", "as", "shipped", "on", "01_fmha's", "side:", f"{ratio:.2f}"],
    ]
    data = json.loads(last)
    assert (data["family"], data["target"]) == ("fmha", "//kernels:fmha_fwd_fp16_all")
    assert (data["compile_ratio"], data["noop_s"]) == (ratio, None)


def test_the_json_file_holds_the_last_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "out.json"
    assert run_program(FULL, monkeypatch, tmp_path, "--json", str(file)) == 0
    assert json.loads(file.read_text()) == last_line(capsys)


def test_a_json_file_in_no_folder_is_refused_before_anything_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def never(options: Options, environment: Mapping[str, str], scratch: Path) -> Results:
        raise AssertionError("measured all the same")

    assert run_with(never, monkeypatch, tmp_path, "--json", str(tmp_path / "no" / "o.json")) == 1
    assert "whose folder does not exist" in capsys.readouterr().err


def test_an_error_is_one_sentence_and_no_result(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def fails(options: Options, environment: Mapping[str, str], scratch: Path) -> Results:
        raise BenchError("It cannot be measured.")

    assert run_with(fails, monkeypatch, tmp_path) == 1
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "build_bench: It cannot be measured.\n")
    assert list(tmp_path.iterdir()) == []


def test_an_interruption_ends_with_130_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def interrupted(options: Options, environment: Mapping[str, str], scratch: Path) -> Results:
        (scratch / "file").write_text("x")
        raise KeyboardInterrupt

    assert run_with(interrupted, monkeypatch, tmp_path) == 130
    assert capsys.readouterr().out == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("results", "sentence"),
    [
        (
            replace(FULL, rebuild=Rebuild(EDIT, (OWN, CACHED))),
            "Editing new rebuilt other targets too: //kernels:a.",
        ),
        (
            replace(FULL, clone=CloneBuild((OWN, CACHED), 2, ())),
            "The second clone compiled 1 kernels again.",
        ),
        (
            replace(FULL, clone=CloneBuild((CACHED,), 2, ("libk.so",))),
            "These libraries of the second clone differ from the first one's: libk.so.",
        ),
    ],
)
def test_a_broken_promise_fails_the_program_but_is_reported_in_full(
    results: Results,
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    assert run_program(results, monkeypatch, tmp_path) == 1
    captured = capsys.readouterr()
    assert captured.err == f"build_bench: {sentence}\n"
    assert set(HEADLINE) <= set(json.loads(captured.out.splitlines()[-1]))
