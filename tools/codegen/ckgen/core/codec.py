# SPDX-License-Identifier: MIT
"""Strict conversion between JSON values and the few types that fields of a spec may have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ckgen.core.choice import Choice
from ckgen.core.errors import FieldError
from ckgen.core.limits import MOST_BYTES, MOST_NUMBER
from ckgen.core.tile import Dim3, Extents

_MOST_DIGITS = 30
_MOST_EXTENTS = 16


def show(value: object) -> str:
    """A JSON value as the user wrote it, short enough for a sentence."""
    try:
        text = json.dumps(value, default=str)
    except (RecursionError, ValueError):
        return "something too large or too deep to show"
    return text if len(text) <= 60 else text[:57] + "..."


def decode(kind: type, value: object) -> Any:
    """``value`` as a ``kind``: a Choice, Dim3, Extents, bool or int; raises ``FieldError``
    otherwise.
    """
    if kind is bool:
        return _decode_bool(value)
    if kind is int:
        return _decode_int(value)
    if kind is Dim3:
        return _decode_dim3(value)
    if kind is Extents:
        return _decode_extents(value)
    if issubclass(kind, Choice):
        return _decode_choice(kind, value)
    raise TypeError(f"fields of type {kind.__name__} have no JSON form")


def encode(value: object) -> Any:
    """The JSON form of a field's value."""
    if isinstance(value, Choice):
        return value.value
    if isinstance(value, (Dim3, Extents)):
        return list(value)
    return value


def load_json(path: Path) -> Any:
    """The JSON document in ``path``; repeated keys are refused, where ``json`` keeps the last."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise FieldError(f"{path} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise FieldError(f"{str(path)!r} cannot be read: {error}") from error
    if len(data) > MOST_BYTES:
        raise FieldError(f"{path} has more than {MOST_BYTES:,} bytes, the most that is read")
    try:
        return parse_json(data.decode("utf-8"), str(path))
    except UnicodeDecodeError as error:
        raise FieldError(f"{path} is not UTF-8 text: {error.reason}") from error


def parse_json(text: str, name: str = "") -> Any:
    """The JSON document ``text``, as strictly as ``load_json``; messages call it ``name``."""
    what = f"{name} is " if name else ""
    try:
        return json.loads(text, object_pairs_hook=_unique_keys, parse_int=_whole_number)
    except RecursionError as error:
        raise FieldError(f"{what}nested too deeply to be read as JSON") from error
    except ValueError as error:
        raise FieldError(f"{what}not valid JSON: {error}") from error


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result: dict[str, object] = {}
    for key, value in pairs:
        if key in result:
            raise ValueError(f"the key {key!r} appears twice in one object")
        result[key] = value
    return result


def _whole_number(digits: str) -> int:
    """No field takes a number of that many digits, and Python takes long over converting it."""
    if len(digits) > _MOST_DIGITS:
        raise ValueError(
            f"a number has {len(digits):,} digits, and {_MOST_DIGITS} are the most here"
        )
    return int(digits)


def _decode_bool(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("true", "false"):
        raise FieldError(f"{show(value)} is a string; write {value.lower()} without quotes")
    raise FieldError(f"expected true or false, not {show(value)}")


def _decode_int(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        if abs(value) <= MOST_NUMBER:
            return value
        raise FieldError(f"expected a whole number of at most {MOST_NUMBER}, not {show(value)}")
    raise FieldError(f"expected a whole number, not {show(value)}")


def _decode_dim3(value: object) -> Dim3:
    if (
        isinstance(value, (list, tuple))
        and len(value) == 3
        and all(isinstance(v, int) and not isinstance(v, bool) and v > 0 for v in value)
    ):
        if max(value) <= MOST_NUMBER:
            return Dim3(*value)
        raise FieldError(f"expected three numbers of at most {MOST_NUMBER}, not {show(value)}")
    raise FieldError(f"expected three positive numbers such as [128, 128, 32], not {show(value)}")


def _decode_extents(value: object) -> Extents:
    if (
        isinstance(value, (list, tuple))
        and len(value) <= _MOST_EXTENTS
        and all(isinstance(v, int) and not isinstance(v, bool) and v >= 0 for v in value)
    ):
        if max(value, default=0) <= MOST_NUMBER:
            return Extents(value)
        raise FieldError(f"expected numbers of at most {MOST_NUMBER}, not {show(value)}")
    raise FieldError(
        f"expected at most {_MOST_EXTENTS} numbers such as [128, 64, 32], none negative, "
        f"not {show(value)}"
    )


def _decode_choice(kind: type[Choice], value: object) -> Choice:
    if isinstance(value, str):
        try:
            return kind(value)
        except ValueError:
            pass
    known = ", ".join(member.value for member in kind)
    raise FieldError(f"expected one of {known}, not {show(value)}")
