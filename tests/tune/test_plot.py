# SPDX-License-Identifier: MIT
"""Pictures: well-formed, the same for the same numbers, and small."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from cktune.plot import Axis, Panel, Series, picture, powers, written

_SVG = "{http://www.w3.org/2000/svg}"


def example() -> Panel:
    points = [(float(2**place), float(3**place)) for place in range(10)]
    x, y = Axis("sizes & more", 1, 1000, log=True), Axis("times <µs>", 0, 20000)
    line = Series("line", "#db6d28", points, joined=True, dashed=True)
    return Panel('A "panel"', x, y, [Series("points", "#2f81f7", points), line])


def test_a_picture_is_xml_with_titles_and_a_legend() -> None:
    text = picture([example(), example()], "Two & two")
    root = ElementTree.fromstring(text)
    assert root.tag == f"{_SVG}svg" and root.findtext(f"{_SVG}title") == "Two & two"
    words = [one.text for one in root.iter(f"{_SVG}text")]
    assert words.count("sizes & more") == words.count("times <µs>") == words.count('A "panel"') == 2
    assert words.count("points") == words.count("line") == 1
    assert {"1", "10", "100", "1000", "0", "5000"} <= set(words)


def test_the_same_numbers_give_the_same_text() -> None:
    assert picture([example()], "same") == picture([example()], "same")


def test_points_are_where_their_numbers_are() -> None:
    panel = Panel(
        "", Axis("x", 0, 10), Axis("y", 0, 10), [Series("", "#fff", [(10, 0), (0, 10), (99, -99)])]
    )
    (path,) = re.findall(
        r'<path d="(m[^"]*)" stroke="#fff"', picture([panel], "corners", width=200, height=200)
    )
    # From the upper left corner to the lower right one; what lies beyond an end is drawn at it.
    assert path == "m58 30h0m128 124h0m0 0h0"


def test_many_points_are_few_bytes() -> None:
    points = [(1.0 + place % 71, 1.0 + place % 89) for place in range(5000)]
    x, y = (Axis(title, 1, 100, log=True) for title in "xy")
    assert len(picture([Panel("", x, y, [Series("", "#fff", points)])], "many")) < 50_000


@pytest.mark.parametrize(
    ("axis", "ticks"),
    [
        (Axis("", 0, 100), [0, 20, 40, 60, 80, 100]),
        (Axis("", 80, 100), [80, 85, 90, 95, 100]),
        (Axis("", 3, 2000, log=True), [10, 100, 1000]),
        (Axis("", 0.03, 5, log=True), [0.1, 1]),
    ],
)
def test_ticks_are_round_numbers(axis: Axis, ticks: list[float]) -> None:
    assert axis.ticks() == pytest.approx(ticks)


def test_words_of_numbers() -> None:
    assert [written(value, log=True) for value in (0.1, 1e3, 1e9, 1e10)] == [
        "0.1",
        "1000",
        "10⁹",
        "10¹⁰",
    ]
    assert written(2500) == "2500"


def test_ends_of_an_axis_hold_all_values() -> None:
    low, high = powers([3.0, 200.0])
    assert low < 3 and high > 200
