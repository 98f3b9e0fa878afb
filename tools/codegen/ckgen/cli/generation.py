# SPDX-License-Identifier: MIT
"""Writing sources and build files, with a line for each kernel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from ckarch import ArchSpecs

from ckgen.cli.selection import Selection
from ckgen.core.export.plan import make_plan, write_shared_files
from ckgen.core.export.systems import SYSTEMS
from ckgen.core.family import Family
from ckgen.core.generate import GeneratedKernel, generate
from ckgen.core.writer import write_if_changed


def generate_selection(
    family: Family,
    selection: Selection,
    arch: ArchSpecs,
    output_dir: Path,
    jobs: int,
    systems: Sequence[str],
    stream: TextIO,
) -> dict[str, Any]:
    """Write everything; progress goes to ``stream``. Returns what was done, as JSON values."""

    def progress(number: int, total: int, kernel: GeneratedKernel) -> None:
        what = "generated" if kernel.written else "unchanged"
        print(f"[{number:>{len(str(total))}}/{total}] {what} {kernel.name}", file=stream)

    specs = [kernel.spec for kernel in selection.kernels]
    kernels = generate(family, specs, arch, output_dir, jobs, progress)
    build_files = _write_build_files(family, selection, arch, output_dir, systems)
    written = sum(kernel.written for kernel in kernels)
    print(
        f"{len(kernels)} kernels in {output_dir}: {written} written, "
        f"{len(kernels) - written} unchanged",
        file=stream,
    )
    return {
        "output_dir": str(output_dir),
        "written": written,
        "unchanged": len(kernels) - written,
        "kernels": [
            {"name": kernel.spec.name, "gpus": list(kernel.gpus)} for kernel in selection.kernels
        ],
        "build_files": [str(path) for path in build_files],
    }


def _write_build_files(
    family: Family,
    selection: Selection,
    arch: ArchSpecs,
    output_dir: Path,
    systems: Sequence[str],
) -> list[Path]:
    if not systems:
        return []
    plan = make_plan([(kernel.spec.name, kernel.gpus) for kernel in selection.kernels], arch)
    files = write_shared_files(plan, family.headers, output_dir)
    for system in systems:
        path = output_dir / SYSTEMS[system].file_name
        write_if_changed(path, SYSTEMS[system].render(plan))
        files.append(path)
    return files
