# SPDX-License-Identifier: MIT
"""From the instructions that are simulated to cases that the assembler accepts."""

from __future__ import annotations

import random
import zlib
from functools import cache

from pcode import parser, source
from pcode.lexer import NotPseudocode
from pcode.source import Entry
from probe import GENERATIONS, Definition, Probe, ProbeError, State
from instructions import check, differences, numbers
from instructions.forms import forms
from instructions.layout import SCALAR_RESULT, VECTOR_RESULT, VECTOR_SOURCES
from instructions import memory, scalar
from instructions.memory import MemoryCase
from instructions.scalar import ScalarCase
from instructions.vector import VectorCase

SCALAR_ENCODINGS = ("SOP1", "SOP2", "SOPC", "SOPK")
VECTOR_ENCODINGS = ("VOP1", "VOP2", "VOPC", "VOP3", "VOP3SD", "VOP3P")


def seed(*parts: object) -> random.Random:
    """A generator that depends on nothing but its arguments."""
    return random.Random(zlib.crc32(" ".join(map(str, parts)).encode()))


def entries_of(definition: Definition, generation: str) -> list[Entry]:
    """AMD's entries for an instruction with pseudocode that can be read; another generation's if its own has none."""
    own = GENERATIONS[generation]
    for name in (own, *(other for other in source.GENERATIONS if other != own)):
        found = [entry for entry in source.entries(name).get(definition.name, {}).values() if _readable(entry)]
        if found:
            return found
    return []


def _readable(entry: Entry) -> bool:
    if not entry.code:
        return False
    try:
        parser.parse(entry.code)
    except NotPseudocode:
        return False
    return True


@cache
def vector_cases(gpu: str, wave_size: int) -> dict[str, list[tuple[VectorCase, bytes]]]:
    """For each vector instruction of a GPU: the cases that can be assembled, with their code."""
    probe = Probe(gpu)
    made: list[VectorCase] = []
    for definition in probe.definitions():
        if definition.klass != "valu":
            continue
        for entry in entries_of(definition, probe.generation):
            if entry.encoding in VECTOR_ENCODINGS:
                entry = differences.fields_of(definition.name, entry)
                code = differences.code_of(definition.name, entry.code)
                start = zlib.crc32(definition.name.encode())
                made += [
                    VectorCase(gpu, definition.name, entry, form, wave_size, code) for form in forms(entry, start)
                ]
    return _assembled(probe, made, wave_size)


def _assembled(probe: Probe, made: list, wave_size: int) -> dict[str, list]:
    """The cases that the assembler takes, with their code, by mnemonic; a mnemonic may have none."""
    found: dict[str, list] = {}
    for case, code in zip(made, probe.assemble([case.text for case in made], wave_size)):
        found.setdefault(case.mnemonic, [])
        if isinstance(code, bytes):
            found[case.mnemonic].append((case, code))
    return found


def run_vector(case: VectorCase, code: bytes, turn: int) -> list[str]:
    """Runs a case once; returns what is wrong."""
    before = State(case.wave_size)
    case.fill(before, seed(case.label, turn))
    got = before.copy()
    try:
        got.run(case.gpu, code)
    except ProbeError as error:
        return [f"{case.label}: {error}"]
    outcome = case.expect(before)
    wanted = outcome.state
    for lane in outcome.unknown:
        wanted.v[VECTOR_RESULT, lane] = got.v[VECTOR_RESULT, lane]
    result = case.entry.fields.get("vdst")
    form = numbers.float_format(result.format) if result else None
    if form:
        _, width = numbers.element(result.format, result.bits)
        places = differences.tolerance(case.mnemonic)
        if case.has_scalar_result:
            left, right = (int(state.s[SCALAR_RESULT]) & (form.sign * 2 - 1) for state in (got, wanted))
            if check.same_number(form, left, right, places):
                wanted.s[SCALAR_RESULT] = got.s[SCALAR_RESULT]
        else:
            check.forgive(got, wanted, VECTOR_RESULT, result.bits, form, width, places)
    found = check.differences_between(got, wanted)
    if not found:
        return []
    return [f"{case.label}: " + "; ".join(found), _inputs(case, before, found)]


def _inputs(case: VectorCase, before: State, found: list[str]) -> str:
    lane = int(found[0].split("[")[1].split("]")[0]) if found[0].startswith("v") else 0
    values = []
    for number, name in enumerate(n for n in ("src0", "src1", "src2") if n in case.entry.fields):
        count = (case.entry.fields[name].bits + 31) // 32
        row = VECTOR_SOURCES[number]
        values.append(" ".join(f"{before.v[row + n, lane]:#010x}" for n in range(min(count, 4))))
    return f"    with {', '.join(values)} and {before.v[VECTOR_RESULT, lane]:#010x} before"


@cache
def scalar_cases(gpu: str, wave_size: int) -> dict[str, list[tuple[ScalarCase, bytes]]]:
    """For each scalar instruction of a GPU: the cases that can be assembled, with their code."""
    probe = Probe(gpu)
    made: list[ScalarCase] = []
    for definition in probe.definitions():
        for entry in entries_of(definition, probe.generation):
            if entry.encoding in SCALAR_ENCODINGS and not differences.is_elsewhere(definition.name):
                code = differences.code_of(definition.name, entry.code)
                start = zlib.crc32(definition.name.encode())
                made += [
                    ScalarCase(gpu, definition.name, entry, form, wave_size, code) for form in scalar.forms(entry, start)
                ]
    return _assembled(probe, made, wave_size)


def run_scalar(case: ScalarCase, code: bytes, turn: int) -> list[str]:
    """Runs a case once; returns what is wrong."""
    before = State(case.wave_size)
    case.fill(before, seed(case.label, turn))
    got = before.copy()
    try:
        got.run(case.gpu, code)
    except ProbeError as error:
        return [f"{case.label}: {error}"]
    wanted = case.expect(before)
    result = case.entry.fields.get("sdst")
    form = numbers.float_format(result.format) if result else None
    if form and form.width <= 32:
        register = case.result_register
        left, right = (int(state.s[register]) & (form.sign * 2 - 1) for state in (got, wanted))
        if check.same_number(form, left, right, 0):
            wanted.s[register] = got.s[register]
    found = check.differences_between(got, wanted)
    inputs = " ".join(f"{before.s[n]:#010x}" for n in (8, 9, 16, 17, 40, 41))
    return [f"{case.label}: " + "; ".join(found), f"    with {inputs}, scc {before.scc}"] if found else []


@cache
def memory_cases(gpu: str, wave_size: int) -> dict[str, list[tuple[MemoryCase, bytes]]]:
    """For each memory instruction of a GPU: the cases that can be assembled, with their code."""
    probe = Probe(gpu)
    made: list[MemoryCase] = []
    for definition in probe.definitions():
        for entry in entries_of(definition, probe.generation):
            if entry.encoding in memory.ENCODINGS and entry.fields and not differences.is_elsewhere(definition.name):
                code = differences.code_of(definition.name, entry.code)
                made += [MemoryCase(gpu, definition.name, entry, form, wave_size, code) for form in memory.forms(entry)]
    return _assembled(probe, made, wave_size)


def run_memory(case: MemoryCase, code: bytes, turn: int) -> list[str]:
    """Runs a case once; returns what is wrong."""
    before = case.new_state()
    case.fill(before, seed(case.label, turn))
    wanted = case.expect(before)
    got = before
    try:
        got.run(case.gpu, code)
    except ProbeError as error:
        return [f"{case.label}: {error}"]
    found = check.differences_between(got, wanted)
    return [f"{case.label}: " + "; ".join(found)] if found else []
