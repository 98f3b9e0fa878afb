# SPDX-License-Identifier: MIT
"""Writing sources and build files, with a line for each kernel."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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
    options: argparse.Namespace,
    systems: Sequence[str],
) -> dict[str, Any]:
    """Write everything, with a line for each kernel. Returns what was done, as JSON values."""
    output_dir: Path = options.output_dir
    stream = sys.stderr if options.json else sys.stdout

    def progress(number: int, total: int, kernel: GeneratedKernel) -> None:
        what = "generated" if kernel.written else "unchanged"
        print(f"[{number:>{len(str(total))}}/{total}] {what} {kernel.name}", file=stream)

    specs = [kernel.spec for kernel in selection.kernels]
    kernels = generate(family, specs, arch, output_dir, options.jobs, progress)
    named = [(kernel.name, kernel.gpus) for kernel in selection.kernels]
    build_files: list[Path] = []
    if systems:
        plan = make_plan(named, arch)
        build_files = write_shared_files(plan, family.headers, output_dir)
        for system in systems:
            build_files.append(output_dir / SYSTEMS[system].file_name)
            write_if_changed(build_files[-1], SYSTEMS[system].render(plan))
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
        "kernels": [{"name": name, "gpus": list(gpus)} for name, gpus in named],
        "build_files": [str(path) for path in build_files],
    }
