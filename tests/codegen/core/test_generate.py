# SPDX-License-Identifier: MIT
"""Many sources at once, in one process or several."""

from __future__ import annotations

from pathlib import Path

import pytest
from ckgen.core.errors import RenderError
from ckgen.core.generate import GeneratedKernel, generate, render_kernel
from ckgen.gemm.family import GemmFamily
from codegen_support import ARCH, GEMM, gemm

SPECS = [gemm(tile=(64 * m, 64 * n, 32)) for m in range(1, 10) for n in range(1, 10)]


class Broken(GemmFamily):
    """A family whose template does not exist."""

    @property
    def template(self) -> Path:
        return Path("no.j2")


def run(folder: Path, jobs: int) -> list[tuple[int, int, str, bool]]:
    lines: list[tuple[int, int, str, bool]] = []

    def progress(number: int, total: int, kernel: GeneratedKernel) -> None:
        lines.append((number, total, kernel.name, kernel.written))

    generate(GEMM, SPECS, ARCH, folder, jobs, progress)
    return lines


@pytest.mark.parametrize("jobs", [1, 3])
def test_every_kernel_is_reported_once_in_order(tmp_path: Path, jobs: int) -> None:
    total = len(SPECS)
    assert run(tmp_path, jobs) == [
        (number, total, spec.name, True) for number, spec in enumerate(SPECS, start=1)
    ]


def test_several_processes_write_the_same_bytes_as_one(tmp_path: Path) -> None:
    run(tmp_path / "one", 1)
    run(tmp_path / "three", 3)
    one = {path.name: path.read_bytes() for path in (tmp_path / "one").iterdir()}
    three = {path.name: path.read_bytes() for path in (tmp_path / "three").iterdir()}
    assert one == three and len(one) == len(SPECS)


def test_a_second_run_writes_nothing(tmp_path: Path) -> None:
    run(tmp_path, 1)
    assert not any(written for _, _, _, written in run(tmp_path, 1))


def test_a_source_is_what_render_gives(tmp_path: Path) -> None:
    generate(GEMM, SPECS[:1], ARCH, tmp_path, 1, lambda *_: None)
    (path,) = tmp_path.iterdir()
    assert path.name == f"{SPECS[0].name}.cpp"
    assert path.read_text(encoding="utf-8") == render_kernel(GEMM, SPECS[0], ARCH)


@pytest.mark.parametrize("jobs", [1, 3])
def test_keeping_going_reports_a_failure_and_loses_no_other_kernel(
    tmp_path: Path, jobs: int
) -> None:
    (tmp_path / f"{SPECS[40].name}.cpp").mkdir()
    kernels = generate(GEMM, SPECS, ARCH, tmp_path, jobs, lambda *_: None, keep_going=True)
    assert [kernel.name for kernel in kernels] == [spec.name for spec in SPECS]
    (failed,) = (kernel for kernel in kernels if kernel.error)
    assert failed.name == SPECS[40].name and not failed.written
    assert failed.error.startswith(f"{failed.name} was not generated: ")


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_failure_leaves_no_file_behind(tmp_path: Path, jobs: int) -> None:
    with pytest.raises(RenderError, match=r"no\.j2"):
        generate(Broken(), SPECS, ARCH, tmp_path, jobs, lambda *_: None)
    assert list(tmp_path.iterdir()) == []
