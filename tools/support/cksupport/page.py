# SPDX-License-Identifier: MIT
"""The page of the matrix, from the cells and the results and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from ckarch import ArchSpecs

from cksupport.cells import Cell
from cksupport.digests import Digests
from cksupport.family import AnyFamily
from cksupport.markdown import heading, row
from cksupport.questions import Place, Table
from cksupport.refusals import Refusal
from cksupport.results import Results
from cksupport.summary import REFUSED, SPILLS, STALE, UNTESTED, spills, state
from cksupport.verdicts import Verdict

_HEAD = """\
# What {title} supports

Every cell of these tables is a kernel that was compiled for the GPU, run on the simulator with its
checking mode on, and compared with the NumPy reference; or it is refused by a [rule](../rules.md).
The cells come from the arch table and the generator's enums, their state from
[results.json](../../evidence/{name}/results.json), and this page from both. Nobody writes in it:

    ./bazelw run //tools/support -- {name} sweep     # tries what was not tried yet
    ./bazelw run //tools/support -- {name} render    # writes this page

{about_kernels}"""

_REFUSED = "–"

_States = Mapping[Place, str]
_Notes = dict[Refusal, int]
"""The numbers of refusals, in the order in which they are first met."""


def page(
    family: AnyFamily, cells: Sequence[Cell], results: Results, digests: Digests, arch: ArchSpecs
) -> str:
    """The whole page as Markdown."""
    tables = family.tables(arch)
    notes: _Notes = {}
    head = _HEAD.format(name=family.name, title=family.title, about_kernels=family.about_kernels)
    states = {cell.place: state(cell, results, digests) for cell in cells}
    told = (SPILLS,) if family.tells_spills else ()
    parts = [head, _legend(told), _counts(tables, cells, states, told)]
    places = {cell.place: cell for cell in cells}
    for table in tables:
        parts.append(f"## {table.title}\n\n{table.note}\n")
        for gpu in table.gpus:
            head = f"### {table.title} on {gpu}\n\n{arch.gpu(gpu).product}.\n\n" if gpu else ""
            parts.append(head + _grid(table, gpu, places, states, notes))
    parts.append(_refusals(notes))
    bad, spilling = _bad(cells, results), _spilling(cells, states, results)
    return "\n".join([*parts, *(part for part in (bad, spilling) if part)])


def _legend(told: Sequence[str]) -> str:
    rows = [
        f"| {_mark(verdict)} | {verdict.meaning} |" for verdict in Verdict if verdict.ends_a_trial
    ]
    return "\n".join(
        [
            "| mark | |",
            "| --- | --- |",
            *rows,
            *(f"| {one} | right, but it spills vector registers to memory |" for one in told),
            f"| {_REFUSED} 7 | refused by a rule; the reason of that number is [below](#refused) |",
            f"| {UNTESTED} | legal, and not tried yet |",
            f"| {STALE} | tried with other sources, headers or flags than those of now |",
            "",
        ]
    )


def _mark(verdict: Verdict) -> str:
    return "✓" if verdict is Verdict.RIGHT else f"**{verdict.value}**"


def _counts(
    tables: Sequence[Table], cells: Sequence[Cell], states: _States, told: Sequence[str]
) -> str:
    kinds = ("tested and right", *told, "refused", "not right", STALE, UNTESTED)
    head = ("table", "cells", *kinds, "kernels", "tried")
    lines = [*heading(head)]
    titles = {table.name: table.title for table in tables}
    for name, title in {**titles, "": "all"}.items():
        own = [cell for cell in cells if name in ("", cell.place.table)]
        counted = [states[cell.place] for cell in own]
        right, refused, stale, untested = (
            counted.count(one) for one in (Verdict.RIGHT.value, REFUSED, STALE, UNTESTED)
        )
        apart = [counted.count(one) for one in told]
        bad = len(own) - right - refused - stale - untested - sum(apart)
        kernels = {cell.key: states[cell.place] for cell in own if cell.key is not None}
        tried = sum(found != UNTESTED for found in kernels.values())
        counts = (len(own), right, *apart, refused, bad, stale, untested, len(kernels), tried)
        lines.append(row((title, *counts)))
    return "\n".join([*lines, ""])


def _grid(
    table: Table, gpu: str, places: Mapping[Place, Cell], states: _States, notes: _Notes
) -> str:
    lines = [f"| | {' | '.join(table.columns)} |", "| --- " * (len(table.columns) + 1) + "|"]
    marked = {name: _marks(table, gpu, name, places, states, notes) for name in table.rows}
    for marks, names in groupby(table.rows, marked.__getitem__):
        first, *others = names
        if all(mark.startswith(_REFUSED) for mark in marks):
            # Long runs of what cannot be had hide what can.
            label = f"{first} to {others[-1]}" if others else first
            lines.append(row((label, *marks)))
        else:
            lines += [row((name, *marks)) for name in (first, *others)]
    return "\n".join([*lines, ""])


def _marks(
    table: Table, gpu: str, name: str, places: Mapping[Place, Cell], states: _States, notes: _Notes
) -> tuple[str, ...]:
    cells = (places[Place(table.name, gpu, name, column)] for column in table.columns)
    return tuple(_cell_mark(cell, states, notes) for cell in cells)


def _cell_mark(cell: Cell, states: _States, notes: _Notes) -> str:
    if cell.refusal is not None:
        return f"{_REFUSED} {notes.setdefault(cell.refusal, len(notes) + 1)}"
    found = states[cell.place]
    return found if found in (UNTESTED, STALE, SPILLS) else _mark(Verdict(found))


def _refusals(notes: _Notes) -> str:
    lines = [
        f"{number}. `{refusal.rule}`: {refusal.sentence}." for refusal, number in notes.items()
    ]
    return "\n".join(["## Refused", "", *lines, ""])


def _bad(cells: Sequence[Cell], results: Results) -> str:
    lines = {}
    for key in (cell.key for cell in cells if cell.key in results.known):
        assert key is not None
        (gpu, kernel), outcome = key, results.known[key].outcome
        if outcome.verdict is not Verdict.RIGHT:
            lines[key] = f"- `{kernel}` on {gpu}: {outcome.verdict.value}. {outcome.why}"
    return "\n".join(["## Not right", "", *lines.values(), ""]) if lines else ""


def _spilling(cells: Sequence[Cell], states: _States, results: Results) -> str:
    found = {cell.key: cell.kernel for cell in cells if states[cell.place] == SPILLS}
    lines = [f"- {spills(kernel, results)}" for kernel in found.values() if kernel is not None]
    return "\n".join(["## Right, and spilling", "", *lines, ""]) if lines else ""
