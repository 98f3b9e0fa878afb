# SPDX-License-Identifier: MIT
"""gfxsim runs, traces and takes apart a program, and says what is wrong with what it was asked."""

from __future__ import annotations

import json
import os
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

GFXSIM = Path(os.environ["GFXSIM"]).resolve()
PROGRAM = Path(os.environ["SAXPY"]).resolve()
FOLDER = Path(os.environ["TEST_TMPDIR"])
KERNEL = "_ZN12_GLOBAL__N_15saxpyEfPKfS1_Pfi"


def gfxsim(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([GFXSIM, *arguments], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("gpu", ["gfx942", "gfx1100"])
def test_run_lets_an_ordinary_program_find_the_simulated_gpu(gpu: str) -> None:
    ran = gfxsim("run", "--gpu", gpu, PROGRAM)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith(f"1000 results are right on {gpu}")
    assert ran.stderr == ""


def test_run_hands_on_arguments_and_the_exit_code() -> None:
    ran = gfxsim("run", PROGRAM, "exit", "42")
    assert ran.returncode == 42, ran.stderr


def test_run_reports_each_launch() -> None:
    report = FOLDER / "report.jsonl"
    report.unlink(missing_ok=True)
    ran = gfxsim("run", "--gpu", "gfx942", "--threads", "1", "--report", report, PROGRAM)
    assert ran.returncode == 0, ran.stderr
    launches = [json.loads(line) for line in report.read_text().splitlines()]
    assert len(launches) == 1
    launch = launches[0]
    assert launch["kernel"] == KERNEL and launch["device"] == "sim:gfx942" and launch["ok"]
    assert launch["grid"] == [8, 1, 1] and launch["block"] == [128, 1, 1] and launch["waves"] == 16
    assert launch["wave_instructions"] == sum(launch["instructions"].values())
    # Two loads and a store of four bytes by a thousand lanes.
    assert launch["global"]["bytes_written"] == 4000
    assert launch["global"]["bytes_read"] == 8000


def test_a_check_without_findings_is_a_success() -> None:
    ran = gfxsim("run", "--check", "--gpu", "gfx942", PROGRAM)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_a_check_with_findings_has_an_exit_code_of_its_own() -> None:
    ran = gfxsim("run", "--check", "--gpu", "gfx942", PROGRAM, "race")
    assert ran.returncode == 3
    assert "lds_race" in ran.stderr and "race" in ran.stderr
    assert gfxsim("run", "--gpu", "gfx942", PROGRAM, "race").returncode == 0


def test_a_limit_ends_a_kernel_and_not_the_program() -> None:
    ran = gfxsim("run", "--limit", "3", PROGRAM)
    assert (ran.returncode, ran.stdout) == (4, "hipErrorLaunchTimeOut\n")
    assert "limit of 3 instructions" in ran.stderr


def test_a_gpu_that_the_program_was_not_compiled_for() -> None:
    ran = gfxsim("run", "--gpu", "gfx950", PROGRAM)
    assert (ran.returncode, ran.stdout) == (4, "hipErrorNoBinaryForGpu\n")
    assert "gfx950" in ran.stderr and "gfx942" in ran.stderr


def test_trace_prints_every_instruction_of_one_wave() -> None:
    report = FOLDER / "trace.jsonl"
    report.unlink(missing_ok=True)
    ran = gfxsim("trace", "--gpu", "gfx942", "--group", "7", "--wave", "1", PROGRAM)
    assert ran.returncode == 0
    lines = [line for line in ran.stderr.splitlines() if "exec=" in line]
    assert [int(line.split()[0]) for line in lines] == list(range(1, len(lines) + 1))
    assert "s_load_dword" in lines[0] and "s_endpgm" in lines[-1]
    # The last wave works on elements 960 to 999: 40 of its lanes.
    assert "global write of 4 bytes by 40 lanes" in ran.stderr


def test_disasm_shows_resources_and_code() -> None:
    shown = gfxsim("disasm", "--gpu", "gfx942", "--kernel", KERNEL, PROGRAM)
    assert shown.returncode == 0, shown.stderr
    assert f"kernel {KERNEL}\n" in shown.stdout
    assert "waves of 64 lanes, workgroups of at most 1024 work items" in shown.stdout
    assert "global_load_dword" in shown.stdout and "s_endpgm" in shown.stdout
    assert "global_load_b32" not in shown.stdout and "ds_write" not in shown.stdout
    everything = gfxsim("disasm", PROGRAM)
    assert (
        "waves of 32 lanes" in everything.stdout
        and "ds_write" in everything.stdout
        and "global_load_b32" in everything.stdout
    )


def test_coverage_lists_instructions_with_their_uses() -> None:
    covered = gfxsim("coverage", "--json", PROGRAM)
    assert covered.returncode == 0, covered.stderr
    entries = {entry["instruction"]: entry for entry in json.loads(covered.stdout)}
    assert entries["global_load_dword"]["gpus"] == ["gfx908", "gfx942"]
    assert entries["global_load_b32"]["gpus"] == ["gfx1100"]
    assert entries["s_endpgm"]["simulated"] == "exact"
    assert all(entry["uses"] > 0 and entry["problems"] == [] for entry in entries.values())


def test_coverage_finds_what_is_not_simulated() -> None:
    # The bad-input kernel that holds no instruction.
    covered = gfxsim("coverage", "--missing", "tests/gfxsim/bad_input/kernels.gfx942.co")
    assert covered.returncode == 1
    assert "0xfedcba98" in covered.stdout
    assert "1 of them not simulated" in covered.stdout


def test_help_names_every_command() -> None:
    shown = gfxsim("--help")
    assert shown.returncode == 0
    for command in ("run", "trace", "disasm", "coverage"):
        assert f"  {command} " in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "A command is missing"),
        (["fly"], "There is no command 'fly'"),
        (["run"], "run wants a program"),
        (["run", "--gpu"], "--gpu wants a value"),
        (["run", "--gpu", "gfx000", "x"], "'gfx000' is no GPU that is simulated (gfx"),
        (["run", "--threads", "two", "x"], "--threads wants a number, not 'two'"),
        (["run", "--fast", "x"], "There is no option '--fast' here"),
        (["trace"], "trace wants a program"),
        (["disasm"], "disasm wants one file"),
        (["disasm", "a", "b"], "disasm wants one file"),
        (["disasm", "no/such/file"], "no/such/file"),
        (["disasm", "/dev/urandom"], "/dev/urandom is no ordinary file"),
        (["coverage", "/dev/zero"], "/dev/zero is no ordinary file"),
        (["coverage"], "coverage wants at least one file"),
        (["coverage", "no/such/file"], "no/such/file"),
    ],
    ids=lambda value: "_".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_argument_is_named(arguments: list[str], words: str) -> None:
    refused = gfxsim(*arguments)
    assert refused.returncode == 2
    assert refused.stdout == ""
    assert (
        refused.stderr.startswith("gfxsim: ")
        and refused.stderr.endswith(".\n")
        and refused.stderr.count("\n") == 1
    )
    assert words in refused.stderr


