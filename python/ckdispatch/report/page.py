# SPDX-License-Identifier: MIT
"""The document as one HTML file that needs nothing else: styles, scripts and data are in it, and it
may load nothing.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from ckdispatch.errors import IoFailed, NotFound

_STYLES = ("tokens", "layout", "controls", "tables", "charts", "print")
_SCRIPTS = (
    "data",
    "dom",
    "format",
    "theme",
    "tables",
    "chart",
    "facets",
    "kernels",
    "details",
    "maps",
    "layers",
    "roofline",
    "support",
    "comparison",
    "sources",
    "main",
)
"""In the order in which they need each other."""

_HARMLESS = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)
"""In JSON these are only inside of strings, where the escapes mean the same; without them nothing
can end the script element.
"""


def render(document: Mapping[str, Any]) -> str:
    """The page. The same document always gives the same one."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    template = environment.from_string(_part("page.html.j2"))
    scripts = [charts(), _script()]
    return template.render(
        title=document["title"],
        styles="\n".join(_part(f"{name}.css") for name in _STYLES),
        scripts=scripts,
        allowed=" ".join(map(_hash, scripts)),
        data=json.dumps(
            document, separators=(",", ":"), ensure_ascii=False, allow_nan=False
        ).translate(_HARMLESS),
    )


def write(text: str, path: Path) -> None:
    """The file, whole or not at all."""
    new = path.with_name(f"{path.name}.{secrets.token_hex(4)}.new")
    try:
        new.write_text(text, encoding="utf-8", errors="replace", newline="\n")
        os.replace(new, path)
    except OSError as error:
        raise IoFailed(f"--output {path} cannot be written: {error.strerror}") from error
    finally:
        new.unlink(missing_ok=True)


def charts() -> str:
    """Apache ECharts, as it was published."""
    try:
        found = resources.files("ckcharts") / "echarts.min.js"
        return found.read_text(encoding="utf-8")
    except (ModuleNotFoundError, FileNotFoundError):
        raise NotFound(
            "a page was asked for, and the charts that it draws are not there; under Bazel depend "
            "on @ckdispatch//python:charts"
        ) from None


def _script() -> str:
    parts = "\n".join(_part(f"{name}.js") for name in _SCRIPTS)
    return f'"use strict";\n(() => {{\n{parts}\n}})();\n'


def _part(name: str) -> str:
    return (resources.files(__package__) / "page" / name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """What the page's policy knows a script by: no other one runs."""
    # As a browser reads it: the line breaks of a file are one character.
    content = script.replace("\r\n", "\n").replace("\r", "\n").encode()
    return f"'sha256-{base64.b64encode(hashlib.sha256(content).digest()).decode()}'"
