# SPDX-License-Identifier: MIT
"""Building blocks of the schema: a check looks at one value and reports problems by path."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Check = Callable[["Report", str, Any], None]


@dataclass
class Report:
    """The problems found so far."""

    problems: list[str] = field(default_factory=list)

    def add(self, path: str, sentence: str) -> None:
        """Record one problem of the field at ``path``."""
        self.problems.append(f"{path}: {sentence}")

    def expected(self, path: str, what: str, value: Any) -> None:
        """Record that the field at ``path`` holds ``value`` instead of ``what``."""
        self.add(path, f"expected {what}, got {_shown(value)}")


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def is_int(value: Any) -> bool:
    """Whether ``value`` is a JSON integer; JSON's booleans are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def at(path: str, key: str) -> str:
    """The path of the member ``key`` of the object at ``path``."""
    return f"{path}.{key}" if path else key


def integer(minimum: int) -> Check:
    """An integer of at least ``minimum``."""

    def check(report: Report, path: str, value: Any) -> None:
        if not is_int(value) or value < minimum:
            report.expected(path, f"an integer of at least {minimum}", value)

    return check


def positive_number(report: Report, path: str, value: Any) -> None:
    """An integer or a fraction above zero."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < math.inf:
        report.expected(path, "a number above 0", value)


def boolean(report: Report, path: str, value: Any) -> None:
    """True or false."""
    if not isinstance(value, bool):
        report.expected(path, "true or false", value)


def text(report: Report, path: str, value: Any) -> None:
    """Text that is not empty."""
    if not isinstance(value, str) or not value.strip():
        report.expected(path, "a text that is not empty", value)


def matching(pattern: str, what: str) -> Check:
    """Text that matches ``pattern`` as a whole; ``what`` describes it to a reader."""
    compiled = re.compile(pattern)

    def check(report: Report, path: str, value: Any) -> None:
        if not isinstance(value, str) or compiled.fullmatch(value) is None:
            report.expected(path, what, value)

    return check


def one_of(*choices: str | int) -> Check:
    """One of the listed values."""
    what = " or ".join(str(choice) for choice in choices)

    def check(report: Report, path: str, value: Any) -> None:
        if isinstance(value, bool) or not isinstance(value, (str, int)) or value not in choices:
            report.expected(path, what, value)

    return check


def list_of(item: Check, *, minimum: int = 0) -> Check:
    """A list of at least ``minimum`` different values that each satisfy ``item``."""

    def check(report: Report, path: str, value: Any) -> None:
        if not isinstance(value, list):
            report.expected(path, "a list", value)
            return
        if len(value) < minimum:
            report.expected(path, f"a list of at least {minimum}", value)
        for index, element in enumerate(value):
            if element in value[:index]:
                report.add(f"{path}[{index}]", f"{_shown(element)} is listed twice")
            else:
                item(report, f"{path}[{index}]", element)

    return check


def triple(report: Report, path: str, value: Any) -> None:
    """Three integers above zero: extents along m, n and k."""
    if not isinstance(value, list) or len(value) != 3 or not all(map(is_int, value)):
        report.expected(path, "three integers [m, n, k]", value)
    elif min(value) < 1:
        report.expected(path, "three integers above 0", value)


def record(fields: Mapping[str, Check], renamed: Mapping[str, str] | None = None) -> Check:
    """An object with exactly the given members; ``renamed`` are names that others give them."""
    ours = renamed or {}

    def check(report: Report, path: str, value: Any) -> None:
        if not isinstance(value, dict):
            report.expected(path or "specs", "an object", value)
            return
        for key in value:
            if key not in fields:
                known = f"known ones: {', '.join(fields)}"
                known = f"it is called {ours[key]} here" if key in ours else known
                report.add(at(path, key), f"unknown field; {known}")
        for key, member in fields.items():
            if key in value:
                member(report, at(path, key), value[key])
            else:
                report.add(at(path, key), "missing")

    return check


def table(key: Check, item: Check, *, minimum: int = 0) -> Check:
    """An object of ``minimum`` members or more with names like ``key`` and values like ``item``."""

    def check(report: Report, path: str, value: Any) -> None:
        if not isinstance(value, dict):
            report.expected(path, "an object", value)
            return
        if len(value) < minimum:
            report.add(path, f"expected at least {minimum} entry, got none")
        for name, element in value.items():
            key(report, at(path, name), name)
            item(report, at(path, name), element)

    return check
