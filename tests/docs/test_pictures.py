# SPDX-License-Identifier: MIT
"""docs/pictures: its rooms are those of ARCHITECTURE.md, its actions are those of the rules."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.docs.pages import table

REPOSITORY = Path("MODULE.bazel").resolve().parent
ARCHITECTURE = REPOSITORY / "ARCHITECTURE.md"
FOLDER = REPOSITORY / "docs/pictures"
PICTURES = sorted(FOLDER.glob("*.svg"))
SVG = "{http://www.w3.org/2000/svg}"

Rooms = dict[str, frozenset[str]]


def drawing(name: str) -> ElementTree.Element:
    return ElementTree.parse(FOLDER / name).getroot()


def boxes(root: ElementTree.Element, kind: str) -> dict[str, tuple[float, float, float, float]]:
    """The first text in each box of a kind, and the box: left, top, right, bottom."""
    found = {}
    for group in root.iter(f"{SVG}g"):
        rect, text = group.find(f"{SVG}rect"), group.find(f"{SVG}text")
        if group.get("class") == kind and rect is not None and text is not None and text.text:
            x, y, width, height = (
                float(rect.get(name, "")) for name in ("x", "y", "width", "height")
            )
            found[text.text] = x, y, x + width, y + height
    return found


def ends(path: str) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where a line of ``M``, ``H`` and ``V`` begins and ends."""
    words = re.findall(r"([MHV])([\d.]+)(?: ([\d.]+))?", path)
    assert "".join("".join(part) for part in words) == path.replace(" ", "")
    x = y = 0.0
    points = []
    for command, first, second in words:
        x = float(first) if command in "MH" else x
        y = float(second if command == "M" else first) if command in "MV" else y
        points.append((x, y))
    return points[0], points[-1]


def reached(uses: Rooms, start: Iterable[str]) -> set[str]:
    """What rooms lead to by any number of uses, and they themselves."""
    seen, waiting = set[str](), list(start)
    while waiting:
        room = waiting.pop()
        if room not in seen:
            seen.add(room)
            waiting += uses[room]
    return seen


def shortest(uses: Rooms) -> Rooms:
    """The uses that no other use leads to as well."""
    return {
        room: frozenset(one for one in used if one not in reached(uses, used - {one}))
        for room, used in uses.items()
    }


@pytest.fixture(scope="module")
def allowed() -> Rooms:
    rows = [cells for cells in table(ARCHITECTURE, r"`[\w/]+`") if len(cells) == 3]
    return {row[0].strip("`"): frozenset(re.findall(r"`([^`]+)`", row[2])) for row in rows}


def test_the_rooms_are_those_of_the_table_and_are_there(allowed: Rooms) -> None:
    drawn = boxes(drawing("rooms.svg"), "room")
    assert sorted(drawn) == sorted(allowed)
    assert [name for name in drawn if not (REPOSITORY / name).is_dir()] == []


def test_the_arrows_are_the_uses_of_the_table(allowed: Rooms) -> None:
    root = drawing("rooms.svg")
    rooms = boxes(root, "room")
    drawn = set()
    for path in root.iter(f"{SVG}path"):
        if path.get("class") == "use":
            touched = [
                [
                    name
                    for name, (left, top, right, bottom) in rooms.items()
                    if left <= x <= right and top <= y <= bottom
                ]
                for x, y in ends(path.get("d", ""))
            ]
            assert [len(names) for names in touched] == [1, 1], path.get("d")
            drawn.add((touched[0][0], touched[1][0]))
    assert drawn == {(room, one) for room, used in shortest(allowed).items() for one in used}


def test_a_use_that_others_lead_to_is_left_out() -> None:
    uses = {"a": {"b", "c"}, "b": {"c"}, "c": set[str]()}
    found = shortest({room: frozenset(used) for room, used in uses.items()})
    assert found == {"a": {"b"}, "b": {"c"}, "c": set()}


def test_the_actions_are_those_of_the_rules() -> None:
    rules = "".join(path.read_text() for path in (REPOSITORY / "rules/private").glob("*.bzl"))
    actions = set(re.findall(r'mnemonic = "(Ck\w+)"', rules))
    # What cannot be built has one action, which says why.
    assert boxes(drawing("kernel.svg"), "action").keys() == actions - {"CkRefuse"}


def test_the_entry_is_one_of_the_declaration() -> None:
    texts = [one.text or "" for one in drawing("kernel.svg").iter(f"{SVG}text")]
    (file,) = re.findall(r"kernels/\w+\.json", "\n".join(texts))
    (entry,) = (one for one in texts if one.startswith("{"))
    lines = (REPOSITORY / file).read_text().splitlines()
    assert entry in [line.strip().rstrip(",") for line in lines]


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_a_picture_stands_alone_and_is_on_a_page(picture: Path) -> None:
    text = picture.read_text()
    assert re.search("<title[^>]*>[^<]+</title>\n<desc[^>]*>[^<]+</desc>", text)
    assert "prefers-color-scheme: dark" in text and len(text) < 16_000
    assert re.findall(r"href|@import|@font-face|<script|<image", text) == []
    assert re.search(rf"!\[[^\]\n]+\]\(docs/pictures/{picture.name}\)", ARCHITECTURE.read_text())
