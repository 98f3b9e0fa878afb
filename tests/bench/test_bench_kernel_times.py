# SPDX-License-Identifier: MIT
"""Simulated times of a set, and their comparison with another build's."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ckbench.kernel_times.__main__ import main
from ckdispatch.measurements.reading import read
from ckdispatch.measurements.writing import write

(MANIFEST,) = (path for path in os.environ["CK_KERNELS"].split() if path.endswith(".manifest.json"))
SMALL = ("--problem", "64x64x64", "--problem", "128x128x128")


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The times of the set, saved."""
    table = tmp_path_factory.mktemp("before") / "before.csv"
    assert main([MANIFEST, *SMALL, "--save", str(table)]) == 0
    return table


def compared(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    code = main([MANIFEST, *words])
    found: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return code, found


def test_the_same_build_has_the_same_times(
    before: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, found = compared(capsys, "--before", str(before))
    assert (
        code == 0
        and found["times"] == "simulated"
        and len(found["rows"]) == len(read(before).rows) > 6
    )
    assert {one["change_percent"] for one in found["rows"]} == {0.0}
    assert (found["slower"], found["faster"], found["only_before"], found["only_after"]) == (
        0,
        0,
        [],
        [],
    )
    # A second manifest of the same libraries is not even timed.
    assert compared(capsys, *SMALL, "--before", MANIFEST)[1]["slower"] == 0


def test_a_slower_kernel_is_found(
    before: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second, *others = read(before).rows
    table = tmp_path / "before.csv"
    write(
        [
            replace(first, microseconds=first.microseconds / 1.2),
            replace(second, microseconds=2 * second.microseconds),
            *others[1:],
        ],
        table,
    )
    code, found = compared(capsys, "--before", str(table))
    assert code == 3 and (found["slower"], found["faster"]) == (1, 1)
    assert found["rows"][0]["kernel"] == first.kernel and found["rows"][0][
        "change_percent"
    ] == pytest.approx(20)
    assert len(found["rows"]) == len(others) + 1
    assert compared(capsys, "--before", str(table), "--worse", "30")[0] == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--before", "nothing.csv"), "nothing.csv"),
        (("--problem", "64x64x64 bf16"), "takes 64x64x64 bf16 rcr on gfx942"),
        (("--problem", "zebra"), "zebra"),
        (("--gpu", "gfx1100"), "gfx1100"),
        (("--save", "times.txt", "--problem", "64x64x64"), "the name must end in .csv or .parquet"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_done_is_one_sentence(
    words: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([MANIFEST, *words]) == 1
    *_, last = capsys.readouterr().err.splitlines()
    assert last.startswith("kernel_times: ") and sentence in last
