# SPDX-License-Identifier: MIT
"""Conversions between number formats against AMD's pseudocode, in every encoding, with every kind
of operand and modifier.
"""

from __future__ import annotations

import pytest

from instructions import suite


@pytest.mark.parametrize(("target", "name"), suite.parameters("convert"), ids=str)
def test_instruction_does_what_the_pseudocode_says(target: suite.Target, name: str) -> None:
    suite.check_instruction("convert", target, name)
