# SPDX-License-Identifier: MIT
"""The tables of others as they are. They are no part of the repository: CK_MEASUREMENTS names their
folder.
"""

from __future__ import annotations

import os
from pathlib import Path

from ckdispatch import measurements
from ckdispatch.config.base import KernelConfig
from ckdispatch.measurements.table import Table


def real(name: str) -> Table:
    folder = os.environ.get("CK_MEASUREMENTS")
    assert folder, (
        "CK_MEASUREMENTS must name the folder of the tables: --test_env=CK_MEASUREMENTS=…"
    )
    return measurements.read(Path(folder) / name)


def test_convolutions_are_thirteen_kernels_with_five_glitches() -> None:
    table = real("conv_fwd_bf16_gfx950.csv")
    assert (len(table.rows), len(table.kernels()), len(table.cases())) == (3755, 13, 188)
    (glitches,) = table.left_out
    lines = table.path.read_text().splitlines()
    assert [lines[line - 1].split(",")[0] for line in glitches.lines] == [
        "85",
        "90",
        "96",
        "114",
        "147",
    ]
    assert all(KernelConfig.parse(name).validate("gfx950") for name in table.kernels())


def test_names_of_one_compiled_kernel_agree() -> None:
    """What the importer takes compv4 kernels for: on every problem the rows of one take the same
    time, but for noise.
    """
    table = real("conv_fwd_bf16_gfx950.csv")
    apart = []
    for rows in table.cases().values():
        for kernel in {row.kernel for row in rows if row.weight < 1}:
            times = [row.microseconds for row in rows if row.kernel == kernel]
            apart.append(max(times) / min(times))
    apart.sort()
    assert len(apart) == 188 * 3 - 3  # of three a glitch left but one row
    assert apart[len(apart) // 2] < 1.05 and apart[len(apart) * 9 // 10] < 1.1


def test_products_by_name() -> None:
    table = real("gemm_fp8_rcr_best.csv")
    assert (len(table.rows), len(table.kernels()), len(table.cases()), table.left_out) == (
        140,
        28,
        79,
        (),
    )
    assert all(KernelConfig.parse(name).validate("gfx950") for name in table.kernels())


def test_best_times() -> None:
    table = real("gemm_best_times.csv")
    assert (len(table.rows), table.kernels()) == (29516, [])
    assert [one.count for one in table.left_out] == [594]
    assert {row.gpu for row in table.rows} == {"gfx942", "gfx950"}
