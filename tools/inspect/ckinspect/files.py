# SPDX-License-Identifier: MIT
"""Reading inputs and writing outputs: all of them or none."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ckinspect.errors import InspectError


def read_bytes(path: Path) -> bytes:
    """The content of `path`; raises InspectError when it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InspectError(
            f"{path} cannot be read ({error.strerror}); give the path of an existing file."
        ) from error


def parse_json(data: bytes, path: Path) -> dict[str, Any]:
    """The JSON object that `data`, the content of `path`, holds."""
    try:
        document = json.loads(data.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InspectError(f"{path} is not JSON ({error}); give a JSON file.") from error
    if not isinstance(document, dict):
        raise InspectError(f"{path} does not hold a JSON object; give a file that does.")
    return document


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def render_json(document: Any) -> str:
    """JSON for files: the same document always gives the same text."""
    return json.dumps(document, indent=2, sort_keys=True, allow_nan=False) + "\n"


def sha256(data: bytes) -> str:
    """The SHA-256 of `data` in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def write_all(texts: Mapping[Path, str]) -> None:
    """Writes every file completely, or changes none of them and raises InspectError."""
    staged: dict[Path, Path] = {}
    try:
        for index, (path, text) in enumerate(texts.items()):
            temporary = path.parent / f".ckinspect-{os.getpid()}-{index}"
            staged[temporary] = path
            temporary.write_text(text, encoding="utf-8", newline="\n")
        for temporary, path in staged.items():
            os.replace(temporary, path)
    except OSError as error:
        raise InspectError(
            f"{error.filename} cannot be written ({error.strerror}); choose another output path."
        ) from error
    finally:
        for temporary in staged:
            temporary.unlink(missing_ok=True)
