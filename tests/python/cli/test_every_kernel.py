# SPDX-License-Identifier: MIT
"""``bench --all-kernels`` writes a row for each kernel that takes a problem, whatever ends it."""

from __future__ import annotations

import argparse
import csv
import signal
import subprocess
import time
from pathlib import Path

import pytest
from ckdispatch import Registry
from ckdispatch.cli.benchmark.timing import (
    SIMULATING,
    THOROUGH,
    add_timing,
    check_thorough,
    timing_of,
)
from ckdispatch.cli.problems import parse_problem
from ckdispatch.measurements import read
from cli_support import ESSENTIAL, PADDED, SIMULATED, Ended, ckdispatch, manifest, start

PROBLEMS = ("64x64x64", "72x64x64", "64x64x256", "fp16")
ONCE = ("--warmup", "0", "--repeat", "2", "--no-flush-cache", "--rotating-buffers", "1")
WHERE = (*ESSENTIAL, *SIMULATED, *ONCE, "--all-kernels", "--output")


def rows(table: Path) -> list[dict[str, str]]:
    with table.open(newline="") as file:
        return list(csv.DictReader(file))


def keys(table: Path) -> list[tuple[str, str]]:
    return [(row["problem"], row["kernel"]) for row in rows(table)]


def measured(table: Path, *words: str, **env: str) -> Ended:
    return ckdispatch("bench", *(words or PROBLEMS), *WHERE, table, env=env)


