# SPDX-License-Identifier: MIT
"""What jit_bench says of figures, and of words that it does not take. Nothing is compiled."""

from __future__ import annotations

from typing import Any

import pytest
from ckbench.jit.__main__ import figures_of, main, table_of
from ckbench.jit.cells import KERNELS


def cell(kernels: int, workers: int, seconds: float, first: float) -> dict[str, Any]:
    return {
        "kernels": kernels,
        "workers": workers,
        "seconds": seconds,
        "processor_seconds": seconds,
        "memory": 2**29,
        "first_kernel_processor_seconds": first,
    }


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells in which two workers halve the time, and a precompiled header saves a quarter."""
    monkeypatch.setattr(
        "ckbench.jit.__main__.measured",
        lambda kernels, workers, gpu, say: cell(
            kernels, workers, 12.0 * kernels / workers, 12.0 if kernels == 1 else 9.0
        ),
    )


class Given:
    gpu = "gfx942"
    kernels = (1, 6)
    workers = (1, 2)


def test_what_follows_from_cells_is_told(measured: None) -> None:
    figures = figures_of(Given, print)  # type: ignore[arg-type]  # The attributes are all that is read.
    assert figures["two_workers"] == 2.0 and figures["precompiled_saves"] == 0.25
    lines = table_of(figures).splitlines()
    assert lines[2].split() == ["1", "1", "12.0", "12.0", "512", "MiB"]
    assert (
        lines[-2]
        == "two workers are 2.00 times as fast as one with the most kernels; the bar is 1.8: met"
    )
    assert lines[-1] == "a precompiled header saves 25 % of a kernel's processor seconds"


def test_without_the_cells_for_it_nothing_is_concluded(
    measured: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Given, "workers", (2,))
    figures = figures_of(Given, print)  # type: ignore[arg-type]  # its attributes are all that is read
    assert figures["two_workers"] is None and figures["precompiled_saves"] is None


@pytest.mark.parametrize(
    "words", [("--kernels", "0"), ("--kernels", "7"), ("--workers", "two"), ("--workers", "1,")]
)
def test_counts_that_cannot_be_are_refused(
    words: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert f"{words[1]!r} is no list of numbers from 1 to " in capsys.readouterr().err


def test_the_kernels_are_different_and_legal() -> None:
    assert len({config.name for config in KERNELS}) == len(KERNELS) == 6
