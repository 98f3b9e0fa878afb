# SPDX-License-Identifier: MIT
"""Extents and how a tile is divided."""

from __future__ import annotations

import pytest
from ckgen.core.errors import FieldError
from ckgen.core.tile import Dim3, Extents, TileConfig
from hypothesis import given
from hypothesis import strategies as st

extents = st.builds(Dim3, *(st.integers(min_value=1, max_value=4096) for _ in range(3)))


@given(extents)
def test_extents_parse_back_from_their_text(dim: Dim3) -> None:
    assert Dim3.parse(str(dim)) == dim


@pytest.mark.parametrize("text", ["", "1x2", "1x2x3x4", "ax2x3", "1x-2x3", "1x2x\uff13", "1x 2x3"])
def test_text_that_is_not_three_extents_is_refused(text: str) -> None:
    with pytest.raises(FieldError, match="three extents such as 128x128x32"):
        Dim3.parse(text)


def test_extents_format_like_text() -> None:
    assert f"{Dim3(1, 2, 3):>8}|" == "   1x2x3|"


def test_repeat_counts_warp_tiles_of_one_wave() -> None:
    tiling = TileConfig(Dim3(256, 128, 64), Dim3(2, 2, 1), Dim3(32, 32, 16))
    assert tiling.coverage == Dim3(64, 64, 16)
    assert tiling.repeat == Dim3(4, 2, 4)


def test_threads_depend_on_the_wave_size() -> None:
    tiling = TileConfig(Dim3(128, 128, 32), Dim3(4, 2, 1), Dim3(16, 16, 16))
    assert (tiling.threads(32), tiling.threads(64)) == (256, 512)


def test_extents_multiply_along_each_axis_and_with_nothing_else() -> None:
    assert Dim3(1, 2, 3) * Dim3(4, 5, 6) == Dim3(4, 10, 18)
    with pytest.raises(TypeError):
        Dim3(1, 2, 3) * 2


@given(st.lists(st.integers(min_value=0, max_value=4096), max_size=9))
def test_rows_of_extents_parse_back_from_their_text(numbers: list[int]) -> None:
    row = Extents(numbers)
    assert Extents.parse(str(row)) == row
    assert f"{row}" == "x".join(map(str, numbers))


@pytest.mark.parametrize("text", ["x", "1x", "ax2", "1x-2", "1x\uff12", "1 x2"])
def test_text_that_is_no_row_of_extents_is_refused(text: str) -> None:
    with pytest.raises(FieldError, match="is not a row of extents such as 128x64x32"):
        Extents.parse(text)
