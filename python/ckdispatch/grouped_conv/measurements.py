# SPDX-License-Identifier: MIT
"""Tables of others with times of convolutions: kernels by their tile and pipeline, as AMD's
generator names them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod

from ckdispatch.config.values import arch_specs
from ckdispatch.errors import InvalidArgument
from ckdispatch.grouped_conv.config import GroupedConvConfig
from ckdispatch.grouped_conv.problem import GroupedConvProblem
from ckdispatch.measurements.glitches import UNEXPLAINED, UNLIKE_ITS_EQUALS, glitches, shares
from ckdispatch.measurements.importer import Imported, Importer
from ckdispatch.measurements.row import IMPORTED, Row
from ckdispatch.measurements.sheet import Line, Sheet
from ckdispatch.problem import Problem
from ckdispatch.wording import quoted

Triple = tuple[int, int, int]

MOSTLY_ZERO = 0.5
"""The share of outputs that are not zero below which a kernel is taken not to have computed its
problem.
"""

GENERATED: dict[Triple, tuple[Triple, Triple]] = {
    (16, 64, 64): ((1, 4, 1), (16, 16, 16)),
    (32, 64, 64): ((2, 2, 1), (16, 16, 16)),
    (64, 64, 64): ((4, 1, 1), (16, 16, 16)),
    (32, 128, 64): ((1, 4, 1), (32, 32, 16)),
    (64, 128, 64): ((2, 2, 1), (32, 32, 16)),
    (128, 128, 64): ((4, 4, 1), (32, 32, 16)),
    (16, 64, 128): ((1, 4, 1), (16, 16, 32)),
    (32, 64, 128): ((2, 2, 1), (16, 16, 32)),
    (64, 64, 128): ((4, 1, 1), (16, 16, 32)),
    (128, 64, 128): ((8, 2, 1), (16, 16, 32)),
}
"""Waves and warp tile of each tile that AMD's generator makes."""

VECTORS: Triple = (4, 8, 8)
"""What all of those kernels load of A and B, and store of C, at a time."""

_SIZES = ("n", "g", "c", "k", "hi", "wi", "y", "x", "stride_h", "stride_w", "pad_h", "pad_w")
_TILE = ("tile_m", "tile_n", "tile_k")
_TIME = "latency_us"

_SPELLINGS = {
    "waves": (("waves_m", "waves_n", "waves_k"), ("wave_m", "wave_n", "wave_k"), ("waves",)),
    "warp_tile": (
        ("warp_m", "warp_n", "warp_k"),
        ("warp_tile_m", "warp_tile_n", "warp_tile_k"),
        ("warp_tile",),
    ),
    "vector": (
        ("vector_a", "vector_b", "vector_c"),
        ("vector_size_a", "vector_size_b", "vector_size_c"),
        ("vectors",),
        ("vector",),
    ),
}
"""Columns that say a field of kernels: three numbers, or one word such as 4x8x8."""


@dataclass(frozen=True)
class _Named:
    """A kernel as the table names it. What the table does not say is None."""

    dtype: str
    tile: Triple
    pipeline: str
    waves: Triple | None
    warp_tile: Triple | None
    vector: Triple | None

    @property
    def in_full(self) -> bool:
        """A table that says more than tile and pipeline is taken at its word."""
        return not (self.waves is None and self.warp_tile is None and self.vector is None)


@dataclass(frozen=True)
class _Time:
    """A line of the table."""

    line: int
    name: _Named
    row: Row


def _rows(sheet: Sheet) -> Imported:
    spelled = {field: _spelling(sheet, field) for field in _SPELLINGS}
    problems: dict[str, str] = {}
    times: list[_Time] = []
    zero: list[int] = []
    for line in sheet.lines():
        problem = _problem(line)
        case = line.word("problem")
        if problems.setdefault(case, problem.text) != problem.text and case:
            line.refuse(
                "problem",
                f"the problem {quoted(case)} is {problem.text} here, "
                f"and was {problems[case]} above",
            )
        name = _name(line, spelled)
        row = Row(
            family=GroupedConvProblem.family,
            problem=problem.text,
            kernel=_kernel(line, name),
            microseconds=line.microseconds(_TIME),
            provenance=IMPORTED,
            case=case,
            gpu=line.word("gpu"),
            compute_units=line.whole("compute_units", 1) if line.has("compute_units") else None,
            source=f"sha256:{sheet.sha256}",
        )
        if _mostly_zero(line, problem):
            zero.append(line.number)
        else:
            times.append(_Time(line.number, name, row))
    return _without_glitches(times, zero)


def _without_glitches(times: Sequence[_Time], zero: list[int]) -> Imported:
    cases = [one.row.group for one in times]
    kernels = [one.row.kernel for one in times]
    odd = (
        glitches(
            [one.row.microseconds for one in times], cases, [one.name for one in times], kernels
        )
        if times
        else ()
    )
    kept = [one for one, glitch in zip(times, odd, strict=True) if not glitch]
    weights = shares([(one.row.group, one.row.kernel) for one in kept])
    why = (
        f"they took more than {UNEXPLAINED:g} times what problem and kernel explain, "
        f"or {UNLIKE_ITS_EQUALS:g} times what the same kernel took for the same problem"
    )
    out = {
        "most of their outputs are zero": zero,
        why: [one.line for one, glitch in zip(times, odd, strict=True) if glitch],
    }
    return Imported(
        [
            (one.line, replace(one.row, weight=weight))
            for one, weight in zip(kept, weights, strict=True)
        ],
        {reason: lines for reason, lines in out.items() if lines},
    )


