# SPDX-License-Identifier: MIT
"""The directives of a source and its texts, which together are all of it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from cksupport.skeleton import Skeleton, what_is_seen, without_numbers

SOURCE = """// one
#include "a.hpp"// why
int a = 1; /* #if 0
*/ const char* b = "// no comment";

  #  if defined(X) && \\
    defined(Y)
#define Z int
Z  c;
#else
#endif
"""


def test_the_texts_stand_at_their_places() -> None:
    found = Skeleton.of(SOURCE)
    assert found.directives == (
        '#include "a.hpp" \nck_text_0\n#  if defined(X) && \\\n    defined(Y)\nck_text_1\n#else\n'
        "#endif\n"
    )
    assert found.texts == ('int a=1;const char*b="// no comment";', "#define Z int\nZ c;")


@pytest.mark.parametrize(
    "same",
    [
        SOURCE.replace("one", "two"),
        SOURCE.replace("Z  c", "Z c"),
        "\n\n" + SOURCE,
        SOURCE.replace("// why", ""),
    ],
)
def test_comments_and_spaces_do_not_count(same: str) -> None:
    assert Skeleton.of(same).texts == Skeleton.of(SOURCE).texts


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("if(a)\n{\n  b = c -1;\n}", "if (a) { b = c - 1; }"),
        ("#define X a \\\n  b\nint f( int* x );", "#define X a b\nint f(int* x);"),
        ("f(' ', \"a  b\",\n c);", "f(' ', \"a  b\", c);"),
    ],
)
def test_formatting_does_not_count(text: str, same: str) -> None:
    assert Skeleton.of(text).texts == Skeleton.of(same).texts


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("int a;", "inta;"),
        ("a - -b", "a--b"),
        ('"a  b"', '"a b"'),
        ("' '", "''"),
        ("#define X\na", "#define X a"),
    ],
)
def test_what_a_compiler_tells_apart_counts(text: str, other: str) -> None:
    assert Skeleton.of(text).texts != Skeleton.of(other).texts


def test_a_macro_is_a_directive_only_where_the_compiler_sees_it() -> None:
    asked: list[str] = []

    def look(directives: str, first: Sequence[int]) -> tuple[str, Sequence[int]]:
        asked.append(directives)
        return "digest", first if len(asked) == 1 else (0, 1)

    assert what_is_seen(SOURCE, lambda directives: look(directives, [0])) == (
        "digest",
        Skeleton.of(SOURCE).texts[:1],
    )
    assert len(asked) == 1 and "#define" not in asked[0]
    asked.clear()
    assert what_is_seen(SOURCE, lambda directives: look(directives, [0, 1]))[1][1] == "Z c;"
    assert len(asked) == 2 and "#define Z int\nck_text_1\n" in asked[1]


def test_places_lose_their_numbers() -> None:
    assert without_numbers("a\nck_text_0\nb ck_text_1\nck_text_12") == (
        "a\nck_text_\nb ck_text_1\nck_text_",
        (0, 12),
    )
