# SPDX-License-Identifier: MIT
"""From the instructions that are simulated to cases that the assembler accepts, and from a case to
what is wrong.
"""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from pcode import parser, source
from pcode.lexer import NotPseudocode
from pcode.source import Entry
from probe import GENERATIONS, Definition, Probe, ProbeError, State, generation_of

from instructions import check, differences, forms, memory_text, numbers, scalar, supplement
from instructions.layout import SCALAR_RESULT, SCALAR_SOURCES, VECTOR_RESULT, VECTOR_SOURCES
from instructions.memory import MemoryCase
from instructions.scalar import ScalarCase
from instructions.vector import VectorCase

SCALAR_ENCODINGS = ("SOP1", "SOP2", "SOPC", "SOPK")
VECTOR_ENCODINGS = ("VOP1", "VOP2", "VOPC", "VOP3", "VOP3SD", "VOP3P")
Case = VectorCase | ScalarCase | MemoryCase


@dataclass(frozen=True)
class Target:
    """A GPU and a size of its waves; one of each generation gets every form
    of every instruction.
    """

    gpu: str
    wave_size: int
    thorough: bool = False

    def __str__(self) -> str:
        return f"{self.gpu}-wave{self.wave_size}"


TARGETS = (
    Target("gfx942", 64, thorough=True),
    Target("gfx1100", 32, thorough=True),
    Target("gfx1201", 32, thorough=True),
    Target("gfx908", 64),
    Target("gfx90a", 64),
    Target("gfx950", 64),
    Target("gfx1100", 64),
    Target("gfx1201", 64),
)
# Forms that a target gets which is not thorough, of instructions that another one has.
_FEW_FORMS = ("vector", "dpp", "registers", "immediate", "plain", "offset", "both")


def seed(*parts: object) -> random.Random:
    """A generator that depends on nothing but its arguments."""
    return random.Random(zlib.crc32(" ".join(map(str, parts)).encode()))


def entries_of(definition: Definition, generation: str) -> list[Entry]:
    """AMD's entries for an instruction with pseudocode that can be read; another generation's if
    its own has none.
    """
    own = GENERATIONS[generation]
    for name in (own, *(other for other in source.GENERATIONS if other != own)):
        found = [
            entry
            for entry in source.entries(name).get(definition.name, {}).values()
            if _readable(entry)
        ]
        if found:
            return found
    return supplement.entries(definition.name) if own == "cdna" else []


def _readable(entry: Entry) -> bool:
    if not entry.code:
        return False
    try:
        parser.parse(entry.code)
    except NotPseudocode:
        return False
    return True


def _vector_cases(definition: Definition, entry: Entry, target: Target) -> list[VectorCase]:
    if entry.encoding not in VECTOR_ENCODINGS or definition.klass != "valu":
        return []
    entry = differences.fields_of(definition.name, entry)
    code = differences.code_of(definition.name, entry)
    start = zlib.crc32(definition.name.encode())
    return [
        VectorCase(target.gpu, definition.name, entry, form, target.wave_size, code)
        for form in forms.forms(entry, start)
    ]


def _scalar_cases(definition: Definition, entry: Entry, target: Target) -> list[ScalarCase]:
    if entry.encoding not in SCALAR_ENCODINGS or differences.is_elsewhere(definition.name):
        return []
    code = differences.code_of(definition.name, entry)
    start = zlib.crc32(definition.name.encode())
    return [
        ScalarCase(target.gpu, definition.name, entry, form, target.wave_size, code)
        for form in scalar.forms(entry, start)
    ]


def _memory_cases(definition: Definition, entry: Entry, target: Target) -> list[MemoryCase]:
    if (
        entry.encoding not in memory_text.ENCODINGS
        or not entry.fields
        or differences.is_elsewhere(definition.name)
    ):
        return []
    code = differences.code_of(definition.name, entry, target.gpu)
    return [
        MemoryCase(target.gpu, definition.name, entry, form, target.wave_size, code)
        for form in memory_text.forms(entry)
    ]


_Maker = Callable[[Definition, Entry, Target], Sequence[Case]]
_MAKERS: dict[str, tuple[_Maker, re.Pattern[str]]] = {
    "scalar": (_scalar_cases, re.compile("s_.*")),
    "memory": (_memory_cases, re.compile(".*")),
    "compare": (_vector_cases, re.compile("v_cmp.*")),
    "convert": (_vector_cases, re.compile("v_cvt.*")),
    "vector": (_vector_cases, re.compile("v_(?!cmp|cvt).*")),
}
KINDS = tuple(_MAKERS)


