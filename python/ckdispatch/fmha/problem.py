# SPDX-License-Identifier: MIT
"""What a caller wants of an attention, independent of any kernel: for Python, and for C; ``words``
has it in words.
"""

from __future__ import annotations

import ctypes
import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from ckdispatch.arguments import fits, in_range, members, truth, whole
from ckdispatch.errors import InvalidArgument
from ckdispatch.fmha.structure import (
    BIASES,
    LAYOUTS,
    MASKS,
    PLACES,
    ROTARIES,
    STRIDED,
    STRUCTURES,
    TENSORS,
    FmhaStructure,
)
from ckdispatch.problem import Problem, c_text, check_numbers, check_words
from ckdispatch.wording import quoted

__all__ = ["STRIDED_TENSORS", "STRUCTURES", "Extents", "FmhaProblem", "Strides", "packed_strides"]

_NUMBERS = (
    *(
        "batch",
        "seqlen_q",
        "seqlen_k",
        "heads_q",
        "heads_k",
        "hdim_q",
        "hdim_v",
        "total_q",
        "total_k",
        "seqlen_new",
    ),
    *(
        "page_rows",
        "pages",
        "block_table_stride",
        "kv_page_count",
        "rotary_dim",
        "rotary_positions",
        "sink_tokens",
    ),
    *("splits", "decode_rows", "alignment"),
)
_TRUTHS = (
    *(
        "backward",
        "group",
        "sinks",
        "seeds_on_device",
        "lse",
        "randval",
        "dbias",
        "lengths_q",
        "lengths_k",
        "cache_index",
    ),
    "deterministic",
)
_FLOATS = ("scale", "soft_cap", "scale_p", "scale_o", "p_drop")
_CHOICES = {"mask": MASKS, "bias": BIASES, "rotary": ROTARIES, "layout": LAYOUTS}
_OF_O = {"fp8bf16": "bf16", "fp8fp32": "fp32"}
_WHAT = "an attention"


class Strides(NamedTuple):
    """Elements from one to the next; the last dimension is contiguous."""

    row: int
    head: int
    batch: int


class Extents(NamedTuple):
    """Of a tensor of the problem, in this order whatever its memory has."""

    batch: int
    row: int
    head: int
    last: int


