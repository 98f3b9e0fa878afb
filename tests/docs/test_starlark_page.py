# SPDX-License-Identifier: MIT
"""docs/starlark.md: it says what the docstrings of the public Starlark files say."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from ckreference.page import page
from ckreference.text_format import TextFormatError, parse

EXTRACTS = [Path(path) for path in os.environ["CK_DOCSTRINGS"].split()]


def test_the_page_is_what_the_docstrings_say() -> None:
    assert Path("docs/starlark.md").read_text() == page(
        parse(path.read_text()) for path in EXTRACTS
    ), "docs/starlark.md is stale; run ./bazelw run //tools/reference"


def test_whatever_a_module_may_load_has_a_docstring() -> None:
    bare = [
        (kind, name)
        for path in EXTRACTS
        for kind, values in parse(path.read_text()).items()
        for value in values
        if isinstance(value, dict)
        for name in (
            value.get("rule_name")
            or value.get("function_name")
            or value.get("provider_name")
            or value["extension_name"]
        )
        if not value.get("doc_string")
    ]
    assert bare == []


def test_text_is_read_as_bazel_writes_it() -> None:
    text = 'a: "it\\\'s \\"b\\"\\n\\303\\251…"\nc {\n  d: TRUE_ISH\n  c {\n  }\n}\na: 3\n'
    assert parse(text) == {"a": ['it\'s "b"\né…', "3"], "c": [{"d": ["TRUE_ISH"], "c": [{}]}]}


@pytest.mark.parametrize("text", ["a", "a:", "a {", "}", 'a: "b', ": 3", "a: }", "a: 3 ]"])
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(TextFormatError):
        parse(text)
