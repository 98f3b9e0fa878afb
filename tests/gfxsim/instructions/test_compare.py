# SPDX-License-Identifier: MIT
"""Comparisons against AMD's pseudocode, in every encoding,
with every kind of operand and modifier.
"""

from __future__ import annotations

import pytest

from instructions import suite


@pytest.mark.parametrize(("target", "name"), suite.parameters("compare"), ids=str)
def test_instruction_does_what_the_pseudocode_says(target: suite.Target, name: str) -> None:
    suite.check_instruction("compare", target, name)
