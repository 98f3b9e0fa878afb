# SPDX-License-Identifier: MIT
"""Scalar instructions against AMD's pseudocode."""

from __future__ import annotations

import pytest

from instructions import suite


@pytest.mark.parametrize(("target", "name"), suite.parameters("scalar"), ids=str)
def test_instruction_does_what_the_pseudocode_says(target: suite.Target, name: str) -> None:
    suite.check_instruction("scalar", target, name)
