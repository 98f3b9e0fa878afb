# SPDX-License-Identifier: MIT
"""Renders what Bazel extracted from Starlark files as one page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from ckreference.text_format import Message

_HEAD = """\
# The Starlark interface

    load("@ckdispatch//rules:defs.bzl", "ck_kernel_sets")
    ck = use_extension("@ckdispatch//rules:extensions.bzl", "ck")

All that another module may load; [consuming.md](consuming.md) shows it at work. The page is made of
the files' own docstrings. Nobody writes in it:

    ./bazelw run //tools/reference    # writes this page
"""

_TYPES = {
    "BOOLEAN": "bool",
    "INT": "int",
    "LABEL": "label",
    "LABEL_LIST": "list of labels",
    "NAME": "name",
    "STRING": "string",
    "STRING_DICT": "dict of strings",
    "STRING_LIST": "list of strings",
}


def page(modules: Iterable[Message]) -> str:
    """The page about some files, in their order."""
    return "\n".join([_HEAD, *(line for module in modules for line in _module(module))])


def _module(module: Message) -> Iterator[str]:
    yield from (f"## @ckdispatch{_text(module, 'file')}", "", _text(module, "module_docstring"), "")
    for extension in _messages(module, "module_extension_info"):
        name = _text(extension, "extension_name")
        yield from (f"### {name}", "", _text(extension, "doc_string").strip(), "")
        for tag in _messages(extension, "tag_class"):
            yield from _described(
                f"{name}.{_text(tag, 'tag_name')}", tag, _attributes(tag, "attribute")
            )
    for rule in _messages(module, "rule_info"):
        yield from _described(_text(rule, "rule_name"), rule, _attributes(rule, "attribute"))
    for function in _messages(module, "func_info"):
        yield from _described(
            _text(function, "function_name"), function, _attributes(function, "parameter")
        )
    for provider in _messages(module, "provider_info"):
        fields = [
            (_code(_text(field, "name")), _text(field, "doc_string"))
            for field in _messages(provider, "field_info")
        ]
        yield from _described(
            _text(provider, "provider_name"), provider, _table(("field", ""), fields)
        )


def _described(name: str, what: Message, table: Iterable[str]) -> Iterator[str]:
    yield from (f"### {name}", "", _text(what, "doc_string").strip(), "")
    yield from table


def _attributes(what: Message, field: str) -> Iterator[str]:
    rows = []
    for attribute in _messages(what, field):
        kind = _text(attribute, "type")
        default = (
            "mandatory"
            if _text(attribute, "mandatory") == "true"
            else _code(_text(attribute, "default_value") or "None")
        )
        about = _text(attribute, "doc_string")
        rows.append(
            (_code(_text(attribute, "name")), _TYPES.get(kind, kind.lower()), default, about)
        )
    if not any(kind for _, kind, _, _ in rows):
        return _table(
            ("parameter", "default", ""),
            [(name, default, about) for name, _, default, about in rows],
        )
    return _table(("attribute", "type", "default", ""), rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    if not rows:
        return
    for cells in (head, ["---"] * len(head), *rows):
        yield "| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |"
    yield ""


def _code(text: str) -> str:
    return f"`{text}`"


def _messages(message: Message, field: str) -> list[Message]:
    return cast("list[Message]", message.get(field, []))


def _text(message: Message, field: str) -> str:
    values = cast("list[str]", message.get(field, []))
    return values[0] if values else ""
