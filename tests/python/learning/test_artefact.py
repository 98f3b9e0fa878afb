# SPDX-License-Identifier: MIT
"""The file of a model: the same bytes for the same model, numbers that come back, and nothing
half-written.
"""

from __future__ import annotations

import json
import os
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ckdispatch.errors import CkDispatchError, InvalidArgument, IoFailed
from ckdispatch.learning.artefact import Artefact
from ckdispatch.learning.trees import Tree

MODEL = Artefact(
    family="grouped_conv",
    gpu="gfx950",
    serves={"variant": "forward", "dtype_x": "bf16"},
    features=("width", "depth"),
    ranges={"width": (0.0, 4.0), "depth": (1.0, 1e6)},
    constants={"memory_share": 0.1 + 0.2},
    trees=(Tree((1,), (5e-324,), (-1,), (-2,), (-0.0, 1 / 3)),),
    manifest={
        "provenance": "measured",
        "tables": {"times.csv": "0" * 64},
        "metrics": {"regret": 0.04},
    },
)


def test_numbers_come_back_as_they_were() -> None:
    document = json.loads(MODEL.to_json())
    assert document["schema_version"] == 1
    assert document["constants"] == {"memory_share": 0.30000000000000004}
    tree = document["trees"][0]
    assert (
        tree["threshold"] == [5e-324]
        and tree["leaf"] == [0.0, 1 / 3]
        and str(tree["leaf"][0]) == "-0.0"
    )
    assert document["manifest"] == MODEL.manifest


def test_the_same_model_gives_the_same_bytes() -> None:
    turned = replace(
        MODEL,
        serves=dict([*MODEL.serves.items()][::-1]),
        manifest=dict([*MODEL.manifest.items()][::-1]),
    )
    assert turned.to_json() == MODEL.to_json()


def test_numbers_of_numpy_are_numbers() -> None:
    manifest = {
        "provenance": "measured",
        "rows": np.int64(7),
        "regret": np.float64(0.1),
        "split": (1, 2),
    }
    document = json.loads(replace(MODEL, manifest=manifest).to_json())
    assert document["manifest"] == {
        "provenance": "measured",
        "rows": 7,
        "regret": 0.1,
        "split": [1, 2],
    }


def test_lines_are_full_but_not_too_long() -> None:
    numbers = tuple(float(number) for number in np.random.default_rng(1).normal(size=30))
    tree = Tree(
        tuple(range(30)), numbers, tuple(range(-1, -31, -1)), tuple(range(30)), (*numbers, 1.0)
    )
    text = replace(MODEL, trees=(tree,) * 200).to_json()
    lines = text.splitlines()
    assert max(map(len, lines)) < 130
    assert len(text) / len(lines) > 60
    assert text.endswith("}\n")
    assert json.loads(text)["trees"][199]["threshold"] == list(numbers)


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text("old")
    MODEL.write(path)
    assert path.read_text() == MODEL.to_json()
    assert os.listdir(tmp_path) == ["model.json"]
    assert stat.S_IMODE(path.stat().st_mode) & stat.S_IRUSR


def test_a_file_that_cannot_be_replaced_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.json"
    path.write_text("old")

    def no_space(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(IoFailed, match=r"model\.json cannot be written: No space left on device"):
        MODEL.write(path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["model.json"]


@pytest.mark.parametrize("path", ["/nowhere/model.json", "", ".", "a\0b", 3, None, "x" * 5000])
def test_a_path_that_is_none_is_refused(path: Any) -> None:
    with pytest.raises(CkDispatchError):
        MODEL.write(path)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"ranges": {"width": (0.0, 1.0)}}, "each feature has one range"),
        ({"features": ("width", "width", "depth")}, "one of them twice"),
        ({"manifest": {}}, "whose provenance is None"),
        (
            {"manifest": {"provenance": "guessed"}},
            "whose provenance is 'guessed'; .* measured, simulated or imported",
        ),
        (
            {"manifest": {"provenance": "measured", "at": {1, 2}}},
            "in 'at', has a set, which a JSON file cannot have",
        ),
        ({"manifest": {"provenance": "measured", 1: 2}}, "has names that are no texts"),
        ({"constants": {"memory_share": float("nan")}}, "has the number nan; all must be finite"),
        (
            {"trees": (Tree((), (), (), (), (float("inf"),)),)},
            "has the number inf; all must be finite",
        ),
    ],
)
def test_what_the_dispatcher_would_refuse_is_not_written(
    changes: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InvalidArgument, match=sentence):
        replace(MODEL, **changes).to_json()