def expected() -> set[tuple[str, str]]:
    """What there is to measure: the kernels that fit each problem."""
    registry = Registry.load(manifest(ESSENTIAL[1]))
    found = set()
    for words in ("64x64x64", "72x64x64", "64x64x256"):
        problem = parse_problem([words])
        found |= {(problem.text, way.kernel) for way in registry.rank(problem, gpu="gfx942").fit}
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table of all problems, measured in one go."""
    table = tmp_path_factory.mktemp("whole") / "times.csv"
    ended = measured(table)
    assert ended.code == 0, ended.err
    return table


def test_every_kernel_that_takes_a_problem_has_one_row(whole: Path) -> None:
    found = keys(whole)
    assert set(found) == expected() and len(found) == len(set(found)) > 8


def test_a_row_has_what_there_is_to_know(whole: Path) -> None:
    registry = Registry.load(manifest(ESSENTIAL[1]))
    for row in rows(whole):
        assert parse_problem([row["problem"]]).text == row["problem"]
        assert (row["version"], row["family"], row["provenance"]) == ("1", "gemm", "simulated")
        assert (row["gpu"], row["device"], row["compute_units"]) == ("gfx942", "sim:gfx942", "304")
        assert float(row["microseconds"]) >= float(row["minimum"]) > 0
        assert (row["repeats"], row["checked"], row["note"]) == ("2", "yes", "")
        used = registry[row["kernel"]].resources["gfx942"]
        for name in ("vgprs", "agprs", "sgprs", "lds_bytes", "scratch_bytes", "vgpr_spills"):
            assert row[name] == str(used[name])


def test_it_is_a_table_of_measurements(whole: Path) -> None:
    table = read(whole)
    assert len(table.rows) == len(rows(whole))
    assert {row.provenance for row in table.rows} == {"simulated"} and all(
        row.checked for row in table.rows
    )


def test_what_is_there_is_not_measured_again(whole: Path, tmp_path: Path) -> None:
    table = tmp_path / "times.csv"
    table.write_bytes(whole.read_bytes())
    ended = measured(table, *PROBLEMS, "128x64x64")
    assert ended.code == 0, ended.err
    assert table.read_bytes().startswith(whole.read_bytes())
    new = rows(table)[len(rows(whole)) :]
    assert {row["problem"] for row in new} == {"128x64x64 fp16 rcr"}
    assert ended.columns["there before"] == str(len(rows(whole)))
    assert ended.columns["measured"] == str(len(new))
    assert len(ended.err.splitlines()) == len(new)


def test_progress_and_the_time_left_are_on_stderr(tmp_path: Path) -> None:
    ended = measured(tmp_path / "times.csv", "64x64x64", "64x64x128", "--kernel", PADDED)
    first, second = ended.err.splitlines()
    assert first.startswith(f"[1/2] 64x64x64 fp16 rcr, {PADDED}: ") and first.endswith(" left")
    assert second.startswith("[2/2] 64x64x128 fp16 rcr") and second.endswith(" us")
    assert ended.out.startswith(
        "sim:gfx942 is simulated: these times are the GPU's by a model of it. None was measured.\n"
    )


def test_the_simulators_own_times_say_so_in_the_table(tmp_path: Path) -> None:
    table = tmp_path / "times.csv"
    ended = measured(table, "64x64x64", "--kernel", PADDED, GFXSIM_TIMING="0")
    assert ended.code == 0, ended.err
    assert ended.out.startswith("sim:gfx942 is simulated: these times are the simulator's own")
    assert [row["note"] for row in rows(table)] == [
        "the simulator's own time, which says nothing about a GPU"
    ]


def test_a_simulator_that_computes_nothing_right_is_refused(tmp_path: Path) -> None:
    ended = measured(tmp_path / "times.csv", "64x64x64", GFXSIM_TIMING="sample")
    assert ended.code == 2 and not (tmp_path / "times.csv").exists()
    assert (
        "--all-kernels was asked for with GFXSIM_TIMING=sample, which runs only some workgroups"
        in ended.err
    )


def wait_for_rows(table: Path, count: int, process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + 120
    while not table.exists() or table.read_bytes().count(b"\n") <= count:
        assert process.poll() is None and time.monotonic() < end
        time.sleep(0.005)


@pytest.mark.parametrize("after", [0, 1, 5])
def test_a_kill_loses_nothing(tmp_path: Path, after: int) -> None:
    table = tmp_path / "times.csv"
    words = (
        "bench",
        *PROBLEMS,
        *ESSENTIAL,
        *SIMULATED,
        "--all-kernels",
        "--no-flush-cache",
        "--output",
        table,
    )
    process = start(*words)
    wait_for_rows(table, after, process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    before = table.read_bytes()
    assert after <= before.count(b"\n") - 1 < len(expected())
    ended = measured(table)
    assert ended.code == 0, ended.err
    whole_lines = before[: before.rfind(b"\n") + 1]
    assert table.read_bytes().startswith(whole_lines)
    found = keys(table)
    assert set(found) == expected() and len(found) == len(set(found))


def test_ctrl_c_ends_it_with_what_it_has(tmp_path: Path) -> None:
    table = tmp_path / "times.csv"
    process = start(
        "bench",
        *PROBLEMS,
        *ESSENTIAL,
        *SIMULATED,
        "--all-kernels",
        "--repeat",
        "10000",
        "--output",
        table,
    )
    wait_for_rows(table, 0, process)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, out) == (130, "")
    # The simulator tells of a launch that had begun some of its workgroups.
    said = [line for line in err.splitlines() if not line.startswith("gfxsim: ")]
    assert said == [
        "The table has 0 rows; the same command goes on from there.",
        "ckdispatch: interrupted.",
    ]
    assert measured(table).code == 0
    assert set(keys(table)) == expected()


@pytest.mark.parametrize("cut", [1, 20, 150])
def test_a_torn_last_line_is_measured_again_and_no_other(
    whole: Path, tmp_path: Path, cut: int
) -> None:
    table = tmp_path / "times.csv"
    content = whole.read_bytes()
    table.write_bytes(content[:-cut])
    ended = measured(table)
    assert ended.code == 0, ended.err
    lines = content.splitlines()
    assert table.read_bytes().splitlines()[:-1] == lines[:-1]
    assert keys(table) == keys(whole)
    assert ended.columns["measured"] == "1"


def test_a_torn_header_is_written_again(whole: Path, tmp_path: Path) -> None:
    table = tmp_path / "times.csv"
    table.write_bytes(whole.read_bytes()[:30])
    assert measured(table, "64x64x64").code == 0
    assert table.read_bytes().splitlines()[0] == whole.read_bytes().splitlines()[0]


def test_a_wrong_result_has_no_time_and_is_said(tmp_path: Path) -> None:
    """Launches that are not executed leave what was there, as kernels do that write only a part of
    their result.
    """
    table = tmp_path / "times.csv"
    ended = measured(table, "64x64x64", GFXSIM_EXECUTE="0")
    assert ended.code == 1
    found = rows(table)
    assert len(found) > 2
    for row in found:
        assert (row["checked"], row["microseconds"], row["minimum"], row["repeats"]) == (
            "no",
            "",
            "",
            "",
        )
        assert row["note"].startswith("4096 of 4096 values (100 %) are beyond their tolerance")
        assert f"64x64x64 fp16 rcr, {row['kernel']} is wrong: {row['note']}\n" in ended.out
    assert ended.err.endswith(f"ckdispatch: wrong results: {len(found)} of {len(found)}.\n")
    document = measured(table, "64x64x64", "64x64x128", "--json").document
    # It is not measured again, and still wrong; the others are right.
    assert [one["kernel"] for one in document["wrong"]] == [row["kernel"] for row in found]
    assert document["measured"] == len(rows(table)) - len(found) > 0
    assert {row["checked"] for row in rows(table)[len(found) :]} == {"yes"}


def test_a_problem_that_no_kernel_takes_as_it_is_does_not_lose_the_others(tmp_path: Path) -> None:
    ended = measured(tmp_path / "times.csv", "100x100x60", "64x64x64")
    assert ended.code == 3
    assert "100x100x60 fp16 rcr: no kernel takes it as it is\n" in ended.out
    assert ended.err.endswith("ckdispatch: without a kernel: 1 problem.\n")
    assert {row["problem"] for row in rows(tmp_path / "times.csv")} == {"64x64x64 fp16 rcr"}


def test_the_parts_of_a_sum_are_those_that_are_ranked_first(tmp_path: Path) -> None:
    table = tmp_path / "times.csv"
    where = (
        "--kernels",
        "test_gemm_variants",
        *SIMULATED,
        *ONCE,
        "--all-kernels",
        "--output",
        table,
    )
    ended = ckdispatch("bench", "64x64x4096 split_k=0", *where)
    assert ended.code == 0, ended.err
    registry = Registry.load(manifest("test_gemm_variants"))
    best: dict[str, int] = {}
    for way in registry.rank(parse_problem(["64x64x4096 split_k=0"]), gpu="gfx942").fit:
        best.setdefault(way.kernel, way.parts)
    assert {row["kernel"]: int(row["parts"] or 1) for row in rows(table)} == best
    assert max(best.values()) > 1


def test_every_default_is_for_a_table_that_counts() -> None:
    parser = argparse.ArgumentParser()
    add_timing(parser)
    said_nothing = parser.parse_args([])
    check_thorough(timing_of(said_nothing, "hip:0", THOROUGH))
    # What is the same each time need not be repeated.
    assert timing_of(said_nothing, "sim:gfx942", THOROUGH) == SIMULATING
    assert timing_of(parser.parse_args(["--repeat", "5"]), "sim:gfx942", THOROUGH).repeat == 5


FOREIGN = "name,age\nAda,36"


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("--all-kernels",), 2, "--all-kernels was asked for without --output"),
        (("--output", "times.csv"), 2, "--output was asked for without --all-kernels"),
        (("--all-kernels", "--output", "times.txt"), 2, "the name must end in .csv or .parquet"),
        (("--all-kernels", "--output", "no/times.csv"), 2, "there is no folder no"),
        (("--all-kernels", "--output", "folder.csv"), 2, "it is a folder"),
        (("--all-kernels", "--output", "/dev/null"), 2, "the name must end in"),
        (
            ("--all-kernels", "--output", "foreign.csv"),
            2,
            "has other columns than this program writes",
        ),
        (
            ("--all-kernels", "--output", "damaged.csv"),
            2,
            "damaged.csv, line 2, column parts: 'many' is no whole number",
        ),
        (
            ("--all-kernels", "--output", "times.csv", "--repeat", "0"),
            2,
            "'0' is no whole number of at least 1",
        ),
        (
            ("--all-kernels", "--output", "times.csv", "--device", "hip:0", "--repeat", "5"),
            2,
            "--repeat 5 was asked for",
        ),
        (("--all-kernels", "--output", "times.csv", "--kernel", "none"), 3, "none"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(
    whole: Path, tmp_path: Path, words: tuple[str, ...], code: int, sentence: str
) -> None:
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "foreign.csv").write_text(FOREIGN)
    header, first = whole.read_text().splitlines()[:2]
    cells = first.split(",")
    cells[header.split(",").index("parts")] = "many"
    damaged = f"{header}\n{','.join(cells)}\n"
    (tmp_path / "damaged.csv").write_text(damaged)
    ended = ckdispatch("bench", "64x64x64", *ESSENTIAL, *SIMULATED, *words, cwd=tmp_path)
    assert ended.code == code, ended.err
    assert (
        ended.err.startswith("ckdispatch: ")
        and ended.err.count("\n") == 1
        and sentence in ended.err
    )
    assert (tmp_path / "foreign.csv").read_text() == FOREIGN and (
        tmp_path / "damaged.csv"
    ).read_text() == damaged
    assert not (tmp_path / "times.csv").exists()


def test_two_processes_do_not_write_to_one_table(tmp_path: Path) -> None:
    table = tmp_path / "times.csv"
    process = start(
        "bench",
        *PROBLEMS,
        *ESSENTIAL,
        *SIMULATED,
        "--all-kernels",
        "--repeat",
        "10000",
        "--output",
        table,
    )
    wait_for_rows(table, 0, process)
    ended = measured(table)
    process.kill()
    process.communicate()
    assert ended.code == 1 and "another process is writing to it" in ended.err


def test_a_list_of_problems_comes_through_a_pipe(tmp_path: Path) -> None:
    listed = ckdispatch(
        "problems", "llama3-8b", "--batch", "16", "--sample", "1", "--seed", "2"
    ).out
    small = (
        listed.replace("4096", "64")
        .replace("14336", "128")
        .replace("28672", "128")
        .replace("6144", "128")
    )
    table = tmp_path / "times.csv"
    ended = ckdispatch("bench", "--file", "-", *WHERE, table, text=small)
    assert ended.code == 0, ended.err
    assert {row["problem"] for row in rows(table)} == {small.strip()}
