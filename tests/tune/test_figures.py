# SPDX-License-Identifier: MIT
"""No figure of docs/selection.md gets worse. The tables are no part of the repository:
CK_MEASUREMENTS names their folder.
"""

from __future__ import annotations

import os

import pytest
from cktune.page import main


def test_no_figure_is_worse_and_the_page_is_what_would_be_made(
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = os.environ.get("CK_MEASUREMENTS")
    assert folder, (
        "CK_MEASUREMENTS must name the folder of the tables: --test_env=CK_MEASUREMENTS=…"
    )
    kernels = [word for name in os.environ["CK_KERNELS"].split() for word in ("--kernels", name)]
    code = main(
        [
            "--measurements",
            folder,
            *kernels,
            "--output",
            os.environ.get("CK_DOCS", "docs"),
            "--check",
            "--quiet",
        ]
    )
    told = capsys.readouterr()
    assert code == 0, told.out + told.err
