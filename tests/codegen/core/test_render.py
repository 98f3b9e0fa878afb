# SPDX-License-Identifier: MIT
"""Templates are strict, and nothing reaches C++ unescaped."""

from __future__ import annotations

from pathlib import Path

import pytest
from ckgen.core.errors import RenderError
from ckgen.core.render import Renderer, cxx_bool, cxx_string
from hypothesis import given
from hypothesis import strategies as st


def renderer(folder: Path, text: str) -> Renderer:
    path = folder / "x.j2"
    path.write_text(text, encoding="utf-8")
    return Renderer(path)


def read_literal(literal: str) -> str:
    """What a C++ compiler makes of a narrow string literal of the kind that cxx_string writes."""
    assert literal[0] == literal[-1] == '"'
    data, rest = bytearray(), literal[1:-1]
    while rest:
        if rest[0] != "\\":
            assert rest[0] != '"' and 0x20 <= ord(rest[0]) < 0x7F
            data.append(ord(rest[0]))
            rest = rest[1:]
        elif rest[1] in '"\\?':
            data.append(ord(rest[1]))
            rest = rest[2:]
        else:
            data.append(int(rest[1:4], 8))
            rest = rest[4:]
    return data.decode("utf-8")


def test_a_missing_variable_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RenderError, match=r"x\.j2 failed: 'nothing' is undefined"):
        renderer(tmp_path, "{{ nothing }}").render({})


def test_a_template_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RenderError, match=r"no\.j2 does not exist"):
        Renderer(tmp_path / "no.j2")


def test_a_syntax_error_names_template_and_line(tmp_path: Path) -> None:
    with pytest.raises(RenderError, match=r"x\.j2, line 2: "):
        renderer(tmp_path, "\n{% if %}")


def test_a_template_keeps_its_last_line_end(tmp_path: Path) -> None:
    assert renderer(tmp_path, "{{ a }}\n").render({"a": 1}) == "1\n"


def test_filters_are_there(tmp_path: Path) -> None:
    text = renderer(tmp_path, "{{ a | cxx_bool }} {{ b | cxx_string }}")
    assert text.render({"a": True, "b": 'x"'}) == 'true "x\\""'


@pytest.mark.parametrize("value", ["False", 0, None])
def test_only_a_bool_becomes_a_cxx_bool(value: object) -> None:
    with pytest.raises(RenderError, match="cxx_bool takes a bool"):
        cxx_bool(value)  # type: ignore[arg-type]  # what is refused


@given(st.text())
def test_any_text_survives_a_cxx_string(text: str) -> None:
    text = text.encode("utf-8", "replace").decode("utf-8")
    assert read_literal(cxx_string(text)) == text


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ('"); system("x', r'"\"); system(\"x"'),
        ("a\nb", r'"a\012b"'),
        ("\x001", r'"\0001"'),
        ("\\", r'"\\"'),
        ("??/", r'"\?\?/"'),
        ("é", r'"\303\251"'),
    ],
)
def test_hostile_text_stays_inside_its_literal(text: str, literal: str) -> None:
    assert cxx_string(text) == literal
