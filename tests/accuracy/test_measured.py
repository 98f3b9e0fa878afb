# SPDX-License-Identifier: MIT
"""The figures that were kept are those that the kernels have now."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from ckaccuracy.__main__ import differences, main
from ckaccuracy.cases import Case, Key, read_cases
from ckaccuracy.figures import Figures
from ckaccuracy.page import BAR
from ckaccuracy.results import read
from ckaccuracy.worker import measure_all

RESULTS = Path("evidence/accuracy/results.json")
LIBRARIES = [Path(one) for one in os.environ["CK_KERNELS"].split()]
BUILT = {
    path.name.removeprefix("lib").removesuffix(".so") for path in LIBRARIES if path.suffix == ".so"
}
CASES = [case for case in read_cases() if case.kernel in BUILT]
REMEDY = "run: ./bazelw run //tools/accuracy"


@pytest.fixture(scope="module")
def measured() -> dict[Key, Figures]:
    return measure_all(CASES, LIBRARIES)


def test_only_products_of_other_dtypes_are_left_out() -> None:
    missing = os.environ["CK_MISSING"]
    left_out = [case.kernel for case in read_cases() if case not in CASES]
    assert bool(left_out) == bool(missing)
    assert all(kernel.startswith(f"{missing}_") for kernel in left_out)
    assert len(CASES) >= 20 and {case.kernel for case in CASES} == BUILT


def test_every_figure_is_the_one_that_was_kept(measured: dict[Key, Figures]) -> None:
    assert differences(CASES, read(RESULTS), measured) == [], REMEDY


@pytest.mark.parametrize("direction", ["forward", "backward_data", "backward_weight"])
def test_amds_bar_is_kept_in_every_direction(direction: str, measured: dict[Key, Figures]) -> None:
    of_amd = [
        case
        for case in CASES
        if case.note.endswith("own example") and case.problem.endswith(f" fp16 {direction}")
    ]
    assert len(of_amd) == 1
    for case in of_amd:
        # More than nothing: rounding to fp16 is seen, so the result is one.
        assert 1e-4 < measured[case.key].max_abs < BAR


def test_a_wrong_result_has_no_figures(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A kernel that is asked for what it does not compute ends the measurement with a sentence."""
    case = CASES[0]
    other = Case(case.gpu, case.set, case.kernel, "64x64x64 fp16 rcr", case.values, case.seed)
    with pytest.raises(Exception, match="not everything could be measured"):
        measure_all([other], LIBRARIES)
    told = capfd.readouterr().err
    assert told.startswith("accuracy: ") and "Traceback" not in told


def test_the_program_says_what_differs(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    case = CASES[0]
    only = ("--only", case.kernel, "--results")
    assert main([*only, str(RESULTS), "--check"]) == 0
    changed = tmp_path / "results.json"
    figures = read(RESULTS)[case.key]
    changed.write_text(
        RESULTS.read_text().replace(str(figures.max_abs), str(figures.max_abs * 1.01))
    )
    capfd.readouterr()
    assert main([*only, str(changed), "--check"]) == 1
    assert f"accuracy: {case.problem} by {case.kernel} has max_abs " in capfd.readouterr().err
    assert main([*only, str(tmp_path / "none.json"), "--check"]) == 1
    assert "was never measured" in capfd.readouterr().err


def test_the_program_keeps_what_it_did_not_measure(tmp_path: Path) -> None:
    results, page = tmp_path / "results.json", tmp_path / "accuracy.md"
    results.write_bytes(RESULTS.read_bytes())
    assert main(["--only", CASES[0].kernel, "--results", str(results), "--page", str(page)]) == 0
    assert list(read(results)) == list(read(RESULTS))
    assert differences(read_cases(), read(RESULTS), read(results)) == []
    assert page.read_text().startswith("# Accuracy\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--only", "zebra"), "--only zebra fits the kernel of no case."),
        (("--only", "grouped_conv_fwd_fp16_nhwgc_2d_*", "--results", "."), "Is a directory"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    words: tuple[str, ...], sentence: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 1
    told = capfd.readouterr().err
    assert told.startswith("accuracy: ") and told.count("\n") == 1 and sentence in told


def test_a_kernel_that_is_not_there_is_named(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CK_KERNELS", "")
    assert main(["--only", CASES[0].kernel]) == 1
    assert capfd.readouterr().err == (
        f"accuracy: the kernel {CASES[0].kernel} was asked for and is not among the files of "
        "this program.\n"
    )
