# SPDX-License-Identifier: MIT
"""No access reaches anything but its memory, whatever its address: around the edges of 32, 47, 48
and 64 bits, with offsets of both signs.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

import numpy as np
import pytest

from instructions.addresses import (
    BASE,
    EDGES,
    OFFSET,
    PRIVATE,
    SCRATCH,
    SHARED,
    SIZE,
    Access,
    Arena,
    accesses,
    bases,
    each,
)

GPUS = ("gfx90a", "gfx942", "gfx1100", "gfx1201")
_U64 = np.uint64
_FAULT = re.compile(
    r"(reads|writes|atomically updates) \d+ bytes at (0x[0-9a-f]+, .+|offset -?\d+ of a lane's "
    r"private memory.+)|.*misaligned.*"
)


@pytest.fixture(params=GPUS)
def arena(request: pytest.FixtureRequest) -> Arena:
    return Arena(request.param)


def _check(
    arena: Arena, access: Access, code: bytes, inside: list[bool], words: dict[int, int], label: str
) -> list[str]:
    """All lanes, which fail together unless all may; then those alone that may. `words`: what a
    lane loads.
    """
    on = sum(1 << lane for lane in range(arena.wave_size) if inside[lane])
    full = (1 << arena.wave_size) - 1
    wrong = []
    if on != full:
        said = arena.attempt(code)
        if not _FAULT.fullmatch(said):
            wrong.append(f"{label}: {said or 'was allowed'}")
    if on:
        said = arena.attempt(code, on)
        if said:
            wrong.append(f"{label} in lanes {on:#x}: {said}")
        elif access.use == "load":
            wrong += [
                f"{label}: lane {n} got {arena.loaded(n):#x}"
                for n, word in words.items()
                if on >> n & 1 and arena.loaded(n) != word
            ][:2]
    return wrong


def _global_outcome(
    arena: Arena, access: Access, addresses: np.ndarray
) -> tuple[list[bool], dict[int, int]]:
    inside, words = [], {}
    for lane in range(arena.wave_size):
        at = int(addresses[lane]) - arena.home
        aligned = access.use != "atomic" or int(addresses[lane]) % 4 == 0
        inside.append(0 <= at <= SIZE - access.size and aligned)
        if inside[-1]:
            words[lane] = arena.word(arena.state.memory, at)
    return inside, words


def test_global_accesses_from_a_scalar_base(arena: Arena) -> None:
    wrong: list[str] = []
    for access, offset, code in each("global", arena, "v4", f"s[{BASE}:{BASE + 1}]"):
        for base in bases(arena):
            for pattern in arena.patterns(base + offset):
                arena.set_vector(pattern)
                arena.state.set_mask(BASE, base)
                inside, words = _global_outcome(
                    arena, access, pattern + _U64((base + offset) % 2**64)
                )
                wrong += _check(
                    arena,
                    access,
                    code,
                    inside,
                    words,
                    f"{access.name} at {base:#x} + {int(pattern[0]):#x}.. {offset:+}",
                )
    assert not wrong, "\n".join(wrong[:12])


def test_global_accesses_with_an_address_in_every_lane(arena: Arena) -> None:
    wrong: list[str] = []
    for access, offset, code in each("global", arena, "v[4:5]", "off"):
        for base in bases(arena):
            for step in (0, 16):
                addresses = _U64(base % 2**64) + _U64(step) * arena.lanes
                arena.set_vector(addresses)
                inside, words = _global_outcome(arena, access, addresses + _U64(offset % 2**64))
                wrong += _check(
                    arena,
                    access,
                    code,
                    inside,
                    words,
                    f"{access.name} at {base:#x} {offset:+}, {step} apart",
                )
    assert not wrong, "\n".join(wrong[:12])


def _flat_outcome(
    arena: Arena, access: Access, addresses: np.ndarray
) -> tuple[list[bool], dict[int, int]]:
    inside, words = _global_outcome(arena, access, addresses)
    for lane in range(arena.wave_size):
        within, aperture = int(addresses[lane]) % 2**32, int(addresses[lane]) >> 32 << 32
        if aperture == SHARED:
            # Outside of LDS a load gives 0, and nothing else happens.
            inside[lane] = True
            words[lane] = arena.word(arena.state.lds, within) if within <= SIZE - access.size else 0
        elif aperture == PRIVATE:
            inside[lane] = within <= SCRATCH - access.size
            words[lane] = arena.word(arena.state.scratch[lane], within) if inside[lane] else 0
    return inside, words


def test_flat_accesses_and_the_ends_of_their_apertures(arena: Arena) -> None:
    wrong: list[str] = []
    edges = [
        aperture + at
        for aperture in (SHARED, PRIVATE)
        for at in (0, SCRATCH - 16, SCRATCH, SIZE - 16, SIZE, 2**32 - 64, 2**32 - 4)
    ]
    edges += [SHARED - 4, PRIVATE - 4, SHARED + 2**32, PRIVATE + 2**32, 3 << 56]
    for access, offset, code in each("flat", arena, "v[4:5]", ""):
        # Atomics and stores change what later loads would find.
        before = arena.state.lds.copy(), arena.state.scratch.copy()
        for base in [*bases(arena), *edges]:
            arena.state.lds[:], arena.state.scratch[:] = before
            addresses = _U64(base % 2**64) + _U64(16) * arena.lanes
            arena.set_vector(addresses)
            inside, words = _flat_outcome(arena, access, addresses + _U64(offset % 2**64))
            wrong += _check(
                arena, access, code, inside, words, f"{access.name} at {base:#x} {offset:+}"
            )
        arena.state.lds[:], arena.state.scratch[:] = before
    assert not wrong, "\n".join(wrong[:12])


def _scratch_outcome(
    arena: Arena, access: Access, at: np.ndarray
) -> tuple[list[bool], dict[int, int]]:
    inside = [int(at[lane]) <= SCRATCH - access.size for lane in range(arena.wave_size)]
    return inside, {
        n: arena.word(arena.state.scratch[n], int(at[n]))
        for n in range(arena.wave_size)
        if inside[n]
    }


SCRATCH_EDGES = (0, SCRATCH - 16, SCRATCH - 4, SCRATCH, 2**31, 2**32 - 4096, 2**32 - 4, 2**32 - 1)


def test_private_memory_by_scratch_instructions(arena: Arena) -> None:
    wrong: list[str] = []
    # Those before gfx942 have one or the other.
    forms = [
        ("v4", "off"),
        ("off", f"s{OFFSET}"),
        *([("v4", f"s{OFFSET}")] if arena.gpu != "gfx90a" else []),
    ]
    for address, base in forms:
        for access, offset, code in each("scratch", arena, address, base):
            before = arena.state.scratch.copy()
            for vector, number in itertools.product(
                SCRATCH_EDGES if address != "off" else (0,),
                SCRATCH_EDGES if base != "off" else (0,),
            ):
                arena.state.scratch[:] = before
                arena.set_vector(np.full(64, vector, dtype=_U64))
                arena.state.s[OFFSET] = number
                at = np.full(64, (vector + number + offset) % 2**32, dtype=_U64)
                inside, words = _scratch_outcome(arena, access, at)
                wrong += _check(
                    arena,
                    access,
                    code,
                    inside,
                    words,
                    f"{access.name} at {vector:#x} + {number:#x} {offset:+}",
                )
            arena.state.scratch[:] = before
    assert not wrong, "\n".join(wrong[:12])


def test_private_memory_behind_a_buffer() -> None:
    arena = Arena("gfx90a")
    state, wrong = arena.state, []
    state.s[BASE : BASE + 4] = 0, 1 << 31, 0xFFFFFFFF, 1 << 23 | 3 << 21
    for access in accesses("buffer", "gfx9")[:3]:
        for offset, code in zip(
            (0, 4092),
            arena.assemble(
                [
                    access.buffer_line("v4", f"s[8:11], s{OFFSET} offen offset:{n}")
                    for n in (0, 4092)
                ]
            ),
            strict=False,
        ):
            before = state.scratch.copy()
            for vector, number in itertools.product(
                SCRATCH_EDGES, (0, 64, 64 * SCRATCH, 2**32 - 64)
            ):
                state.scratch[:] = before
                arena.set_vector(np.full(64, vector, dtype=_U64))
                state.s[OFFSET] = number
                at = np.full(64, (vector + number // 64 + offset) % 2**32, dtype=_U64)
                inside, words = _scratch_outcome(arena, access, at)
                wrong += _check(
                    arena,
                    access,
                    code,
                    inside,
                    words,
                    f"{access.name} at {vector:#x} + {number:#x} {offset:+}",
                )
            state.scratch[:] = before
    assert not wrong, "\n".join(wrong[:12])


BUFFER_OFFSETS = (0, SIZE - 16, SIZE, 2**31, 2**32 - 4096, 2**32 - 4)


def test_buffers_that_say_more_than_there_is(arena: Arena) -> None:
    state, wrong = arena.state, []
    old = arena.generation == "gfx9"
    for access in accesses("buffer", arena.generation):
        if access.use == "store":
            continue
        immediates = (0, 4092)
        texts = [
            access.buffer_line("v4", f"s[8:11], s{OFFSET} offen offset:{n}") for n in immediates
        ]
        for (immediate, code), base in itertools.product(
            list(zip(immediates, arena.assemble(texts), strict=False)),
            [*(edge % 2**48 for edge in EDGES[::5]), arena.home, arena.home - 4096],
        ):
            for records, number, vector in itertools.product(
                (0, 64, SIZE, 2**32 - 1), (0, 64, 2**32 - 64), BUFFER_OFFSETS
            ):
                state.s[BASE : BASE + 4] = (
                    base % 2**32,
                    base >> 32,
                    records,
                    0x00020000 if old else 0x31004000,
                )
                state.s[OFFSET] = number
                arena.set_vector(np.full(64, vector, dtype=_U64))
                offset = (vector + immediate) % 2**32
                room = records - offset - number
                at = base + number + offset - arena.home
                # A part of a wide load is in range when its dword is.
                needed = (
                    min(access.size, room // 4 * 4)
                    if access.use != "atomic"
                    else access.size
                    if room >= access.size
                    else 0
                )
                aligned = access.use != "atomic" or (base + number + offset) % 4 == 0 or needed <= 0
                fits = needed <= 0 or 0 <= at <= SIZE - needed
                word = arena.word(state.memory, at) if needed > 0 and fits else 0
                said = (
                    f"{access.name} of {records:#x} at {base:#x} + {vector:#x} + {number:#x} "
                    f"{immediate:+}"
                )
                lanes = range(arena.wave_size)
                wrong += _check(
                    arena,
                    access,
                    code,
                    [fits and aligned] * arena.wave_size,
                    dict.fromkeys(lanes, word),
                    said,
                )
    assert not wrong, "\n".join(wrong[:12])


LDS_EDGES = (
    0,
    4,
    SIZE - 16,
    SIZE - 4,
    SIZE - 1,
    SIZE,
    65532,
    2**31,
    2**32 - 65536,
    2**32 - 16,
    2**32 - 4,
    2**32 - 1,
)


def test_lds_has_nothing_around_it(arena: Arena) -> None:
    state, wrong = arena.state, []
    read, write = ("ds_read", "ds_write") if arena.generation == "gfx9" else ("ds_load", "ds_store")
    two = f"{read}2st64_b32" if arena.generation == "gfx9" else f"{read}_2addr_stride64_b32"
    texts = [f"{read}_b32 v120, v4 offset:{n}" for n in (0, 65535)] + [
        f"{two} v[120:121], v4 offset0:{n} offset1:255" for n in (0, 255)
    ]
    texts += [f"{write}_b128 v4, v[40:43] offset:{n}" for n in (0, 65535)] + [
        "ds_add_u32 v4, v40",
        "ds_add_u64 v4, v[40:41] offset:65528",
    ]
    before = state.lds.copy()
    for text, code in zip(texts, arena.assemble(texts), strict=False):
        first = (
            int(found[1]) * (256 if "st" in text.split()[0] and "offset0" in text else 1)
            if (found := re.search(r"offset0?:(\d+)", text))
            else 0
        )
        for edge in LDS_EDGES:
            state.lds[:] = before
            arena.set_vector(np.full(64, edge, dtype=_U64))
            said = arena.attempt(code)
            at = (edge + first) % 2**32
            word = arena.word(before, at) if at <= SIZE - 4 else 0
            if said or (text.startswith(read) and arena.loaded(7) != word):
                wrong.append(f"{text} at {edge:#x}: {said or hex(arena.loaded(7))}, not {word:#x}")
    assert not wrong, "\n".join(wrong[:12])


@pytest.mark.parametrize("gpu", ["gfx90a", "gfx942", "gfx950"])
def test_loads_into_lds_by_m0(gpu: str) -> None:
    arena = Arena(gpu)
    texts = [
        f"s_mov_b32 m0, s21\nbuffer_load_dword v4, s[8:11], 0 offen offset:{n} lds"
        for n in (0, 4092)
    ]
    if gpu != "gfx90a":
        texts += [
            f"s_mov_b32 m0, s21\nglobal_load_lds_dword v[4:5], off offset:{n}"
            for n in (-16, 0, 4092)
        ]
    arena.state.s[BASE : BASE + 4] = arena.home % 2**32, arena.home >> 32, SIZE, 0x00020000
    before = arena.state.lds.copy()
    for text, code in zip(texts, arena.assemble(texts), strict=False):
        offset = int(text.split("offset:")[1].split()[0])
        for m0 in (0, SIZE - 256, SIZE - 4, SIZE, 0xFFFF, 0x10000, 2**31, 2**32 - 256, 2**32 - 4):
            arena.state.lds[:] = before
            arena.state.s[21] = m0
            arena.set_vector(
                _U64(max(-offset, 0) if "buffer" in text else arena.home - offset) + 4 * arena.lanes
            )
            assert arena.attempt(code) == "", text
            start = m0 if gpu == "gfx950" else m0 & 0xFFFF
            wanted = before.copy()
            for lane in range(64):
                at, source = (
                    (start + offset + 4 * lane) % 2**32,
                    4 * lane + (offset if "buffer" in text else 0),
                )
                if at <= SIZE - 4:
                    wanted[at : at + 4] = (
                        arena.state.memory[source : source + 4] if source <= SIZE - 4 else 0
                    )
            assert (arena.state.lds == wanted).all(), f"{text} with M0 = {m0:#x}"


def _scalar_texts(arena: Arena) -> list[tuple[str, str, int, int]]:
    """Text, what the offset is, bytes, and 1 if it stores."""
    if arena.generation != "gfx9":
        made = [
            (f"s_load_{name} s[40:{39 + size // 4}], s[8:9], ", size, 0)
            for name, size in (("b64", 8), ("b512", 64))
        ]
        numbers = (0, 4, -4, -(2**20), 2**20 - 4)
        return [(f"{text}{n:#x}", str(n), size, 0) for text, size, _ in made for n in numbers] + [
            (f"{text}s{OFFSET} offset:{n:#x}", f"s{n:+}", size, 0)
            for text, size, _ in made
            for n in (-4, 0, 4096)
        ]
    made = [
        ("s_load_dwordx2 s[40:41], s[8:9], ", 8, 0),
        ("s_load_dwordx16 s[40:55], s[8:9], ", 64, 0),
    ]
    if arena.gpu == "gfx90a":
        made += [("s_store_dwordx4 s[40:43], s[8:9], ", 16, 1)]
    return [
        (f"{text}{n:#x}", str(n), size, stores)
        for text, size, stores in made
        for n in (0, 4, -4, -(2**20), 2**20 - 4)
    ] + [(f"{text}s{OFFSET}", "s+0", size, stores) for text, size, stores in made]


def test_scalar_loads_and_stores(arena: Arena) -> None:
    wrong = []
    made = _scalar_texts(arena)
    for (text, offset, size, stores), code in zip(
        made, arena.assemble([text for text, *_ in made]), strict=False
    ):
        for base, number in itertools.product(
            bases(arena), (0, 4, 2**31, 2**32 - 4) if offset.startswith("s") else (0,)
        ):
            arena.state.set_mask(BASE, base)
            arena.state.s[OFFSET] = number
            distance = number + int(offset[1:]) if offset.startswith("s") else int(offset)
            at = ((base % 2**64 // 4 * 4 + distance // 4 * 4) % 2**64) - arena.home
            fits = 0 <= at <= SIZE - size
            said = arena.attempt(code)
            if bool(said) == fits or (said and not _FAULT.fullmatch(said)):
                wrong.append(f"{text} at {base:#x} + {number:#x}: {said or 'was allowed'}")
            elif (
                fits and not stores and int(arena.state.s[40]) != arena.word(arena.state.memory, at)
            ):
                wrong.append(f"{text} at {base:#x} + {number:#x}: {arena.state.s[40]:#x}")
    assert not wrong, "\n".join(wrong[:12])


def test_scalar_buffers_that_say_more_than_there_is(arena: Arena) -> None:
    wrong = []
    name, last = (
        ("s_buffer_load_dwordx4", 43) if arena.generation == "gfx9" else ("s_buffer_load_b128", 43)
    )
    (code,) = arena.assemble([f"{name} s[40:{last}], s[8:11], s{OFFSET}"])
    for base in [*(edge % 2**48 for edge in EDGES), arena.home, arena.home + SIZE - 16]:
        for records, stride, number in itertools.product(
            (0, 16, 2**32 - 1), (0, 16, 0x3FFF), (0, 8, SIZE - 16, SIZE, 2**31, 2**32 - 4)
        ):
            arena.state.s[BASE : BASE + 4] = base % 2**32, base >> 32 | stride << 16, records, 0
            arena.state.s[OFFSET] = number
            room = records * (stride or 1) - number
            needed = min(16, room // 4 * 4)
            at = base // 4 * 4 + number - arena.home
            fits = needed <= 0 or 0 <= at <= SIZE - needed
            said = arena.attempt(code)
            if bool(said) == fits or (said and not _FAULT.fullmatch(said)):
                wrong.append(
                    f"{records:#x} of {stride:#x} at {base:#x} + {number:#x}: "
                    f"{said or 'was allowed'}"
                )
    assert not wrong, "\n".join(wrong[:12])


# Text, the registers that a number in s21 chooses, and how many there are.
Relative = tuple[str, Callable[[int], list[int]], int]
BY_M0 = "s_mov_b32 m0, s21\n"
INDEXED = "s_set_gpr_idx_on s21, gpr_idx({})\nv_mov_b32_e32 {}, v8\ns_set_gpr_idx_off"
SCALAR_RELATIVE: list[Relative] = [
    (BY_M0 + "s_movrels_b32 s40, s8", lambda n: [8 + n], 106),
    (BY_M0 + "s_movrels_b64 s[40:41], s[8:9]", lambda n: [9 + n], 106),
    (BY_M0 + "s_movreld_b64 s[90:91], s[8:9]", lambda n: [91 + n], 106),
]
RELATIVE: dict[str, list[Relative]] = {
    "gfx9": [
        (INDEXED.format("SRC0", "v120"), lambda n: [8 + n % 256], 256),
        (INDEXED.format("DST", "v200"), lambda n: [200 + n % 256], 256),
    ],
    "later": [
        (BY_M0 + "v_movrels_b32_e32 v120, v8", lambda n: [8 + n], 256),
        (BY_M0 + "v_movreld_b32_e32 v200, v8", lambda n: [200 + n], 256),
        (BY_M0 + "v_swaprel_b32 v8, v200", lambda n: [8 + (n >> 16) % 1024, 200 + n % 1024], 256),
    ],
}


def test_registers_chosen_by_a_number_are_registers(arena: Arena) -> None:
    cases = RELATIVE["gfx9" if arena.generation == "gfx9" else "later"] + SCALAR_RELATIVE
    for (text, chosen, count), code in zip(
        cases, arena.assemble([text for text, *_ in cases]), strict=False
    ):
        for number in (
            0,
            4,
            14,
            15,
            55,
            56,
            96,
            98,
            247,
            248,
            255,
            256,
            0x3FF,
            2**16,
            2**31,
            2**32 - 200,
            2**32 - 8,
            2**32 - 1,
        ):
            arena.state.s[21] = number
            said = arena.attempt(code)
            exist = all(register < count for register in chosen(number))
            assert exist == (not said) and (exist or "register that does not exist" in said), (
                f"{text} by {number:#x}: {said}"
            )


def test_jumps_lead_to_instructions_only(arena: Arena) -> None:
    texts = ["s_setpc_b64 s[8:9]", "s_swappc_b64 s[40:41], s[8:9]"]
    for text, code in zip(texts, arena.assemble(texts), strict=False):
        for address in [*EDGES, arena.home]:
            arena.state.set_mask(BASE, address)
            assert arena.attempt(code) == "jumps to a place that is no instruction", (
                f"{text} to {address:#x}"
            )


def test_the_last_registers_take_no_more_than_there_are(arena: Arena) -> None:
    """Wide operands end with the last register; none begins so late that it would not."""
    load = "global_load_dwordx4" if arena.generation == "gfx9" else "global_load_b128"
    (code,) = arena.assemble([f"{load} v[252:255], v[4:5], off"])
    arena.set_vector(np.full(64, arena.home, dtype=_U64))
    assert arena.attempt(code) == ""
    assert int(arena.state.v[255, 3]) == arena.word(arena.state.memory, 12)
    assert all(
        isinstance(found, str)
        for found in arena.probe.assemble([f"{load} v[253:256], v[4:5], off"], arena.wave_size)
    )
