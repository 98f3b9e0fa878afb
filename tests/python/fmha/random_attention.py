# SPDX-License-Identifier: MIT
"""Random attentions as a caller would ask for them: operands, options,
and what is added to scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypedDict

import numpy as np
from ckdispatch.fmha.reference import Attention, alibi_slopes
from ckdispatch.reference.dtypes import numpy_dtype
from ckdispatch.reference.formats import round_to
from numpy.typing import NDArray

HEADS = ((1, 1), (2, 2), (2, 1), (4, 2), (3, 1), (6, 3), (8, 2))
FEATURES = ("plain", "plain", "bias", "alibi", "soft_cap", "dropout", "sink", "sink_tokens")


class Added(TypedDict, total=False):
    """Arguments of the reference that change scores."""

    bias: NDArray[Any]
    slopes: NDArray[Any]
    sink: NDArray[Any]


@dataclass(frozen=True, eq=False)
class RandomAttention:
    """A batch [batch, rows, heads, hdim] of sequences of one length, or packed ones [all rows,
    heads, hdim] with their starts.
    """

    q: NDArray[Any]
    k: NDArray[Any]
    v: NDArray[Any]
    d_o: NDArray[Any]
    options: Attention
    starts: tuple[NDArray[np.int32], NDArray[np.int32]] | None
    added: Added

    def sequences(self) -> list[tuple[Any, Any, int]]:
        """For each sequence: where its rows are, where its keys, and its number."""
        if self.starts is None:
            return [(i, i, i) for i in range(len(self.q))]
        ranges = [[slice(a, b) for a, b in pairwise(one)] for one in self.starts]
        return [(rows, keys, i) for i, (rows, keys) in enumerate(zip(*ranges, strict=True))]


def random_length(random: np.random.Generator, longest: int) -> int:
    """Often short, sometimes nothing, and often a multiple of 64."""
    most = int(random.choice([4, longest // 4, longest]))
    length = int(random.integers(0 if random.random() < 0.1 else 1, max(2, most + 1)))
    return min(longest, -(-length // 64) * 64) if random.random() < 0.2 else length


def random_attention(
    random: np.random.Generator,
    dtype: str,
    longest: int = 100,
    *,
    group: bool | None = None,
    features: tuple[str, ...] = FEATURES,
) -> RandomAttention:
    """One with lengths up to ``longest``."""
    kind = numpy_dtype(dtype)
    heads_q, heads_k = HEADS[int(random.integers(len(HEADS)))]
    hdim_q, hdim_v = int(random.choice([8, 32, 40, 64])), int(random.choice([8, 32, 64]))
    batch = int(random.integers(1, 4))
    is_group = random.random() < 0.5 if group is None else group
    lengths = [[random_length(random, longest) for _ in range(batch)] for _ in range(2)]
    shapes: list[tuple[int, ...]]
    if is_group:
        starts = tuple(np.cumsum([0, *one]).astype(np.int32) for one in lengths)
        shapes = [(int(starts[0][-1]), heads_q, hdim_q), (int(starts[1][-1]), heads_k, hdim_q)]
    else:
        starts = None
        shapes = [(batch, lengths[0][0], heads_q, hdim_q), (batch, lengths[1][0], heads_k, hdim_q)]
    shapes += [(*shapes[1][:-1], hdim_v), (*shapes[0][:-1], hdim_v)]
    q, k, v, d_o = (round_to(random.normal(size=shape), kind) for shape in shapes)
    options: dict[str, Any] = {}
    if random.random() < 0.3:
        options["scale"] = float(np.float32(random.uniform(0.02, 0.5)))
    if random.random() < 0.6:
        options["mask"] = str(random.choice(["top_left", "bottom_right", "bottom_right"]))
        options["window"] = random_window(random, longest)
    rows, keys = (q.shape[0], max([1, *lengths[1]])) if is_group else (q.shape[1], k.shape[1])
    added: Added = {}
    feature = features[int(random.integers(len(features)))]
    if feature == "bias":
        full = (heads_q, rows, keys) if is_group else (batch, heads_q, rows, keys)
        shape = [1 if random.random() < 0.3 and extent else extent for extent in full[:-1]] + [keys]
        added["bias"] = round_to(random.normal(size=shape), kind)
    elif feature == "alibi":
        slopes = alibi_slopes(heads_q)
        added["slopes"] = (
            slopes
            if random.random() < 0.5
            else (slopes * random.uniform(0.5, 1.5, (batch, 1))).astype(np.float32)
        )
    elif feature == "soft_cap":
        options["soft_cap"] = float(np.float32(random.uniform(1, 30)))
    elif feature == "dropout":
        drop = float(np.float32(random.choice([0.1, 0.25, 0.5])))
        options |= {
            "p_drop": drop,
            "seed": int(random.integers(2**63)),
            "offset": int(random.integers(2**63)),
        }
    elif feature == "sink":
        added["sink"] = random.normal(size=heads_q).astype(np.float32)
    elif feature == "sink_tokens" and "mask" in options:
        options["sink_tokens"] = int(random.integers(1, 9))
    return RandomAttention(q, k, v, d_o, Attention(**options), starts, added)  # type: ignore[arg-type]  # two starts, or none


def random_window(random: np.random.Generator, longest: int) -> tuple[int, int]:
    """(left, right), often causal."""
    left, right = (int(random.integers(0, max(2, longest // 3))) for _ in range(2))
    choices = [(-1, 0), (-1, 0), (left, right), (left, 0), (-1, right), (left, -1), (-1, -1)]
    return choices[int(random.integers(len(choices)))]
