# SPDX-License-Identifier: MIT
"""Templates to source text. jinja2 is imported here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2

from ckgen.core.errors import RenderError

_CKGEN = Path(__file__).parents[1]
"""Templates may import others by their path below this folder."""


class Renderer:
    """One compiled template; rendering the next kernel costs no parsing."""

    def __init__(self, template: Path) -> None:
        environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader([template.parent, _CKGEN]),
            undefined=jinja2.StrictUndefined,
            autoescape=False,
            keep_trailing_newline=True,
        )
        environment.filters["cxx_bool"] = cxx_bool
        environment.filters["cxx_string"] = cxx_string
        try:
            self._template = environment.get_template(template.name)
        except jinja2.TemplateNotFound as error:
            raise RenderError(f"the template {template} does not exist") from error
        except jinja2.TemplateSyntaxError as error:
            raise RenderError(f"{template}, line {error.lineno}: {error.message}") from error

    def render(self, context: Mapping[str, Any]) -> str:
        """The template's text; a variable that ``context`` lacks raises ``RenderError``."""
        try:
            return self._template.render(context)
        except jinja2.TemplateError as error:
            raise RenderError(f"the template {self._template.name} failed: {error}") from error


def cxx_bool(value: bool) -> str:
    """``true`` or ``false``; anything but a bool is a mistake in the template."""
    if not isinstance(value, bool):
        raise RenderError(f"cxx_bool takes a bool, not {value!r}")
    return "true" if value else "false"


def cxx_string(value: str) -> str:
    """``value`` as a C++ string literal in plain ASCII.

    Everything that is not printable ASCII becomes octal escapes of its UTF-8 bytes: unlike
    hexadecimal ones they end after three digits. ``?`` is escaped too, so that no trigraph forms.
    """
    return '"' + "".join(_escaped(byte) for byte in value.encode("utf-8")) + '"'


def _escaped(byte: int) -> str:
    character = chr(byte)
    if character in '"\\?':
        return "\\" + character
    return character if 0x20 <= byte < 0x7F else f"\\{byte:03o}"
