# SPDX-License-Identifier: MIT
"""The ``grouped_conv`` command: what its options choose from the catalogue and from sets."""

from __future__ import annotations

from pathlib import Path

import pytest
from ckgen.cli.main import main
from ckgen.grouped_conv.names import parse_name
from ckgen.grouped_conv.spec import GroupedConvSpec, Layout, Order, Variant

SET = "grouped_conv_fwd_fp16_2d_all"


def conv(*arguments: str) -> int:
    return main(["grouped_conv", "--gpu-target", "gfx942", *arguments])


def listed(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[GroupedConvSpec]:
    assert conv(*arguments, "--list") == 0
    return [parse_name(name) for name in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("variant", Variant)
@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_the_catalogue_is_listed_for_a_direction_and_a_number_of_dimensions(
    capsys: pytest.CaptureFixture[str], variant: Variant, dimensions: int
) -> None:
    asked = ("--variant", variant, "--ndim-spatial", str(dimensions), "--datatype", "fp16")
    found = listed(capsys, *asked)
    assert len(found) > 100
    assert {(one.variant, one.ndim_spatial) for one in found} == {(variant, dimensions)}
    assert {one.layout.order for one in found} == {Order.CHANNELS_LAST}


@pytest.mark.parametrize("all_of_them", ["*", "-1", "1,2,3"])
def test_an_option_takes_several_and_all(
    capsys: pytest.CaptureFixture[str], all_of_them: str
) -> None:
    asked = ("--variants", "forward,backward_weight", "--ndim-spatial", all_of_them)
    found = listed(capsys, *asked, "--datatype", "bf16")
    assert {one.variant for one in found} == {Variant.FORWARD, Variant.BACKWARD_WEIGHT}
    assert {one.ndim_spatial for one in found} == {1, 2, 3}


@pytest.mark.parametrize("layout", ["channels_first", "ngchw"])
def test_a_layout_chooses_from_the_catalogue_and_narrows_a_set(
    capsys: pytest.CaptureFixture[str], layout: str
) -> None:
    for source in (("--ndim-spatial", "2", "--datatype", "fp16"), ("--preselected", SET)):
        found = listed(capsys, *source, "--layout", layout)
        assert found and {one.layout for one in found} == {Layout.NGCHW}


def test_sources_are_written(tmp_path: Path) -> None:
    asked = ("--preselected", SET, "--ndim-spatial", "2", "--layout", "channels_first")
    assert conv(*asked, "--output-dir", str(tmp_path)) == 0
    assert {parse_name(path.stem).layout for path in tmp_path.glob("*.cpp")} == {Layout.NGCHW}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("--ndim-spatial", "two", "--datatype", "fp16"),
            '--ndim-spatial: expected a whole number, not "two"',
        ),
        (
            ("--ndim-spatial", "0", "--datatype", "fp16"),
            "--ndim-spatial: expected 1 or more, not 0",
        ),
        (("--ndim-spatial", ",", "--datatype", "fp16"), "--ndim-spatial: ',' names nothing"),
        (("--layout", "nchw"), "--layout: expected one of channels_last, channels_first, nwgc"),
        (("--preselected", SET, "--variant", "backward_data"), "kernels has variant backward_data"),
        (
            (
                "--ndim-spatial",
                "2",
                "--datatype",
                "fp16",
                "--variant",
                "backward_data",
                "--layout",
                "ngchw",
            ),
            "is legal on gfx942",
        ),
    ],
)
def test_what_cannot_be_is_said(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], sentence: str
) -> None:
    assert conv(*arguments, "--list") != 0
    assert sentence in capsys.readouterr().err