def test_a_program_that_cannot_be_started() -> None:
    refused = gfxsim("run", "no/such/program")
    assert refused.returncode == 127
    assert "no/such/program cannot be run" in refused.stderr


@pytest.mark.parametrize("command", ["disasm", "coverage"])
@pytest.mark.parametrize("part", [0.0, 0.1, 0.5, 0.9])
def test_files_without_whole_device_code(command: str, part: float) -> None:
    content = PROGRAM.read_bytes()
    cut = FOLDER / "cut"
    cut.write_bytes(content[: int(len(content) * part)])
    refused = gfxsim(command, cut)
    assert refused.returncode == 2
    assert str(cut) in refused.stderr and refused.stderr.endswith(".\n")
    text = FOLDER / "text"
    text.write_text("no ELF file\n")
    refused = gfxsim(command, text)
    assert refused.returncode == 2 and str(text) in refused.stderr


def test_time_tells_how_long_each_launch_takes() -> None:
    ran = gfxsim("time", "--gpu", "gfx942", PROGRAM)
    assert ran.returncode == 0, ran.stderr
    assert "1000 results are right on gfx942" in ran.stdout
    assert f"us  {KERNEL}, grid 8x1x1" in ran.stdout and "cycles of waves: " in ran.stdout
    assert (
        "us in all, simulated for gfx942: 1 launches, 1 of their workgroups in time" in ran.stdout
    )


