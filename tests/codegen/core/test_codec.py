# SPDX-License-Identifier: MIT
"""JSON values become field values strictly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ckgen.core import codec
from ckgen.core.errors import FieldError
from ckgen.core.tile import Dim3, Extents
from codegen_support import Color


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (bool, True, True),
        (int, 3, 3),
        (Dim3, [1, 2, 3], Dim3(1, 2, 3)),
        (Extents, [128, 0, 32, 64], Extents.of(128, 0, 32, 64)),
        (Extents, [], Extents()),
        (Color, "green", Color.GREEN),
    ],
)
def test_a_proper_value_is_decoded_and_encodes_back(kind: type, value: Any, expected: Any) -> None:
    decoded = codec.decode(kind, value)
    assert decoded == expected and type(decoded) is kind
    assert codec.encode(decoded) == value


@pytest.mark.parametrize(
    ("kind", "value", "sentence"),
    [
        (bool, "False", '"False" is a string; write false without quotes'),
        (bool, "true", '"true" is a string; write true without quotes'),
        (bool, 0, "expected true or false, not 0"),
        (bool, None, "expected true or false, not null"),
        (int, True, "expected a whole number, not true"),
        (int, 1.0, "expected a whole number, not 1.0"),
        (Dim3, [1, 2], "expected three positive numbers such as [128, 128, 32], not [1, 2]"),
        (
            Dim3,
            [1, 2, True],
            "expected three positive numbers such as [128, 128, 32], not [1, 2, true]",
        ),
        (Dim3, [0, 2, 3], "expected three positive numbers such as [128, 128, 32], not [0, 2, 3]"),
        (Dim3, "1x2x3", 'expected three positive numbers such as [128, 128, 32], not "1x2x3"'),
        (
            Extents,
            [1, -2],
            "expected at most 16 numbers such as [128, 64, 32], none negative, not [1, -2]",
        ),
        (
            Extents,
            [1, True],
            "expected at most 16 numbers such as [128, 64, 32], none negative, not [1, true]",
        ),
        (
            Extents,
            [1] * 17,
            (
                "expected at most 16 numbers such as [128, 64, 32], none negative, not [1, 1, 1, "
                "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"
            ),
        ),
        (Extents, [1, 2**31], "expected numbers of at most 2147483647, not [1, 2147483648]"),
        (Color, "pink", 'expected one of red, green, blue, not "pink"'),
        (Color, "RED", 'expected one of red, green, blue, not "RED"'),
        (Color, 1, "expected one of red, green, blue, not 1"),
    ],
)
def test_an_improper_value_is_refused_with_a_sentence(
    kind: type, value: Any, sentence: str
) -> None:
    with pytest.raises(FieldError) as refusal:
        codec.decode(kind, value)
    assert str(refusal.value) == sentence


def test_a_type_without_json_form_is_a_programming_error() -> None:
    with pytest.raises(TypeError, match="float"):
        codec.decode(float, 1.0)


def test_long_values_are_cut_in_sentences() -> None:
    assert len(codec.show("x" * 500)) == 60


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"{", "is not valid JSON"),
        (b'{"a": 1, "b": 2, "a": 3}', "the key 'a' appears twice in one object"),
        (b'"\xff"', "is not UTF-8 text"),
    ],
)
def test_a_damaged_file_is_refused_with_its_path(
    tmp_path: Path, content: bytes, complaint: str
) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(FieldError, match=complaint) as refusal:
        codec.load_json(path)
    assert str(path) in str(refusal.value)


def test_a_missing_file_is_refused_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(FieldError, match=r"no\.json cannot be read: No such file"):
        codec.load_json(tmp_path / "no.json")