def _problem(line: Line) -> GroupedConvProblem:
    """Its channels are those of all groups."""
    sizes = {name: line.whole(name, 0 if name.startswith("pad") else 1) for name in _SIZES}
    for name in ("dilation_h", "dilation_w"):
        sizes[name] = line.whole(name, 1) if line.has(name) else 1
    for name in "ck":
        if sizes[name] % sizes["g"]:
            line.refuse(name, f"{sizes[name]} channels cannot be divided among {sizes['g']} groups")
    try:
        return _convolution(_dtype(line), **sizes)
    except InvalidArgument as error:
        line.refuse("n", str(error))


@lru_cache(maxsize=1 << 14)
def _convolution(dtype: str, **of: int) -> GroupedConvProblem:
    pads = (of["pad_h"], of["pad_w"])
    return GroupedConvProblem(
        of["n"],
        of["g"],
        of["c"] // of["g"],
        of["k"] // of["g"],
        (of["hi"], of["wi"]),
        (of["y"], of["x"]),
        stride=(of["stride_h"], of["stride_w"]),
        dilation=(of["dilation_h"], of["dilation_w"]),
        left_pad=pads,
        right_pad=pads,
        dtype=dtype,
    )


def _dtype(line: Line) -> str:
    return line.one_of("dtype", tuple(arch_specs().dtypes)) if line.has("dtype") else "bf16"


def _mostly_zero(line: Line, problem: GroupedConvProblem) -> bool:
    outputs = problem.spans()[2]
    if line.has("outputs") and line.whole("outputs", 1, 2**62) != outputs:
        line.refuse("outputs", f"{line.word('outputs')} are said, and {problem.text} has {outputs}")
    return line.has("non_zero") and line.whole("non_zero", 0, 2**62) < MOSTLY_ZERO * outputs


def _spelling(sheet: Sheet, field: str) -> tuple[str, ...]:
    """The columns that say a field; none if the table does not say it."""
    for columns in _SPELLINGS[field]:
        there = [name for name in columns if name in sheet.places]
        if len(there) == len(columns):
            return columns
        if there:
            missing = ", ".join(name for name in columns if name not in there)
            raise sheet.wrong(
                f"it has the column {there[0]} and lacks {missing}; "
                f"the three say the {field} of a kernel together"
            )
    return ()


def _name(line: Line, spelled: dict[str, tuple[str, ...]]) -> _Named:
    said = {
        field: _triple(line, columns) if columns else None for field, columns in spelled.items()
    }
    return _Named(_dtype(line), _triple(line, _TILE), line.word("pipeline"), **said)


def _triple(line: Line, columns: Sequence[str]) -> Triple:
    if len(columns) == 1:
        parts = line.word(columns[0]).split("x")
        if len(parts) != 3 or not all(
            part.isascii() and part.isdigit() and len(part) < 10 for part in parts
        ):
            line.refuse(
                columns[0], f"{quoted(line.word(columns[0]))} is no three numbers such as 4x8x8"
            )
        first, second, third = map(int, parts)
        return first, second, third
    first, second, third = (line.whole(name, 1) for name in columns)
    return first, second, third


def _kernel(line: Line, name: _Named) -> str:
    if not name.pipeline:
        line.refuse("pipeline", "an empty cell is no pipeline; write one such as compv3")
    tile = as_compiled(name.tile, name.pipeline) if not name.in_full else name.tile
    waves, warp_tile = name.waves, name.warp_tile
    if waves is None or warp_tile is None:
        if tile not in GENERATED:
            known = ", ".join("x".join(map(str, one)) for one in GENERATED)
            line.refuse(
                "tile_m",
                f"what waves and warp tile a kernel of the tile {'x'.join(map(str, tile))} has is "
                f"not known; known are {known}, "
                "or add the columns waves_m, waves_n, waves_k, warp_m, warp_n, warp_k",
            )
        waves, warp_tile = waves or GENERATED[tile][0], warp_tile or GENERATED[tile][1]
    try:
        return _kernel_name(
            name.dtype, tile, name.pipeline, waves, warp_tile, name.vector or VECTORS
        )
    except InvalidArgument as error:
        line.refuse("pipeline", str(error))


def as_compiled(tile: Triple, pipeline: str) -> Triple:
    """The tile that a kernel really has which AMD's generator calls by ``tile``.

    Its compv4 kernels of one tile m take the same time on every problem whatever the rest of their
    names says, and the steps of that time are those of 64 columns and at most 64 rows. So they are
    one kernel.
    """
    return (min(tile[0], 64), 64, 128) if pipeline == "compv4" else tile


@lru_cache(maxsize=1 << 12)
def _kernel_name(
    dtype: str, tile: Triple, pipeline: str, waves: Triple, warp_tile: Triple, vector: Triple
) -> str:
    config = GroupedConvConfig(
        ndim_spatial=2,
        dtype=dtype,
        tile=tile,
        waves=waves,
        warp_tile=warp_tile,
        pipeline=pipeline,
        vector=vector,
    )
    return config.name


IMPORTERS = (
    Importer("convolutions by tile and pipeline", (*_SIZES, *_TILE, "pipeline", _TIME), _rows),
)

KINDS: dict[str, Callable[[Problem], bool]] = {
    "filters of one position": lambda problem: (
        isinstance(problem, GroupedConvProblem) and prod(problem.sizes.filter) == 1
    )
}

GROUPED_BY = "problem"


def group_of(problem: Problem) -> str:
    """Layers of the same sizes are the same problem, however often they were measured."""
    return problem.text


SERVED = ("variant", "ndim_spatial", "dtype_x", "dtype_w", "dtype_y", "dtype_acc", "layout")