@cache
def cases(kind: str, target: Target) -> dict[str, list[tuple[Case, bytes]]]:
    """For each instruction of a kind on a GPU: the cases that can be assembled, with their code.
    There may be none.
    """
    make, names = _MAKERS[kind]
    probe = Probe(target.gpu)
    known = set() if target.thorough else covered(kind, _thorough(target))
    made: list[Case] = []
    for definition in probe.definitions():
        if not names.fullmatch(definition.name):
            continue
        for entry in entries_of(definition, probe.generation):
            made += [
                case
                for case in make(definition, entry, target)
                if definition.name not in known or case.form.label in _FEW_FORMS
            ]
    found: dict[str, list[tuple[Case, bytes]]] = {case.mnemonic: [] for case in made}
    for case, code in zip(
        made, probe.assemble([case.text for case in made], target.wave_size), strict=False
    ):
        if isinstance(code, bytes):
            found[case.mnemonic].append((case, code))
    return found


def _thorough(target: Target) -> Target:
    generation = generation_of(target.gpu)
    return next(
        other for other in TARGETS if other.thorough and generation_of(other.gpu) == generation
    )


def covered(kind: str, target: Target) -> set[str]:
    """The instructions that have cases."""
    return {name for name, found in cases(kind, target).items() if found}


def parameters(kind: str) -> list[tuple[Target, str]]:
    """A target and a mnemonic for each test of a kind."""
    return [(target, name) for target in TARGETS for name in sorted(covered(kind, target))]


def check_instruction(kind: str, target: Target, name: str) -> None:
    """Runs all cases of an instruction and fails with what is wrong."""
    problems: list[str] = []
    for case, code in cases(kind, target)[name]:
        for turn in range(getattr(case.form, "turns", 1)):
            problems += run(case, code, turn)
    assert not problems, "\n" + "\n".join(problems[:12])


def run(case: Case, code: bytes, turn: int) -> list[str]:
    """Runs a case once with operands that provoke; returns what is wrong."""
    state = case.new_state() if isinstance(case, MemoryCase) else State(case.wave_size)
    case.fill(state, seed(case.label, turn))
    return run_on(case, code, state)


def run_on(case: Case, code: bytes, state: State) -> list[str]:
    """Runs a case on a state, which it changes; returns what is wrong."""
    try:
        if isinstance(case, VectorCase):
            return _run_vector(case, code, state)
        if isinstance(case, ScalarCase):
            return _run_scalar(case, code, state)
        return _run_memory(case, code, state)
    except ProbeError as error:
        return [f"{case.label}: {error}"]


def _run_vector(case: VectorCase, code: bytes, got: State) -> list[str]:
    before = got.copy()
    got.run(case.gpu, code)
    outcome = case.expect(before)
    wanted = outcome.state
    for lane in outcome.unknown:
        wanted.v[VECTOR_RESULT, lane] = got.v[VECTOR_RESULT, lane]
    result = case.entry.fields.get("vdst")
    form = numbers.float_format(result.format) if result else None
    places = differences.tolerance(case.mnemonic)
    if form and case.has_scalar_result:
        check.forgive_scalar(got, wanted, SCALAR_RESULT, form, places)
    elif form and result:
        _, width = numbers.element(result.format, result.bits)
        check.forgive(got, wanted, VECTOR_RESULT, result.bits, form, width, places)
    found = check.differences_between(got, wanted)
    return (
        [f"{case.label}: " + "; ".join(found), _vector_inputs(case, before, found)] if found else []
    )


def _vector_inputs(case: VectorCase, before: State, found: list[str]) -> str:
    lane = int(found[0].split("[")[1].split("]")[0]) if found[0].startswith("v") else 0
    values = []
    for number, name in enumerate(forms.sources_of(case.entry)):
        count = (case.entry.fields[name].bits + 31) // 32
        row = VECTOR_SOURCES[number]
        values.append(" ".join(f"{before.v[row + n, lane]:#010x}" for n in range(min(count, 4))))
    return f"    with {', '.join(values)} and {before.v[VECTOR_RESULT, lane]:#010x} before"


def _run_scalar(case: ScalarCase, code: bytes, got: State) -> list[str]:
    before = got.copy()
    got.run(case.gpu, code)
    wanted = case.expect(before)
    result = case.entry.fields.get("sdst")
    form = numbers.float_format(result.format) if result else None
    if form and form.width <= 32:
        check.forgive_scalar(got, wanted, case.result_register, form, 0)
    found = check.differences_between(got, wanted)
    shown = (
        *SCALAR_SOURCES[:1],
        SCALAR_SOURCES[0] + 1,
        SCALAR_SOURCES[1],
        SCALAR_SOURCES[1] + 1,
        SCALAR_RESULT,
    )
    inputs = " ".join(f"{before.s[n]:#010x}" for n in shown)
    return (
        [f"{case.label}: " + "; ".join(found), f"    with {inputs}, scc {before.scc}"]
        if found
        else []
    )


def _run_memory(case: MemoryCase, code: bytes, state: State) -> list[str]:
    wanted = case.expect(state)
    # Addresses in registers are those of this state's memory, so it is the one to run on.
    state.run(case.gpu, code)
    case.forgive(state, wanted)
    found = check.differences_between(state, wanted)
    return [f"{case.label}: " + "; ".join(found)] if found else []
