# SPDX-License-Identifier: MIT
"""Small pictures of numbers as SVG: panels with axes, points, lines and a legend. The same numbers
give the same text.

Nothing is filled behind them and all colours are of middling brightness, so that they can be read
on white and on black.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

COLOURS = ("#2f81f7", "#db6d28", "#2da44e", "#a371f7", "#848d97")
_TEXT = "#7d8590"
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 14, 30, 46
_LEGEND = 18
_CROWD = 500
"""More points than this are drawn small."""
_MOST_TICKS = 7

Point = tuple[float, float]


@dataclass(frozen=True)
class Axis:
    """From ``low`` to ``high``, or of powers of ten if it is ``log``."""

    title: str
    low: float
    high: float
    log: bool = False

    def place(self, value: float) -> float:
        """Where a value lies, from 0 to 1; values beyond an end are at it."""
        low, high, at = (
            math.log10(one) if self.log else one
            for one in (self.low, self.high, max(value, self.low))
        )
        return min(max((at - low) / (high - low), 0.0), 1.0)

    def ticks(self) -> list[float]:
        """Numbers that are written at the axis."""
        if self.log:
            first, last = (
                math.ceil(math.log10(self.low) - 1e-9),
                math.floor(math.log10(self.high) + 1e-9),
            )
            return [10.0**power for power in range(first, last + 1)]
        span = (self.high - self.low) / _MOST_TICKS
        power = 10.0 ** math.floor(math.log10(span))
        step = power * next(one for one in (1, 2, 5, 10) if one * power >= span * (1 - 1e-9))
        first = math.ceil(self.low / step - 1e-9)
        return [step * place for place in range(first, math.floor(self.high / step + 1e-9) + 1)]


@dataclass(frozen=True)
class Series:
    """Points, joined by a line or each by itself. One without a name is not in the legend."""

    name: str
    colour: str
    points: Sequence[Point]
    joined: bool = False
    dashed: bool = False


@dataclass(frozen=True)
class Panel:
    """Axes, and what is drawn between them."""

    title: str
    x: Axis
    y: Axis
    series: Sequence[Series] = field(default_factory=tuple)


def picture(panels: Sequence[Panel], title: str, *, width: int = 420, height: int = 340) -> str:
    """The panels side by side, with one legend below all of them."""
    series = [one for panel in panels for one in panel.series if one.name]
    named = list(dict.fromkeys((one.name, one.colour, one.joined, one.dashed) for one in series))
    whole, tall = width * len(panels), height + (_LEGEND if named else 0)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {tall}" width="{whole}" '
        f'height="{tall}" font-family="sans-serif" font-size="12" fill="{_TEXT}" role="img">',
        f"<title>{escape(title)}</title>",
    ]
    for place, panel in enumerate(panels):
        lines += [
            f'<g transform="translate({place * width} 0)">',
            *_panel(panel, width, height),
            "</g>",
        ]
    return "\n".join([*lines, *_legend(named, height), "</svg>"]) + "\n"


def _panel(panel: Panel, width: int, height: int) -> list[str]:
    right, below = width - _RIGHT, height - _BOTTOM

    def at(point: Point) -> tuple[float, float]:
        return _LEFT + panel.x.place(point[0]) * (right - _LEFT), below - panel.y.place(
            point[1]
        ) * (below - _TOP)

    middle = (_LEFT + right) // 2
    lines = [
        (
            f'<text x="{middle}" y="18" text-anchor="middle" '
            f'font-size="14">{escape(panel.title)}</text>'
        )
    ]
    grid = []
    for tick in panel.x.ticks():
        x = at((tick, panel.y.low))[0]
        grid.append(f"M{_number(x)} {below}V{_TOP}")
        lines.append(
            f'<text x="{_number(x)}" y="{below + 16}" '
            f'text-anchor="middle">{written(tick, panel.x.log)}</text>'
        )
    for tick in panel.y.ticks():
        y = at((panel.x.low, tick))[1]
        grid.append(f"M{_LEFT} {_number(y)}H{right}")
        lines.append(
            f'<text x="{_LEFT - 6}" y="{_number(y + 4)}" '
            f'text-anchor="end">{written(tick, panel.y.log)}</text>'
        )
    lines.append(f'<path d="{"".join(grid)}" stroke="{_TEXT}" stroke-opacity=".25" fill="none"/>')
    lines.append(f'<path d="M{_LEFT} {_TOP}V{below}H{right}" stroke="{_TEXT}" fill="none"/>')
    lines.append(
        f'<text x="{middle}" y="{below + 36}" text-anchor="middle">{escape(panel.x.title)}</text>'
    )
    turned = f'transform="translate(14 {(_TOP + below) // 2}) rotate(-90)"'
    lines.append(f'<text {turned} text-anchor="middle">{escape(panel.y.title)}</text>')
    return lines + [
        _drawn(one, [at(point) for point in one.points]) for one in panel.series if one.points
    ]


def _drawn(series: Series, points: Sequence[Point]) -> str:
    if series.joined:
        dashes = ' stroke-dasharray="5 4"' if series.dashed else ""
        path = "M" + "L".join(f"{_number(x)} {_number(y)}" for x, y in points)
        return (
            f'<path d="{path}" stroke="{series.colour}" stroke-width="1.8" '
            f'stroke-linejoin="round" fill="none"{dashes}/>'
        )
    # Lines of no length with round ends are dots; each begins where the one before ended, which is
    # short.
    dots, last = [], (0, 0)
    for x, y in sorted((round(x), round(y)) for x, y in points):
        dots.append(f"m{x - last[0]} {y - last[1]}h0")
        last = (x, y)
    width, opacity = ("3", ".6") if len(points) > _CROWD else ("5", ".75")
    style = (
        f'stroke="{series.colour}" stroke-width="{width}" stroke-linecap="round" '
        f'stroke-opacity="{opacity}" fill="none"'
    )
    return f'<path d="{"".join(dots)}" {style}/>'


def _legend(named: Sequence[tuple[str, str, bool, bool]], below: int) -> list[str]:
    lines, x = [], _LEFT
    for name, colour, joined, dashed in named:
        mark = f"M{x} {below + 4}h" + (("6m4 0h6" if dashed else "16") if joined else "0")
        wide = "1.8" if joined else "6"
        lines.append(
            f'<path d="{mark}" stroke="{colour}" stroke-width="{wide}" stroke-linecap="round"/>'
        )
        lines.append(
            f'<text x="{x + (22 if joined else 10)}" y="{below + 8}">{escape(name)}</text>'
        )
        x += 46 + 7 * len(name)
    return lines


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def written(value: float, log: bool = False) -> str:
    """A number at an axis: large powers of ten in short."""
    if log and value >= 1e4:
        raised = str(round(math.log10(value))).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
        return f"10{raised}"
    return f"{value:.6g}"


def powers(values: Sequence[float]) -> tuple[float, float]:
    """The ends of a logarithmic axis for positive values:
    a little beyond the least and the most.
    """
    return min(values) / 1.25, max(values) * 1.25
