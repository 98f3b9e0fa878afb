# SPDX-License-Identifier: MIT
"""Cases of vector, scalar and memory instructions,
of which AMD's pseudocode says what comes out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from instructions import differences, numbers, suite
from instructions.layout import SCALAR_RESULT, SCALAR_SOURCES, VECTOR_RESULT, VECTOR_SOURCES
from instructions.memory import MemoryCase
from instructions.memory_text import ADDRESS, BASE, DATA, DATA2
from instructions.scalar import ScalarCase
from instructions.vector import VectorCase
from pcode.source import Field

from recorded import case as cases
from recorded.case import Case, Recorded, Result
from recorded.fillings import Filling

# Forms that have nothing but registers: one of them is recorded.
_PLAIN = ("vector", "registers", "plain", "both")


def recorded(target: suite.Target) -> Iterator[Recorded]:
    """The cases of a target, after the pseudocode has agreed with each."""
    for kind in ("vector", "convert", "scalar", "memory"):
        for name, found in sorted(suite.cases(kind, target).items()):
            plain = [
                (case, code)
                for case, code in found
                if case.form.label in _PLAIN and not getattr(case.form, "returns", False)
            ]
            if not plain:
                continue
            case, code = plain[0]
            for made in _cases(case):
                yield _agreed(
                    case,
                    code,
                    made,
                    cases.NEARLY if differences.tolerance(name) else cases.PSEUDOCODE,
                )


def _agreed(case: suite.Case, code: bytes, made: Case, by: str) -> Recorded:
    states = made.states(case.gpu, case.wave_size)
    problems = [problem for state in states for problem in suite.run_on(case, code, state)]
    assert not problems, "\n".join(problems)
    return Recorded(((case.gpu, case.wave_size),), made, by, cases.shown(made.words(states)))


def _cases(case: suite.Case) -> Iterator[Case]:
    if isinstance(case, MemoryCase):
        yield from _memory(case)
    elif isinstance(case, ScalarCase):
        yield from _scalar(case)
    else:
        yield from _vector(case)


def _kind(case: suite.Case, field: Field) -> str:
    """The format of the numbers in an operand; "B…" if they are none."""
    part, width = numbers.element(field.format, field.bits)
    if not numbers.float_format(part):
        return f"B{width}" if width in (16, 64) else "B32"
    return f"{part}_FNUZ" if part in ("FP8", "BF8") and differences.is_fnuz(case.gpu) else part


def _filling(case: suite.Case, letter: str, first: int, field: Field) -> Filling:
    kind = _kind(case, field)
    return Filling(
        letter, first, (field.bits + 31) // 32, kind if kind != "B16" or field.bits > 16 else "B32"
    )


def _is_real(fields: list[Field]) -> bool:
    return any(numbers.float_format(field.format) for field in fields)


def _vector(case: VectorCase) -> Iterator[Case]:
    result = case.entry.fields.get("vdst")
    if not result or not _is_real([*case.sources, result]):
        return
    made = []
    for number, field in enumerate(case.sources):
        scalar = field.place.startswith(("SSRC", "SREG"))
        made.append(
            _filling(
                case,
                "s" if scalar else "v",
                (SCALAR_SOURCES if scalar else VECTOR_SOURCES)[number],
                field,
            )
        )
    letter, first = ("s", SCALAR_RESULT) if case.has_scalar_result else ("v", VECTOR_RESULT)
    made.append(_filling(case, letter, first, result))
    if case.carry_in is not None:
        made.append(Filling("s", case.carry_in, 2, "MASK"))
    yield Case(case.text, tuple(made), Result(letter, first, (result.bits + 31) // 32))


def _scalar(case: ScalarCase) -> Iterator[Case]:
    fields = case.entry.fields
    result = fields.get("sdst")
    sources = [fields[name] for name in ("ssrc0", "ssrc1") if name in fields]
    if result and _is_real([*sources, result]):
        places = zip(
            (*SCALAR_SOURCES[: len(sources)], SCALAR_RESULT), (*sources, result), strict=False
        )
        made = [_filling(case, "s", first, field) for first, field in places]
        yield Case(case.text, tuple(made), Result("s", SCALAR_RESULT, (result.bits + 31) // 32))


def _memory(case: MemoryCase) -> Iterator[Case]:
    form, bits = case.number_format
    part, _ = numbers.element(form, bits)
    if not numbers.float_format(part) or not re.search(
        r"atomic|^ds_(?!read|write|load|store)", case.mnemonic
    ):
        return
    letter = "l" if case.entry.encoding == "DS" else "m"
    made = [Filling(letter, 0, 1, part)]
    for name, first in (
        ("data", DATA),
        ("data0", DATA),
        ("data1", DATA2),
        ("vdata", VECTOR_RESULT),
    ):
        if name in case.entry.fields:
            made.append(Filling("v", first, (case.bits(name) + 31) // 32, part))
    result = Result(letter, case.form.offset, max(1, bits // 32))
    if case.entry.encoding == "MUBUF":
        made.append(Filling("s", BASE, 4, "BUFFER"))
    registers = 2 if case.entry.encoding in ("FLAT", "GLOBAL") else 1
    # Lanes that share an address add in their order.
    for kind in ("ADDRESS", "SHARED") if "add" in case.mnemonic else ("ADDRESS",):
        yield Case(case.text, (*made, Filling("v", ADDRESS, registers, kind)), result)
