# SPDX-License-Identifier: MIT
"""The file of results is whole at every moment, and nothing in it is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from cksupport.errors import SupportError
from cksupport.results import Result, Results, sole_writer
from cksupport.verdicts import Outcome, Verdict

RIGHT = Result(Outcome(Verdict.RIGHT, "", ("64x64x32",), ("hot_full",)), "0123")
COMPILED = Result(Outcome(Verdict.COMPILED), "0123")
WRONG = Result(Outcome(Verdict.WRONG, "64x64x32: “2” for 1", ("64x64x32",)), "4567")


def test_what_was_recorded_is_read_back(tmp_path: Path) -> None:
    results = Results.read(tmp_path / "new" / "results.json")
    assert results.known == {}
    results.record(("gfx942", "b"), RIGHT)
    results.record(("gfx90a", "a"), WRONG)
    assert Results.read(results.path).known == {("gfx942", "b"): RIGHT, ("gfx90a", "a"): WRONG}


def test_the_order_of_recording_does_not_show(tmp_path: Path) -> None:
    first, second = Results(tmp_path / "first"), Results(tmp_path / "second")
    first.record(("gfx942", "a"), RIGHT)
    first.record(("gfx942", "b"), WRONG)
    second.record(("gfx942", "b"), WRONG)
    second.record(("gfx942", "a"), RIGHT)
    assert first.path.read_bytes() == second.path.read_bytes()


def test_every_result_has_a_line_of_its_own(tmp_path: Path) -> None:
    results = Results(tmp_path / "results.json")
    results.record(("gfx942", "a"), RIGHT)
    one = results.path.read_text().splitlines()
    results.record(("gfx942", "b"), WRONG)
    assert len(results.path.read_text().splitlines()) == len(one) + 1


def test_a_write_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    results = Results(tmp_path / "results.json")
    results.record(("gfx942", "a"), RIGHT)
    before = results.path.read_bytes()
    unwritable = Result(Outcome(Verdict.WRONG, "\ud800"), "0123")
    with pytest.raises(UnicodeEncodeError):
        results.record(("gfx942", "b"), unwritable)
    assert results.path.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]


def test_kernels_of_no_cell_are_forgotten(tmp_path: Path) -> None:
    results = Results(tmp_path / "results.json")
    results.record(("gfx942", "a"), RIGHT)
    results.record(("gfx90a", "a"), WRONG)
    results.keep_only({("gfx942", "a")})
    assert Results.read(results.path).known == {("gfx942", "a"): RIGHT}


def test_what_another_file_has_is_known_and_not_repeated(tmp_path: Path) -> None:
    first, second, third = ("gfx942", "a"), ("gfx942", "b"), ("gfx942", "c")
    matrix = Results(tmp_path / "matrix.json", {first: RIGHT, second: WRONG})
    own = Results(tmp_path / "own.json", {first: COMPILED, second: RIGHT, third: COMPILED})
    both = own.beside(matrix)
    assert both.known == {first: RIGHT, second: RIGHT, third: COMPILED}
    both.write()
    assert Results.read(own.path).known == {second: RIGHT, third: COMPILED}


@pytest.mark.parametrize("text", ["{", "[]", '{"format": 99, "results": {}}', '{"format": 1}'])
def test_a_file_that_no_sweep_wrote_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "results.json"
    path.write_text(text)
    with pytest.raises(SupportError, match=r"results.json.* sweep again"):
        Results.read(path)


def test_two_sweeps_do_not_write_to_one_file(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    with sole_writer(path), pytest.raises(SupportError, match="another sweep"), sole_writer(path):
        pass
    with sole_writer(path):
        pass


def test_what_became_of_a_kernel_names_no_folder_of_the_machine() -> None:
    why = "it failed at 1/2 (/home/me/.cache/jit/libgemm.so): 'a/b' in /tmp/x/y.cpp:3"
    outcome = Outcome(Verdict.FAILED, why)
    assert outcome.why == "it failed at 1/2 (libgemm.so): 'a/b' in y.cpp:3"
    assert Outcome.from_json(outcome.to_json()) == outcome
