# SPDX-License-Identifier: MIT
"""The reference of attention says what torch computes on a CPU, and its gradients are those of
autograd.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from ckdispatch.fmha.reference import (
    Attention,
    backward,
    backward_varlen,
    forward,
    forward_varlen,
    keep_threshold,
    random_bytes,
)
from ckdispatch.reference.formats import round_to
from random_attention import FEATURES, RandomAttention, random_attention

PROBLEMS = 300
DTYPES = ("fp32", "fp16", "bf16")

# Problems are too small to share.
torch.set_num_threads(1)


def drawn(index: int) -> RandomAttention:
    random = np.random.default_rng(index)
    return random_attention(
        random, DTYPES[index % 3], 90, features=(FEATURES[index // 3 % len(FEATURES)],)
    )


def kept(options: Attention, rows: int, keys: int) -> torch.Tensor:
    """A mask as flash-attention's documentation has it, with a diagonal and a window to both of its
    sides.
    """
    if options.mask == "none":
        return torch.ones(rows, keys, dtype=torch.bool)
    left, right = options.window
    diagonal = torch.arange(rows)[:, None] + (keys - rows if options.mask == "bottom_right" else 0)
    column = torch.arange(keys)
    inside = torch.ones(rows, keys, dtype=torch.bool)
    if left >= 0:
        inside &= (column >= diagonal - left) | (column < options.sink_tokens)
    if right >= 0:
        inside &= column <= diagonal + right
    return inside


def added_to_scores(
    problem: RandomAttention, rows: Any, number: int, shape: tuple[int, int, int]
) -> torch.Tensor:
    """The bias of one sequence, [heads, rows, keys]."""
    bias, slopes = problem.added.get("bias"), problem.added.get("slopes")
    heads, length, keys = shape
    if bias is not None:
        full = (
            (heads, len(problem.q), bias.shape[-1])
            if problem.starts
            else (len(problem.q), heads, length, keys)
        )
        wide = np.broadcast_to(bias, full).astype(np.float64)
        return torch.from_numpy((wide[:, rows, :keys] if problem.starts else wide[number]).copy())
    if slopes is None:
        return torch.zeros(shape, dtype=torch.float64)
    wide = np.broadcast_to(
        slopes, (number + 1, heads) if slopes.ndim == 1 else slopes.shape
    ).astype(np.float64)
    slope = torch.from_numpy(wide[number].copy())[:, None, None]
    row, column = torch.arange(length)[:, None], torch.arange(keys)
    if problem.options.is_causal:
        return slope * column.expand(length, keys)
    shift = 0 if problem.options.mask == "top_left" else keys - length
    return -slope * (row + shift - column).abs()


def in_torch(
    problem: RandomAttention,
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    rows: Any,
    number: int,
) -> Any:
    """o [rows, heads, hdim_v] and lse [heads, rows] of one sequence, from operands that autograd
    follows, and what was added to scores.
    """
    options = problem.options
    q, k, v = (one.transpose(0, 1) for one in (q, k, v))
    heads, length, keys = len(q), q.shape[1], k.shape[1]
    added = (
        added_to_scores(problem, rows, number, (heads, length, keys)).to(q.dtype).requires_grad_()
    )
    scale = options.scale_of(q.shape[-1])
    mask = kept(options, length, keys)
    seen = mask.any(dim=-1)
    if (
        not options.soft_cap
        and not options.p_drop
        and "sink" not in problem.added
        and length
        and keys
    ):
        # torch's own attention, where it knows the feature; rows that see nothing are NaN in it.
        open_rows = torch.where(seen[:, None], mask, torch.ones_like(mask))
        biased = torch.where(open_rows, added, -torch.inf)
        o = torch.nn.functional.scaled_dot_product_attention(
            q[None], k[None], v[None], biased[None], scale=scale, enable_gqa=True
        )[0]
        o = torch.where(seen[:, None], o, torch.zeros_like(o))
        lse = None
    else:
        o = lse = None
    g = heads // len(k)
    scores = scale * q @ k.repeat_interleave(g, 0).transpose(-1, -2)
    if options.soft_cap:
        scores = options.soft_cap * torch.tanh(scores / options.soft_cap)
    scores = torch.where(mask, scores + added, -torch.inf)
    columns = scores
    if "sink" in problem.added:
        sink = (
            torch.from_numpy(problem.added["sink"])
            .to(q.dtype)[:, None, None]
            .expand(heads, length, 1)
        )
        columns = torch.cat([scores, sink], dim=-1)
    lse = (
        torch.logsumexp(columns, dim=-1)
        if columns.shape[-1]
        else torch.full((heads, length), -torch.inf, dtype=q.dtype)
    )
    if o is None:
        safe = torch.where(torch.isinf(lse), torch.zeros_like(lse), lse)
        share = torch.exp(scores - safe[..., None])
        if options.p_drop:
            bits = random_bytes(number, heads, length, keys, options.seed, options.offset)
            share = share * torch.from_numpy(
                np.where(bits <= keep_threshold(options.p_drop), options.kept, 0.0)
            ).to(q.dtype)
        o = share @ v.repeat_interleave(g, 0)
    return o.transpose(0, 1), lse, added


def by_torch(problem: RandomAttention, dtype: torch.dtype) -> dict[str, Any]:
    """Everything that torch has for a problem, as arrays in the shapes of the reference."""
    q, k, v = (
        torch.from_numpy(one.astype(np.float64)).to(dtype).requires_grad_()
        for one in (problem.q, problem.k, problem.v)
    )
    outputs, lses, added = [], [], []
    for rows, keys, number in problem.sequences():
        o, lse, bias = in_torch(problem, q[rows], k[keys], v[keys], rows, number)
        outputs.append(o)
        lses.append(lse)
        added.append(bias)
    packed = problem.starts is not None
    o = torch.cat(outputs) if packed else torch.stack(outputs)
    # The gradient of a number: that of a tensor would import more packages.
    (o * torch.from_numpy(problem.d_o.astype(np.float64)).to(dtype)).sum().backward()
    zero = [torch.zeros_like(one) if one.grad is None else one.grad for one in (q, k, v)]
    found = dict(zip(("dq", "dk", "dv"), (one.numpy() for one in zero), strict=True))
    found["o"] = o.detach().numpy()
    found["lse"] = (torch.cat(lses, dim=1) if packed else torch.stack(lses)).detach().numpy()
    found["dbias"] = [torch.zeros_like(one) if one.grad is None else one.grad for one in added]
    return found


def by_reference(problem: RandomAttention, **given: Any) -> tuple[Any, Any]:
    q, k, v, added = problem.q, problem.k, problem.v, dict[str, Any](problem.added)
    if problem.starts is not None:
        starts_q, starts_k = problem.starts
        made = forward_varlen(q, k, v, starts_q, starts_k, problem.options, **added)
        return made, backward_varlen(
            q, k, v, problem.d_o, starts_q, starts_k, problem.options, **added, **given
        )
    made = forward(q, k, v, problem.options, **added)
    return made, backward(q, k, v, problem.d_o, problem.options, **added, **given)


@pytest.mark.parametrize("third", range(3))
def test_values_and_gradients_are_those_of_torch(third: int) -> None:
    for index in range(third, PROBLEMS, 3):
        problem = drawn(index)
        found = by_torch(problem, torch.float64)
        made, gradients = by_reference(problem, o=found["o"], lse=found["lse"])
        for name, one in (
            ("o", made.o),
            ("lse", made.lse),
            *((name, getattr(gradients, name)) for name in ("dq", "dk", "dv")),
        ):
            told = f"{name} of problem {index}: {problem.options}"
            np.testing.assert_allclose(one.exact, found[name], rtol=1e-9, atol=1e-10, err_msg=told)
        for (rows, _, number), dbias in zip(problem.sequences(), found["dbias"], strict=True):
            own = (
                gradients.dbias.exact[:, rows, : dbias.shape[-1]]
                if problem.starts is not None
                else gradients.dbias.exact[number]
            )
            if not problem.options.soft_cap:
                np.testing.assert_allclose(
                    own, dbias.numpy(), rtol=1e-9, atol=1e-10, err_msg=f"dbias of problem {index}"
                )


def test_what_torch_computes_in_float32_is_within_the_tolerance() -> None:
    worst: dict[str, float] = {}
    for index in range(PROBLEMS):
        problem = drawn(index)
        found = by_torch(problem, torch.float32)
        made, gradients = by_reference(problem, o=found["o"], lse=found["lse"])
        for name, one in (
            ("o", made.o),
            ("lse", made.lse),
            *((name, getattr(gradients, name)) for name in ("dq", "dk", "dv")),
        ):
            comparison = one.compare(round_to(found[name], one.rounded.dtype))
            assert comparison, f"{name} of problem {index}, {problem.options}: {comparison}"
            if problem.q.dtype == np.float32 and one.exact.size:
                with np.errstate(invalid="ignore"):
                    error = np.abs(found[name] - one.exact)
                    share = np.where(
                        np.isfinite(one.exact) & (error > 0),
                        error / one.tolerance.bound(one.exact),
                        0.0,
                    )
                worst[name] = max(worst.get(name, 0.0), float(share.max()))
    # A tolerance that is never used to a fiftieth would hide mistakes.
    assert all(0.02 < one <= 1 for one in worst.values()) and len(worst) == 5, worst