def test_time_lists_the_instructions_that_take_the_most_cycles() -> None:
    ran = gfxsim("time", "--gpu", "gfx942", "--instructions", "2", PROGRAM)
    assert ran.returncode == 0, ran.stderr
    title, first, second = (line.split() for line in ran.stdout.splitlines()[4:7])
    assert title[:4] == ["cycles", "times", "each", "offset"]
    assert float(first[0]) >= float(second[0]) > 0 and int(first[2]) > 0
    everything = json.loads(
        gfxsim("time", "--gpu", "gfx942", "--instructions", "0", "--json", PROGRAM).stdout.split(
            "\n", 1
        )[1]
    )
    (launch,) = everything
    found = launch["time"]["instructions"]
    assert [one["offset"] for one in found] == sorted(one["offset"] for one in found)
    assert sum(one["cycles"] for one in found) == sum(launch["time"]["wave_cycles"].values())
    assert all(sum(one["wave_cycles"].values()) == one["cycles"] for one in found)


def test_time_writes_a_trace_for_a_viewer() -> None:
    trace = FOLDER / "trace.json"
    ran = gfxsim("time", "--gpu", "gfx942", "--trace", trace, PROGRAM)
    assert ran.returncode == 0, ran.stderr
    events = json.loads(trace.read_text())
    names = [event["args"]["name"] for event in events if event["name"] == "process_name"]
    assert names == [f"launch 1: {KERNEL}"]
    rows = {
        event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"
    }
    assert list(rows.values()) == ["workgroup 0, wave 0", "workgroup 0, wave 1"]
    for row in rows:
        steps = [event for event in events if event["ph"] == "X" and event["tid"] == row]
        assert steps[-1]["name"] == "s_endpgm" or len(steps) > 10
        # A wave is at one instruction at a time, and always at one.
        for before, after in pairwise(steps):
            assert after["ts"] == pytest.approx(before["ts"] + before["dur"])


def test_a_trace_that_cannot_be_written_is_refused_before_the_program_runs() -> None:
    ran = gfxsim("time", "--gpu", "gfx942", "--trace", "/no/such/folder/trace.json", PROGRAM)
    assert ran.returncode == 2 and ran.stdout == ""
    assert "--trace names /no/such/folder/trace.json, which cannot be written" in ran.stderr


def test_times_that_are_a_guess_say_so() -> None:
    launches = json.loads(
        gfxsim("time", "--gpu", "gfx908", "--json", PROGRAM).stdout.split("\n", 1)[1]
    )
    assert [launch["time"]["whole_facts"] for launch in launches] == [False]
    assert gfxsim("time", "--gpu", "gfx908", PROGRAM).stdout.endswith(
        "\nSome figures of this GPU are those of others, so its times are a guess.\n"
    )
    assert "guess" not in gfxsim("time", "--gpu", "gfx942", PROGRAM).stdout


def test_a_gpu_without_facts_about_time_is_refused() -> None:
    ran = gfxsim("time", "--gpu", "gfx1100", PROGRAM)
    assert ran.returncode != 0
    assert (
        "asks for times on gfx1100, of which no facts about time are known; there are some of "
        "gfx950, gfx942, gfx90a, gfx908."
    ) in ran.stderr


TRACE = """vaddr,instruction,hitcount,latency_cycles
0,s_nop 0,1,4
4,"v_add_u32_e32 v0, v1, v2",10,40
8,"global_load_dwordx4 v[0:3], v[4:5], off",10,50
16,s_waitcnt vmcnt(0),10,12000
20,s_cbranch_scc1 65532,10,160
24,s_endpgm,1,4
"""


def test_replay_compares_the_hottest_loop_of_a_trace() -> None:
    trace = FOLDER / "trace.csv"
    trace.write_text(TRACE)
    ran = gfxsim("replay", "--gpu", "gfx950", "--waves", "1", "--json", "--instructions", trace)
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert found["instructions"] == 4 and found["measured_cycles"] == 1225
    assert [one["simulated"] for one in found["each"][:1]] == [4] and 0.5 < found["ratio"] < 1.2


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "a,b\n",
            "is no thread trace: its first line is not vaddr,instruction,hitcount,latency_cycles.",
        ),
        (TRACE.replace("10,40", "ten,40"), "Line 3 of {} does not fit: 'ten' is no number."),
        (TRACE.replace("v_add_u32_e32 v0", "v_cook_u32 v0"), "Line 3 of {} does not fit: "),
        (TRACE.splitlines()[0] + "\n", "No instruction of {} was executed."),
    ],
)
def test_a_trace_that_does_not_fit_is_refused_with_a_sentence(text: str, sentence: str) -> None:
    trace = FOLDER / "trace.csv"
    trace.write_text(text)
    ran = gfxsim("replay", "--gpu", "gfx950", trace)
    assert ran.returncode == 2 and sentence.format(trace) in ran.stderr
