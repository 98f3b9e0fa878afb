# SPDX-License-Identifier: MIT
"""Every layer of ResNet-50 gets a kernel in every direction, with the reason."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from ckbench.resnet50.__main__ import SETS, main
from ckdispatch.problem_lists.lists import load

LAYERS = load("resnet50").layers
MANIFESTS = [path for path in os.environ["CK_KERNELS"].split() if path.endswith(".manifest.json")]


def essential(direction: str) -> str:
    word = SETS[direction].removesuffix("_all")
    (manifest,) = (path for path in MANIFESTS if word in path)
    return manifest


def rows(capsys: pytest.CaptureFixture[str], direction: str) -> list[dict[str, Any]]:
    assert main(["--direction", direction, "--set", essential(direction), "--json"]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize("direction", SETS)
def test_every_layer_gets_a_kernel_and_a_reason(
    direction: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = rows(capsys, direction)
    assert [row["layer"] for row in found] == [layer.name for layer in LAYERS]
    assert all(row["kernel"] and row["predicted_microseconds"] > 0 and row["why"] for row in found)


def test_three_channels_need_a_kernel_that_takes_any_number(
    capsys: pytest.CaptureFixture[str],
) -> None:
    first, *others = rows(capsys, "forward")
    assert first["kernel"].endswith("_v1x1x1")
    assert "C = 3 and moves x in vectors of 8 elements" in first["why"]
    assert not any(row["kernel"].endswith("_v1x1x1") for row in others)


def test_with_channels_first_every_layer_gets_such_a_kernel(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--layout", "channels_first", "--set", essential("forward"), "--json"]) == 0
    assert all("_ngchw_" in row["kernel"] for row in json.loads(capsys.readouterr().out))


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("--images", "0"), 2, "was asked for"),
        (("--gpu", "gfx999"), 2, "gfx999"),
        (("--gpu", "gfx1100"), 1, "no layer has a kernel on gfx1100"),
        (("--layout", "channels_first", "--direction", "backward_data"), 2, "forward only"),
    ],
)
def test_what_cannot_be_is_told_in_a_sentence(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], code: int, sentence: str
) -> None:
    assert main(["--set", essential("forward"), *arguments]) == code
    told = capsys.readouterr().err
    assert told.startswith("resnet50: ") and sentence in told


def test_the_table_says_that_nothing_was_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--set", essential("forward")]) == 0
    assert "predicted, not measured" in capsys.readouterr().out


def test_a_set_that_there_is_none_of_is_told_in_a_sentence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--set", "no_such_set"]) == 1
    assert capsys.readouterr().err.startswith("resnet50: ")
