# SPDX-License-Identifier: MIT
"""A recorded case: an instruction, what stands in its operands, and every bit that it leaves.

In cases.txt a line of GPUs with their waves' sizes stands above the cases that are the same on
them. A case has five parts between bars: the instruction, the fillings of its operands
(fillings.py), where its results lie, who agrees with the bits, and the bits.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from instructions.memory import BUFFER_FLAGS
from probe import EXEC, GENERATIONS, M0, State, generation_of

from recorded import fillings
from recorded.fillings import Filling

FILE = Path(__file__).parent / "cases.txt"
LANES = len(fillings.MEETINGS)  # that are enabled, so that waves of both sizes do the same
SLOT = 64  # bytes of memory that belong to a lane
_MEMORY = 64 * SLOT
_MASK = 0x5A3CA596
_HEAD = """\
# Special numbers (NaNs of both signs, quiet and signalling, with payloads; infinities, denormals,
# the largest) and every bit of what instructions make of them, on every host. Made by record.py;
# case.py says how a line is read, and fillings.py what stands in operands.
"""
_MOST_SHOWN, _FEW_SHOWN = 2 * LANES, 4

# Who agrees with the recorded bits.
# AMD's, as tests/gfxsim/pcode runs it, with the corrections of tests/gfxsim/instructions.
PSEUDOCODE = "pseudocode"
NEARLY = "pseudocode ±1"  # the same, up to the last place
RULE = "rule"  # that of tests/gfxsim/matrix/nans.py
NOBODY = "simulator"  # nobody but the simulator


@dataclass(frozen=True)
class Result:
    """Registers of some lanes, or bytes at an offset in the memory of each."""

    letter: str
    first: int
    count: int  # of words
    lanes: int = LANES

    def __str__(self) -> str:
        count = f"+{self.count}" if self.count > 1 else ""
        return f"{self.letter}{self.first}{count}" + (
            f"*{self.lanes}" if self.lanes != LANES else ""
        )

    def read(self, state: State) -> np.ndarray:
        """The words, lane by lane."""
        if self.letter == "s":
            return state.s[self.first : self.first + self.count]
        if self.letter == "v":
            return state.v[self.first : self.first + self.count, : self.lanes].T.reshape(-1)
        memory = state.lds if self.letter == "l" else state.memory
        slots = [memory[lane * SLOT + self.first :][: 4 * self.count] for lane in range(self.lanes)]
        return np.concatenate(slots).view("<u4")


@dataclass(frozen=True)
class Case:
    """An instruction with its operands."""

    text: str
    fillings: tuple[Filling, ...]
    result: Result

    def states(self, gpu: str, wave: int) -> list[State]:
        """What the wave holds before: once, or once for each number in a scalar register."""
        scalar = any(
            filling.letter == "s" and filling.kind in (*fillings.FORMATS, "B32")
            for filling in self.fillings
        )
        return [self._state(gpu, wave, lane) for lane in range(LANES if scalar else 1)]

    def words(self, states: list[State]) -> np.ndarray:
        """The results that states hold after the instruction."""
        return np.concatenate([self.result.read(state) for state in states])

    def _state(self, gpu: str, wave: int, lane: int) -> State:
        letters = {filling.letter for filling in self.fillings}
        state = State(
            wave, lds=_MEMORY if "l" in letters else 0, memory=_MEMORY if "m" in letters else 0
        )
        state.set_mask(EXEC, (1 << LANES) - 1)
        state.s[M0] = 0xFFFFFFFF
        # Of a buffer, an address is the number of a record.
        step = 1 if any(filling.kind == "BUFFER" for filling in self.fillings) else SLOT
        lanes = np.arange(64, dtype=np.uint64)
        for number, filling in enumerate(self.fillings):
            rows = slice(filling.first, filling.first + filling.count)
            if filling.kind in ("ADDRESS", "SHARED"):
                # Two registers hold a whole address, and one an offset. Four lanes may share it.
                away = (lanes if filling.kind == "ADDRESS" else lanes // 4) * step + np.uint64(
                    state.address if filling.count == 2 else 0
                )
                state.v[rows] = away.view(np.uint32).reshape(64, 2).T[: filling.count]
            elif filling.kind == "BUFFER":
                state.set_mask(filling.first, state.address & 0xFFFFFFFFFFFF | SLOT << 48)
                state.s[filling.first + 2 : filling.first + 4] = (
                    _MEMORY // SLOT,
                    BUFFER_FLAGS[GENERATIONS[generation_of(gpu)]][1],
                )
            elif filling.kind == "MASK":
                state.s[rows] = _MASK
            elif filling.letter == "s":
                state.s[rows] = fillings.words(filling, number)[:, lane]
            elif filling.letter == "v":
                state.v[rows] = fillings.words(filling, number)
            else:
                memory = state.lds if filling.letter == "l" else state.memory
                each = Filling(filling.letter, 0, SLOT // 4, filling.kind)
                memory[:] = (
                    np.ascontiguousarray(fillings.words(each, number).T).reshape(-1).view(np.uint8)
                )
        return state


@dataclass(frozen=True)
class Recorded:
    """A case and its bits on some GPUs."""

    targets: tuple[tuple[str, int], ...]
    case: Case
    by: str
    bits: str

    def __str__(self) -> str:
        operands = " ".join(map(str, self.case.fillings))
        return " | ".join((self.case.text, operands, str(self.case.result), self.by, self.bits))


def shown(words: np.ndarray) -> str:
    """Words as text: all of them, or a few and a digest of all."""
    words = words.astype("<u4")
    if words.size <= _MOST_SHOWN:
        return " ".join(f"{word:x}" for word in words)
    few = words[:: words.size // _FEW_SHOWN - 1][:_FEW_SHOWN]
    return (
        " ".join(f"{word:x}" for word in few)
        + f" … {words.size} words {hashlib.sha256(words.tobytes()).hexdigest()[:16]}"
    )


def write(found: list[Recorded]) -> str:
    """The text of a file."""
    sections: dict[tuple[tuple[str, int], ...], list[Recorded]] = {}
    for one in found:
        sections.setdefault(one.targets, []).append(one)
    heads = (" ".join(f"{gpu}/{wave}" for gpu, wave in targets) for targets in sections)
    return _HEAD + "".join(
        f"\n{head}\n" + "".join(f"{one}\n" for one in ones)
        for head, ones in zip(heads, sections.values(), strict=False)
    )


def read(text: str) -> list[Recorded]:
    """The cases that a text holds."""
    found: list[Recorded] = []
    targets: tuple[tuple[str, int], ...] = ()
    for line in text.splitlines():
        if " | " in line:
            found.append(Recorded(targets, *_parse(line)))
        elif line and not line.startswith("#"):
            targets = tuple(
                (gpu, int(wave)) for gpu, wave in (target.split("/") for target in line.split())
            )
    return found


def _parse(line: str) -> tuple[Case, str, str]:
    text, operands, result, by, bits = line.split(" | ")
    place = re.fullmatch(r"([vsml])(\d+)(?:\+(\d+))?(?:\*(\d+))?", result)
    assert place, result
    letter, first, count, lanes = place.groups()
    filled = tuple(fillings.parse(operand) for operand in operands.split())
    return (
        Case(text, filled, Result(letter, int(first), int(count or 1), int(lanes or LANES))),
        by,
        bits,
    )
