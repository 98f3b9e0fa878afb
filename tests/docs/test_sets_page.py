# SPDX-License-Identifier: MIT
"""docs/declaring-kernels.md: the sets that it lists ship. Others may be declared since, which
touches ``kernels/`` alone.
"""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

from ckarch import load_specs
from ckgen.cli.selection import preselected_sets
from ckgen.families import FAMILIES

from tests.docs.pages import table

PAGE = Path("docs/declaring-kernels.md")
NAMED = r"`(?:gemm|grouped_conv|fmha)_[^ ]*(?:all|essential|examples|\})`(?:, `[^ ]+`)*"


def expanded(pattern: str) -> list[str]:
    """As a shell does it: ``a_{b,c}`` is a_b and a_c."""
    parts = [part.split(",") for part in re.split(r"[{}]", pattern)]
    return ["".join(chosen) for chosen in product(*parts)]


def test_braces_are_choices() -> None:
    assert expanded("a_{b,c}_{d,e}") == ["a_b_d", "a_b_e", "a_c_d", "a_c_e"]
    assert expanded("a") == ["a"]


def test_the_page_lists_sets_that_ship_and_each_once() -> None:
    arch = load_specs()
    shipped = {name for family in FAMILIES.values() for name in preselected_sets(family, arch)}
    patterns = [p for row in table(PAGE, NAMED) for p in re.findall(r"`([^`]+)`", row[0])]
    listed = [name for pattern in patterns for name in expanded(pattern)]
    assert {*listed} <= shipped
    assert len(listed) == len({*listed}) >= 100