@dataclass(frozen=True)
class FmhaProblem(Problem):
    """``o = softmax(cap(scale * q k') + bias) v`` for ``batch`` sequences, or with ``backward`` its
    gradients.

    q has ``heads_q`` heads, and those of k and v are shared by as many of them. ``seqlen_q`` and
    ``seqlen_k`` are the rows of each sequence, or the most that one has: with ``group`` they are
    packed one behind the other, ``total_q`` and ``total_k`` rows in all; with ``lengths_q`` and
    ``lengths_k`` tensors say how many of them count. ``mask`` is none, top_left or bottom_right,
    and ``window`` what a row keeps to the left and right of its diagonal, -1 for all; causal is
    (-1, 0). ``bias`` is none, elementwise or alibi.

    ``seqlen_new`` rows of keys are appended to a cache first, and rotated as ``rotary`` says. A
    cache of pages has ``page_rows`` keys in each of its ``pages``, listed in a table with room for
    ``block_table_stride`` of them, or in one list of ``kv_page_count``. ``splits`` is the number of
    parts of the keys, 0 to let the dispatcher choose. Packed sequences of up to ``decode_rows``
    rows may be computed apart from longer ones.

    Tensors are packed as ``layout`` has it, bshd or bhsd, unless ``strides`` has those of each: its
    name, and elements from row to row, from head to head and from sequence (or page) to sequence.
    """

    family: ClassVar[str] = "fmha"

    batch: int
    seqlen_q: int
    seqlen_k: int
    heads_q: int
    heads_k: int = 0
    hdim_q: int = 128
    hdim_v: int = 0
    dtype: str = "fp16"
    backward: bool = False
    group: bool = False
    total_q: int = 0
    total_k: int = 0
    mask: str = "none"
    window: tuple[int, int] = (-1, -1)
    scale: float = 0.0
    soft_cap: float = 0.0
    bias: str = "none"
    p_drop: float = 0.0
    seed: int = 0
    offset: int = 0
    seeds_on_device: bool = False
    lse: bool = False
    randval: bool = False
    dbias: bool = False
    sinks: bool = False
    sink_tokens: int = 0
    scale_p: float = 0.0
    scale_o: float = 0.0
    lengths_q: bool = False
    lengths_k: bool = False
    cache_index: bool = False
    seqlen_new: int = 0
    rotary: str = "none"
    rotary_dim: int = 0
    rotary_positions: int = 0
    page_rows: int = 0
    pages: int = 0
    block_table_stride: int = 0
    kv_page_count: int = 0
    splits: int = 0
    deterministic: bool = False
    decode_rows: int = 0
    layout: str = "bshd"
    strides: tuple[tuple[str, int, int, int], ...] | None = None
    alignment: int = 16
    workspace_limit: int | None = None

    def __post_init__(self) -> None:
        check_numbers(_WHAT, self, _NUMBERS)
        check_words(self, ("dtype", *_CHOICES))
        for name in _TRUTHS:
            self._set(name, truth(name, getattr(self, name)))
        for name in _FLOATS:
            self._set(name, _finite(name, getattr(self, name)))
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise InvalidArgument(
                    f"an attention was asked for with {name} = {quoted(getattr(self, name))}; it "
                    f"is one of {', '.join(choices)}"
                )
        for name in ("seed", "offset"):
            self._set(name, in_range(name, getattr(self, name), 0, 2**64 - 1))
        window = _window(self.window)
        self._set("window", window if self.mask != "none" else (-1, -1))
        # However they were given: equal problems are one key.
        self._set("heads_k", self.heads_k or self.heads_q)
        self._set("hdim_v", self.hdim_v or self.hdim_q)
        self._set("total_q", (self.total_q or self.batch * self.seqlen_q) if self.group else 0)
        self._set(
            "total_k",
            (self.total_k or self.batch * self.seqlen_k)
            if self.group and not self.page_rows
            else 0,
        )
        if self.workspace_limit is not None:
            check_numbers(_WHAT, self, ("workspace_limit",))
        given = self._present()
        self._set("_tensors", tuple(name for name in TENSORS if name in given))
        if self.strides is not None:
            self._set("strides", self._checked_strides())
        self.keep(_structure(self))

    __hash__ = Problem.__hash__

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    @property
    def tensors(self) -> tuple[str, ...]:
        """What a run takes, in this order: those of ``ckd_fmha.h`` that the problem has."""
        return self._tensors  # type: ignore[attr-defined, no-any-return]  # what a frozen dataclass derives is no field

    def placed(self, addresses: Sequence[int]) -> list[int]:
        """One for each of the header's tensors, 0 for those that the problem does not have."""
        found = [0] * len(TENSORS)
        for name, address in zip(self.tensors, addresses, strict=True):
            found[PLACES[name]] = address
        return found

    def _present(self) -> set[str]:
        has = {
            "q k v o": True,
            "bias": self.bias != "none",
            "lse": self.lse or self.backward,
            "randval": self.randval,
            "k_new v_new": self.seqlen_new != 0,
            "rotary_cos rotary_sin": self.rotary != "none",
            "sink": self.sinks,
            "d_o dq dk dv": self.backward,
            "dbias": self.dbias,
            "seqstart_q": self.group,
            "seqstart_k": self.group and not self.page_rows,
            "seqlen_q": self.lengths_q,
            "seqlen_k": self.lengths_k,
            "block_table": self.block_table_stride != 0,
            "kv_indptr kv_pages": self.kv_page_count != 0,
            "cache_index": self.cache_index,
            "drop_seed drop_offset": self.seeds_on_device,
        }
        return {name for names, present in has.items() if present for name in names.split()}

    def extents(self, name: str) -> Extents:
        """Of one of its tensors that hold numbers of floats."""
        packed = self.group
        batch, rows = (1, self.total_q) if packed else (self.batch, self.seqlen_q)
        if name in ("q", "dq"):
            return Extents(batch, rows, self.heads_q, self.hdim_q)
        if name in ("o", "d_o"):
            return Extents(batch, rows, self.heads_q, self.hdim_v)
        if name == "lse":
            return Extents(batch, rows, self.heads_q, 1)
        if name == "bias" and self.bias == "alibi":
            return Extents(self.batch, 1, self.heads_q, 1)
        if name in ("bias", "dbias", "randval"):
            return Extents(batch, rows, self.heads_q, self.seqlen_k)
        last = self.hdim_v if name.strip("d").startswith("v") else self.hdim_q
        if name.endswith("_new"):
            return Extents(self.batch, self.seqlen_new, self.heads_k, last)
        if self.page_rows:
            return Extents(self.pages, self.page_rows, self.heads_k, last)
        of_cache = self.pages if self.cache_index and self.pages else self.batch
        return Extents(
            *((1, self.total_k) if packed else (of_cache, self.seqlen_k)), self.heads_k, last
        )

    def strides_of(self, name: str) -> Strides:
        """Of one of ``STRIDED_TENSORS``: as they were given, or packed."""
        for one in self.strides or ():
            if one[0] == name:
                return Strides(*one[1:])
        return packed_strides(self.extents(name), name, self.layout)

    def spans(self) -> tuple[int, ...]:
        """Elements of each tensor in memory, from the first to the last."""
        return tuple(self._span(name) for name in self.tensors)

    def _span(self, name: str) -> int:
        if name in STRIDED_TENSORS:
            extents, strides = self.extents(name), self.strides_of(name)
            if 0 in extents:
                return 0
            steps = zip(extents, (strides.batch, strides.row, strides.head, 1), strict=True)
            return 1 + sum((extent - 1) * stride for extent, stride in steps)
        return {
            "rotary_cos": self.rotary_positions * (self.rotary_dim // 2),
            "rotary_sin": self.rotary_positions * (self.rotary_dim // 2),
            "sink": self.heads_q,
            "block_table": self.batch * self.block_table_stride,
            "kv_pages": self.kv_page_count,
            "drop_seed": 2,
            "drop_offset": 2,
        }.get(name, self.batch + (name in ("seqstart_q", "seqstart_k", "kv_indptr")))

    def dtypes(self, spec: Mapping[str, Any]) -> tuple[str, ...]:
        """That of each tensor. Seeds on the device are numbers of 64 bits: two of int32."""
        return tuple(self.dtype_of(name) for name in self.tensors)

    def dtype_of(self, name: str) -> str:
        of_q = "fp8" if self.dtype.startswith("fp8") else self.dtype
        if name in ("lse", "sink") or (name == "bias" and (self.bias == "alibi" or of_q == "fp8")):
            return "fp32"
        if name == "randval":
            return "int8"
        if PLACES[name] >= PLACES["seqstart_q"]:
            return "int32"
        return _OF_O.get(self.dtype, of_q) if name == "o" else of_q

    @property
    def flops(self) -> float:
        """Of the products: two forward, five backward; a causal mask leaves about half of each."""
        scores = float(self.batch * self.heads_q) * self.kept_scores
        each = self.hdim_q + self.hdim_v if not self.backward else 3 * self.hdim_q + 2 * self.hdim_v
        return 2.0 * scores * each

    @property
    def kept_scores(self) -> float:
        """Of one head of a sequence of the greatest length."""
        rows, keys = self.seqlen_q, self.seqlen_k
        if self.mask == "none":
            return float(rows * keys)
        left, right = (math.inf if side < 0 else side for side in self.window)
        shift = keys - rows if self.mask == "bottom_right" else 0
        # The sum of a row's keys changes its slope four times at most; rows are sampled where there
        # are very many.
        step = max(1, rows // 4096)
        kept = sum(
            max(0, min(keys, i + shift + right + 1) - max(0, i + shift - left))
            for i in range(0, rows, step)
        )
        return float(kept) * step

    @classmethod
    def parse(cls, text: str) -> FmhaProblem:
        """The problem of a command line: ``fmha 2x130x270 h8/2 d128 fp16 causal``."""
        from ckdispatch.fmha.words import parsed

        return cls(**parsed(text))

    @property
    def text(self) -> str:
        """The problem as ``parse`` reads it, without what is the default."""
        from ckdispatch.fmha.words import written

        return written(self)

    def _checked_strides(self) -> tuple[tuple[str, int, int, int], ...]:
        wanted = [name for name in self.tensors if name in STRIDED_TENSORS]
        given = members(self.strides) or ()
        rows = [members(one) or () for one in given]
        if [row[:1] for row in rows] != [(name,) for name in wanted] or any(
            len(row) != 4 or any(whole(one) is None or not fits(one) for one in row[1:])
            for row in rows
        ):
            raise InvalidArgument(
                f"an attention was asked for with strides = {quoted(self.strides)}; they are None, "
                f"or of each of {', '.join(wanted)} its "
                "name and three whole numbers: from row to row, "
                "from head to head and from sequence to sequence"
            )
        return tuple((row[0], *(operator.index(one) for one in row[1:])) for row in rows)


STRIDED_TENSORS = frozenset(
    (
        "q",
        "k",
        "v",
        "o",
        "bias",
        "lse",
        "randval",
        "k_new",
        "v_new",
        "d_o",
        "dq",
        "dk",
        "dv",
        "dbias",
    )
)
"""What ``strides`` is for."""


def packed_strides(extents: Extents, name: str, layout: str) -> Strides:
    """Without gaps: heads before rows in what has scores, else as ``layout`` has it."""
    batch, rows, heads, last = extents
    if name == "bias" and rows == last == 1:  # slopes
        return Strides(0, 1, heads)
    heads_first = layout == "bhsd" or name in ("bias", "lse", "randval", "dbias")
    row, head = (last, rows * last) if heads_first else (heads * last, last)
    return Strides(row, head, rows * heads * last if batch > 1 else 0)


def _finite(name: str, given: Any) -> float:
    try:
        number = float(given)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(given, (bool, str)) or not math.isfinite(number):
        raise InvalidArgument(
            f"an attention was asked for with {name} = {quoted(given)}; it is a finite number"
        )
    return ctypes.c_float(number).value


def _window(given: Any) -> tuple[int, int]:
    sides = members(given)
    numbers = [whole(side) for side in sides] if sides is not None else []
    if len(numbers) != 2 or any(side is None or not fits(side) for side in numbers):
        raise InvalidArgument(
            f"an attention was asked for with window = {quoted(given)}; it is a pair of whole "
            "numbers, of keys to the left "
            "and to the right of the diagonal, -1 for all"
        )
    left, right = (max(-1, side) for side in numbers if side is not None)
    return left, right


def _structure(problem: FmhaProblem) -> FmhaStructure:
    alike = ("backward", "group", *_NUMBERS, *_FLOATS, "sinks", "deterministic")
    structure = FmhaStructure(
        dtype=c_text(problem.dtype),
        **{name: getattr(problem, name) for name in alike if name != "splits"},
        **{name: choices.index(getattr(problem, name)) for name, choices in _CHOICES.items()},
        **{
            f"has_{name}": getattr(problem, name)
            for name in ("lse", "randval", "dbias", "cache_index")
        },
        has_seqlen_q=problem.lengths_q,
        has_seqlen_k=problem.lengths_k,
        window_left=problem.window[0],
        window_right=problem.window[1],
        drop_seed=problem.seed,
        drop_offset=problem.offset,
        drop_on_device=problem.seeds_on_device,
        split_kv=problem.splits,
        workspace_limit=problem.workspace_limit or 0,
    )
    if problem.strides is not None:
        structure.layout = STRIDED
        for name, *strides in problem.strides:
            place = structure.strides[PLACES[name]]
            place.row, place.head, place.batch = strides
    return structure
