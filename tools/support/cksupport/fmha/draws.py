# SPDX-License-Identifier: MIT
"""What random problems of all attention kernels have in common: lengths, heads, features and
operands.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from ckarch import load_specs
from ckdispatch.fmha.reference import Attention, alibi_slopes
from ckdispatch.reference.dtypes import fp8_encoding, numpy_dtype
from ckdispatch.reference.formats import round_to
from numpy.typing import NDArray

from cksupport.fmha.memory import Tensor, filled, laid_out, plain

HEADS = ((1, 1), (2, 2), (2, 1), (4, 2), (3, 1), (6, 3), (5, 5), (8, 1))
FP32 = np.dtype(np.float32)
_PACKED_BY_STARTS = ("batch_prefill", "combine", "pagedkv", "splitkv")
"""Variants whose packed sequences have no rows behind those that count."""
_WHOLE = 128


@dataclass
class Draw:
    """A random problem of one kernel while it is made."""

    spec: dict[str, Any]
    random: np.random.Generator
    dtype: np.dtype[Any]
    o_dtype: np.dtype[Any]
    heads_q: int
    heads_k: int
    hdim_q: int
    hdim_v: int
    rows: list[int]
    keys: list[int]
    room_q: list[int]
    room_k: list[int]
    has_seqlen_q: bool
    has_seqlen_k: bool
    flushes: bool = False
    fields: dict[str, Any] = field(default_factory=dict)
    tensors: dict[str, Tensor] = field(default_factory=dict)
    strides: dict[str, dict[str, int]] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    added: dict[str, Any] = field(default_factory=dict)

    @property
    def is_group(self) -> bool:
        return bool(self.spec["mode"] == "group")

    @property
    def batch(self) -> int:
        return len(self.rows)

    @property
    def longest_q(self) -> int:
        return max(self.rows if self.is_group else self.room_q)

    @property
    def longest_k(self) -> int:
        return max(self.keys if self.is_group else self.room_k)

    def chance(self, share: float) -> bool:
        return bool(self.random.random() < share)

    def put(self, name: str, tensor: Tensor, axes: str) -> Tensor:
        """A tensor of the problem; ``axes`` has a letter of r(ow), h(ead), b(atch), p(art) or a dot
        for each axis.
        """
        self.tensors[name] = tensor
        names = {"r": "row", "h": "head", "b": "batch", "p": "part"}
        self.strides[name] = {
            names[axis]: stride
            for axis, stride in zip(axes, tensor.strides, strict=True)
            if axis in names
        }
        return tensor

    def rows_tensor(
        self, name: str, side: str, heads: int, hdim: int, dtype: np.dtype[Any] | None = None
    ) -> Tensor:
        """[batch, rows, heads, hdim], or packed [all rows, heads, hdim], in one of several orders
        and with gaps.
        """
        room = self.room_q if side == "q" else self.room_k
        loose = 0 if self.chance(0.5) else (1 if self.chance(0.05) else 8)
        dtype = dtype or self.dtype
        if self.is_group:
            packed = (1, 0, 2) if self.chance(0.2) else None
            return self.put(
                name, laid_out(self.random, (sum(room), heads, hdim), dtype, packed, loose), "rh."
            )
        order = (0, 2, 1, 3) if self.chance(0.4) else None
        return self.put(
            name,
            laid_out(self.random, (self.batch, room[0], heads, hdim), dtype, order, loose),
            "brh.",
        )

    def scores_tensor(self, name: str, dtype: np.dtype[Any], columns: bool = True) -> Tensor:
        """[batch, heads_q, rows(, keys)], or packed [heads_q, all rows(, longest k)]."""
        tail = (max(1, self.longest_k),) if columns else ()
        loose = 0 if self.chance(0.6) else 4
        if self.is_group:
            packed = laid_out(
                self.random, (self.heads_q, sum(self.room_q), *tail), dtype, None, loose
            )
            return self.put(name, packed, "hr." if columns else "hr")
        shape = (self.batch, self.heads_q, self.room_q[0], *tail)
        order = None if columns or self.chance(0.7) else (1, 0, 2)
        return self.put(
            name, laid_out(self.random, shape, dtype, order, loose), "bhr." if columns else "bhr"
        )

    def logical(self, tensor: Tensor, side: str) -> NDArray[np.bool_]:
        """Which rows of a tensor of ``rows_tensor`` belong to sequences."""
        lengths, room = (self.rows, self.room_q) if side == "q" else (self.keys, self.room_k)
        if not self.is_group:
            return np.arange(room[0]) < np.array(lengths)[:, None]
        inside = np.concatenate(
            [np.arange(most) < length for length, most in zip(lengths, room, strict=True)]
            or [np.zeros(0, bool)]
        )
        return inside

    def operand(self, name: str, side: str, heads: int, hdim: int) -> Tensor:
        """Random numbers in all rows that count; the others stay NaN."""
        tensor = self.rows_tensor(name, side, heads, hdim)
        values = self.numbers(tensor.shape)
        inside = self.logical(tensor, side)
        return filled(
            tensor, np.where(inside[..., None, None], values, np.array(np.nan, self.dtype))
        )

    def numbers(self, shape: tuple[int, ...], size: float = 1.0) -> NDArray[Any]:
        if self.options.get("integers"):
            return self.random.integers(-2, 3, shape).astype(self.dtype)
        return round_to(
            self.random.normal(size=shape) * size * self.options.get("size", 1.0), self.dtype
        )

    def lengths(self) -> None:
        """The tensors that say how long sequences are."""
        if self.is_group:
            self.put("seqstart_q", plain(np.cumsum([0, *self.room_q]).astype(np.int32)), ".")
            if self.spec["variant"] != "batch_prefill":
                self.put("seqstart_k", plain(np.cumsum([0, *self.room_k]).astype(np.int32)), ".")
        if self.has_seqlen_q:
            self.put("seqlen_q", plain(np.array(self.rows, np.int32)), ".")
        if self.has_seqlen_k:
            self.put("seqlen_k", plain(np.array(self.keys, np.int32)), ".")
        self.fields |= {
            "batch": self.batch,
            "heads_q": self.heads_q,
            "heads_k": self.heads_k,
            "hdim_q": self.hdim_q,
            "hdim_v": self.hdim_v,
            "seqlen_q": self.longest_q,
            "seqlen_k": self.longest_k,
            "total_q": sum(self.room_q) if self.is_group else 0,
            "total_k": sum(self.room_k) if self.is_group else 0,
        }

    def features(self) -> None:
        """Scale, mask, bias, soft cap and dropout, in the problem and for the reference."""
        random = self.random
        options: dict[str, Any] = {}
        scale = (
            float(np.float32(1 / np.sqrt(self.hdim_q)))
            if self.chance(0.7)
            else float(np.float32(random.uniform(0.02, 0.3)))
        )
        options["scale"] = self.fields["scale"] = scale
        if self.spec["mask"]:
            mask = int(random.choice([0, 1, 2, 2]))
            some = [int(random.integers(0, end)) for end in (150, 100, 60)]
            windows = [(-1, 0), (-1, 0), (-1, -1), (some[0], some[1]), (some[2], 0)]
            left, right = windows[int(random.integers(len(windows)))] if mask else (-1, -1)
            self.fields |= {"mask": mask, "window_left": left, "window_right": right}
            options |= {"mask": ("none", "top_left", "bottom_right")[mask], "window": (left, right)}
        if self.spec["soft_cap"]:
            options["soft_cap"] = self.fields["soft_cap"] = float(np.float32(random.uniform(2, 40)))
        if self.spec["dropout"]:
            p_drop = float(np.float32(random.choice([0.0, 0.1, 0.2, 0.5, 0.9, random.random()])))
            seed, offset = (int(random.integers(0, 2**63)) for _ in range(2))
            options |= {"p_drop": p_drop, "seed": seed, "offset": offset}
            self.fields |= {"p_drop": p_drop, "drop_seed": seed, "drop_offset": offset}
            if self.chance(0.3):
                self.put("drop_seed", plain(np.array([seed], np.uint64)), ".")
                self.put("drop_offset", plain(np.array([offset], np.uint64)), ".")
                self.fields |= {"drop_seed": 1, "drop_offset": 2}
        if self.spec["scales"]:
            scale_p, scale_o = (
                float(random.choice([1.0, 64.0, 240.0])),
                float(np.float32(random.uniform(0.001, 0.1))),
            )
            options |= {"scale_p": scale_p, "scale_o": scale_o}
            self.fields |= {"scale_p": scale_p, "scale_o": scale_o}
        self._bias()
        self.options |= options

    def _bias(self) -> None:
        if self.spec["bias"] == "alibi":
            slopes = alibi_slopes(self.heads_q)
            if self.chance(0.5):
                slopes = (slopes * self.random.uniform(0.3, 1.5, (self.batch, 1))).astype(
                    np.float32
                )
                self.put("bias", plain(slopes), "bh")
            else:
                self.put("bias", plain(slopes), "h")
            self.added["slopes"] = slopes
        elif self.spec["bias"] == "elementwise":
            self.added["bias"] = self._elementwise()

    def _elementwise(self) -> NDArray[Any]:
        """A bias of which some extents are one, with the stride 0."""
        rows, columns = (
            (sum(self.room_q) if self.is_group else self.room_q[0]),
            max(1, self.longest_k),
        )
        full = (
            (self.heads_q, rows, columns)
            if self.is_group
            else (self.batch, self.heads_q, rows, columns)
        )
        one = [extent > 0 and self.chance(0.3) for extent in full[:-1]]
        shape = [1 if single else extent for single, extent in zip(one, full, strict=False)] + [
            columns
        ]
        dtype = FP32 if self.dtype.itemsize == 1 else self.dtype
        tensor = laid_out(self.random, shape, dtype, None, 0 if self.chance(0.5) else 8)
        values = self.random.normal(size=shape)
        if self.chance(0.3):
            values = with_minus_infinity(self.random, values, whole_rows=bool(self.spec["mask"]))
        filled(tensor, round_to(values, dtype))
        self.put("bias", tensor, "hr." if self.is_group else "bhr.")
        for axis, single in zip(
            ("head", "row") if self.is_group else ("batch", "head", "row"), one, strict=True
        ):
            if single:
                self.strides["bias"][axis] = 0
        return tensor.view

    def attention(self, **changes: Any) -> Attention:
        given = {
            name: value for name, value in self.options.items() if name not in ("integers", "size")
        }
        return Attention(**{"flushes": self.flushes, **given, **changes})

    def reference_lengths(self) -> dict[str, Any]:
        return {"seqlen_q": self.rows, "seqlen_k": self.keys}

    def starts(self) -> tuple[NDArray[Any], NDArray[Any]]:
        return np.cumsum([0, *self.room_q]), np.cumsum([0, *self.room_k])


def begin(spec: dict[str, Any], gpu: str, random: np.random.Generator, work: int) -> Draw:
    """Dtypes, sizes and lengths of a problem with at most ``work`` scores, or a few sequences of no
    more than that.
    """
    name = spec["dtype"]
    encoding = fp8_encoding(gpu) if name.startswith("fp8") else None
    dtype = numpy_dtype("fp8" if encoding else name, encoding)
    o_dtype = numpy_dtype(
        {"fp8bf16": "bf16", "fp8fp32": "fp32"}.get(name, "fp8" if encoding else name), encoding
    )
    heads_q, heads_k = HEADS[int(random.integers(len(HEADS)))]
    if spec["variant"] == "splitkv" and spec["merged"]:
        heads_q, heads_k = ((2, 1), (4, 2), (8, 1), (8, 2))[int(random.integers(4))]
    batch = int(random.choice([1, 1, 2, 3]))
    is_group = spec["mode"] == "group"
    most = max(16, work // (heads_q * batch))
    pairs = [_lengths_pair(random, most, spec) for _ in range(batch if is_group else 1)]
    padded = random.random() < 0.3
    rows, keys = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    pad_q, pad_k = map(bool, spec["pads"][:2])
    # Sequences with lengths of their own have any number of rows and keys.
    has_seqlen_q, has_seqlen_k = padded and random.random() < 0.7 and pad_q, padded and pad_k
    if is_group and spec["variant"] in _PACKED_BY_STARTS:
        has_seqlen_q = False
    if is_group:
        room_q, room_k = (
            [n + int(random.integers(0, 20)) if given else n for n in lengths]
            for lengths, given in ((rows, has_seqlen_q), (keys, has_seqlen_k))
        )
    else:
        room_q, room_k = rows * batch, keys * batch
        rows = [int(random.integers(0, n + 1)) if has_seqlen_q else n for n in room_q]
        keys = [int(random.integers(0, n + 1)) if has_seqlen_k else n for n in room_k]
    hdim_q, hdim_v = (
        _head_size(random, spec[side], pad)
        for side, pad in (("hdim_q", spec["pads"][2]), ("hdim_v", spec["pads"][3]))
    )
    draw = Draw(
        spec,
        random,
        dtype,
        o_dtype,
        heads_q,
        heads_k,
        hdim_q,
        hdim_v,
        rows,
        keys,
        room_q,
        room_k,
        has_seqlen_q,
        has_seqlen_k,
    )
    draw.flushes = load_specs().gpu(gpu).matrix_flushes_subnormals
    draw.options["integers"] = random.random() < 0.1
    draw.options["size"] = float(random.choice([0.5, 1.0, 1.0, 2.0]))
    return draw


def _lengths_pair(random: np.random.Generator, most: int, spec: dict[str, Any]) -> tuple[int, int]:
    def one() -> int:
        longest = int(random.choice([3, 40, 140, 300, 600]))
        length = int(random.integers(0 if random.random() < 0.15 else 1, longest + 1))
        return -(-length // 64) * 64 if random.random() < 0.25 else length

    rows, keys = one(), one()
    if (spec["variant"] in ("splitkv", "pagedkv") and random.random() < 0.5) or spec.get("merged"):
        rows = 1 if spec.get("merged") or random.random() < 0.5 else min(rows, 20)
    # Whole tiles, of which the largest have so many.
    step_q, step_k = (1 if pad else _WHOLE for pad in spec["pads"][:2])
    rows, keys = -(-rows // step_q) * step_q, -(-keys // step_k) * step_k
    while rows * keys > most and rows > step_q:
        rows = max(step_q, rows // 2 // step_q * step_q)
    return rows, keys


def _head_size(random: np.random.Generator, bucket: int, pad: int) -> int:
    if not pad or random.random() < 0.5:
        return bucket
    size = int(random.integers(bucket // 2 + 1, bucket + 1))
    return size if pad == 1 and random.random() < 0.15 else max(8, size // 8 * 8)


def with_minus_infinity(
    random: np.random.Generator, values: NDArray[Any], *, whole_rows: bool
) -> NDArray[Any]:
    """A bias as masks in the form of numbers are: keys that do not count, from the first on, and
    rows that keep none.
    """
    hidden = random.random(values.shape) < 0.3
    first = random.integers(0, values.shape[-1] + (1 if whole_rows else 0), values.shape[:-1])
    hidden |= np.arange(values.shape[-1]) < first[..., None]
    if not whole_rows:
        hidden[..., -1] = False
    return np.where(hidden, -np.inf, values)
