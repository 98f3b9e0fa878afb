# SPDX-License-Identifier: MIT
"""docs/testing.md: what it says of groups is about folders that there are, and none is left out."""

from __future__ import annotations

import re
from pathlib import Path

REPOSITORY = Path("MODULE.bazel").resolve().parent
SECTIONS = dict(
    section.split("\n", 1)
    for section in (REPOSITORY / "docs/testing.md").read_text().split("\n## ")[1:]
)


def groups(text: str) -> list[str]:
    """The folders of the patterns like `//tests/arch/...`."""
    return re.findall(r"//(tests[\w/]*)/\.\.\.", text)


def test_groups_are_folders() -> None:
    named = groups("".join(SECTIONS.values()))
    assert len(named) > 25
    assert [one for one in named if not (REPOSITORY / one).is_dir()] == []


def test_the_order_has_every_full_test() -> None:
    first, *ordered = groups(SECTIONS["The order of the full tests"])
    assert first == "tests" and len(ordered) == len(set(ordered))
    full = [
        file.parent.relative_to(REPOSITORY)
        for file in (REPOSITORY / "tests").rglob("BUILD.bazel")
        if '"full"' in file.read_text()
    ]
    assert len(full) > 15
    missing = [one for one in full if not any(one.is_relative_to(group) for group in ordered)]
    assert missing == []
    needless = [one for one in ordered if not any(place.is_relative_to(one) for place in full)]
    assert needless == []
