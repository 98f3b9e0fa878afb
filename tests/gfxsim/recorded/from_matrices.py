# SPDX-License-Identifier: MIT
"""Cases of matrix instructions: NaNs, of which the rule in matrix/nans.py says what becomes, and
extremes, of which nobody does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from matrix import mfma, nans, wmma
from matrix.cases import INDEX, SCALES, Instruction, Run, code_of, met_by, prepare
from matrix.cases import Operand as Matrix
from matrix.layouts import unpack
from probe import State

from recorded import case as cases
from recorded.case import Case, Recorded, Result
from recorded.fillings import Filling, name_of

_SAME = [(kind, kind) for kind in mfma.SMALL]
_MIXED = [(0, 1), (1, 0), (2, 1), (3, 0), (4, 1), (1, 4), (3, 2)]


@dataclass(frozen=True)
class _Form:
    """An instruction as it is written."""

    instruction: Instruction
    modifiers: str = ""
    scaled: bool = False

    @property
    def text(self) -> str:
        return self.instruction.text(
            self.modifiers, more=f", v{SCALES}, v{SCALES + 1}" if self.scaled else ""
        )


def _forms() -> Iterator[_Form]:
    yield from (_Form(found) for found in mfma.DENSE if not found.a.form.is_integer)
    for shape in mfma.F8F6F4:
        for formats in (*_SAME, *_MIXED):
            yield _Form(mfma.small(shape, *formats, scale=False), mfma.format_modifiers(*formats))
            yield _Form(
                mfma.small(shape, *formats, scale=True),
                f"op_sel_hi:[0,0,0] {mfma.format_modifiers(*formats)}",
                scaled=True,
            )
    yield from (_Form(mfma.sparse(*found)) for found in mfma.SPARSE if found[1] != "i8")
    yield from (_Form(wmma.dense(found)) for found in wmma.DENSE if found[3] != "i32")
    yield from (_Form(wmma.sparse(found)) for found in wmma.SPARSE if found[3] != "i32")


def recorded() -> Iterator[Recorded]:
    """All cases, after the rule has agreed with those that have NaNs in their operands."""
    forms = list(_forms())
    for gpu, wave in dict.fromkeys(
        (form.instruction.gpu, form.instruction.acc.wave) for form in forms
    ):
        prepare(
            gpu,
            wave,
            (
                form.text
                for form in forms
                if (form.instruction.gpu, form.instruction.acc.wave) == (gpu, wave)
            ),
        )
    yield from (_recorded(form, "~") for form in forms)
    # Other shapes add in no other way.
    yield from (
        _recorded(form, "^") for form in forms if form.instruction.acc.shape[1:] == (16, 16)
    )


def _filling(matrix: Matrix, first: int, spread: str, share: int) -> Filling:
    # gfx11 wants the same in every 16 lanes.
    return Filling(
        "v",
        first,
        matrix.registers,
        name_of(matrix.form),
        spread,
        max(2, share),
        16 if matrix.wave == 16 else 64,
    )


def _recorded(form: _Form, spread: str) -> Recorded:
    i = form.instruction
    depth, first = i.a.shape[2], i.first
    made = [
        _filling(i.a, first["a"], spread, depth // 3),
        _filling(i.b, first["b"], spread, 2 * depth // 3),
        _filling(i.acc, first["d" if i.sparse else "c"], spread, 4),
    ]
    if i.sparse:
        made.append(Filling("v", INDEX, 1, "PAIRS"))
    if form.scaled:
        made.append(Filling("v", SCALES, 2, "E8M0", spread, 8))
    made_case = Case(form.text, tuple(made), Result("v", first["d"], i.acc.registers, i.acc.wave))
    (state,) = states = made_case.states(i.gpu, i.acc.wave)
    before = state.copy()
    state.run(i.gpu, code_of(i.gpu, i.acc.wave, form.text))
    if spread == "~":
        _check(form, before, state)
    by = cases.RULE if spread == "~" else cases.NOBODY
    return Recorded(((i.gpu, i.acc.wave),), made_case, by, cases.shown(made_case.words(states)))


def _codes(matrix: Matrix, state: State, first: int) -> np.ndarray:
    codes = unpack(
        matrix.layout, state.v[first : first + matrix.registers], matrix.shape, matrix.spacing
    )
    return codes & np.uint64(2**matrix.form.bits - 1)


def _check(form: _Form, before: State, after: State) -> None:
    """Fails unless every number of the result is what the rule says."""
    i, first = form.instruction, form.instruction.first
    run = Run(i)
    run.a, run.b = _codes(i.a, before, first["a"]), _codes(i.b, before, first["b"])
    run.c = _codes(i.acc, before, first["d" if i.sparse else "c"])
    start = nans.start(run)
    if form.scaled:
        wanted = nans.add_scaled(start, run, *nans.scales(run, before.v[SCALES : SCALES + 2]))
    elif i.sparse:
        wanted = nans.add_products(start, run, met_by(run.b, _places(i.a, before)))
    else:
        wanted = nans.add_products(start, run)
    nans.check(run, _codes(i.acc, after, first["d"]), wanted)


def _places(stored: Matrix, state: State) -> np.ndarray:
    return unpack(stored.layout, state.v[INDEX : INDEX + 1], stored.shape, 2).astype(np.int64)
