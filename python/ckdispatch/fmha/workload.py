# SPDX-License-Identifier: MIT
"""An attention on a device: random operands where its problem has them,
and its results compared.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ckdispatch.cli.operands import Launched, poisoned, random_operand
from ckdispatch.fmha.call import AttentionCall
from ckdispatch.fmha.options import Options
from ckdispatch.fmha.problem import STRIDED_TENSORS
from ckdispatch.fmha.reference import alibi_slopes
from ckdispatch.fmha.tables import Table
from ckdispatch.fmha.validation import Held, compared, reference_of

if TYPE_CHECKING:
    from ckdispatch.base_dispatcher import BaseDispatcher
    from ckdispatch.comparison import Comparison
    from ckdispatch.fmha.problem import FmhaProblem
    from ckdispatch.plan import Plan
    from ckdispatch.tensors.device_tensor import DeviceTensor

_WRITTEN = ("o", "lse", "randval", "dq", "dk", "dv", "dbias")


class FmhaWorkload(Launched):
    """The tensors of ``problem`` on the device. Sequences of their own lengths are of all lengths
    up to the longest.
    """

    def __init__(
        self,
        dispatcher: BaseDispatcher,
        problem: FmhaProblem,
        plan: Plan[FmhaProblem],
        seed: int | None,
    ) -> None:
        self.dispatcher, self.plan, self.problem = dispatcher, plan, problem
        # Lengths and pages decide what a launch does, so there is always something drawn.
        self.random = np.random.default_rng(seed or 0)
        tables = self._tables()
        self.call = AttentionCall(
            dispatcher,
            Options(),
            {},
            tables={name: Table(name, one.shape, one, None) for name, one in tables.items()},
        )
        memory: dict[str, DeviceTensor] = {}
        for name, span in zip(problem.tensors, problem.spans(), strict=True):
            memory[name] = self._filled(name, span)
            self.call.placed[name] = (
                self._seen(name, memory[name]) if name in STRIDED_TENSORS else memory[name]
            )
        if problem.backward:
            self._fill_results_of_forward()
        self.tensors = list(memory.values())

    @property
    def bytes(self) -> int:
        """Of all tensors, each counted once."""
        return sum(
            one.span * self.dispatcher.device.numpy_dtype(one.dtype).itemsize
            for one in self.tensors
        )

    def compare(self, on_device: bool = False) -> Comparison:
        """How the results of the last launch differ from the reference: the worst of them, with all
        elements counted.
        """
        found = list(compared(self.call, self.plan, on_device).values())
        worst = max(found, key=lambda one: (one.mismatch_count > 0, one.max_abs))
        return replace(
            worst,
            size=sum(one.size for one in found),
            mismatch_count=sum(one.mismatch_count for one in found),
        )

    def _written(self, name: str) -> bool:
        return name in _WRITTEN and not (self.problem.backward and name in ("o", "lse"))

    def _filled(self, name: str, span: int) -> DeviceTensor:
        device, dtype = self.dispatcher.device, self.problem.dtype_of(name)
        if self._written(name):
            return poisoned(self.dispatcher, (span,), dtype)
        if name in self.call.tables:
            values: NDArray[Any] = np.resize(self.call.tables[name].on_host.astype(np.int32), span)
        elif name == "bias" and self.problem.bias == "alibi":
            values = np.resize(alibi_slopes(self.problem.heads_q), span)
        elif name.startswith("drop_"):
            values = np.array(
                [self.problem.seed if name == "drop_seed" else self.problem.offset], np.uint64
            ).view(np.int32)
        elif name.startswith("rotary_"):
            values = random_operand(device, self.random, (span,), dtype)
            values = (np.cos if name.endswith("cos") else np.sin)(values.astype(np.float32)).astype(
                values.dtype
            )
        else:
            values = random_operand(device, self.random, (span,), dtype)
        tensor = self.dispatcher.empty((span,), dtype)
        tensor.write(values)
        return tensor

    def _seen(self, name: str, memory: DeviceTensor) -> DeviceTensor:
        """As a call has it, and the reference takes it."""
        problem = self.problem
        batch, rows, heads, last = problem.extents(name)
        strides = problem.strides_of(name)
        if name == "bias" and problem.bias == "alibi":
            return memory.seen_as((batch, heads), (strides.batch, 1))
        if name == "lse":
            axes = [(batch, strides.batch), (heads, strides.head), (rows, 1)]
        elif name in ("bias", "randval", "dbias"):
            axes = [(batch, strides.batch), (heads, strides.head), (rows, strides.row), (last, 1)]
        else:
            axes = [(batch, strides.batch), (rows, strides.row), (heads, strides.head), (last, 1)]
        if problem.group and not (problem.page_rows and name in "kv"):
            axes = axes[1:]
        return memory.seen_as(
            tuple(extent for extent, _ in axes), tuple(stride for _, stride in axes)
        )

    def _fill_results_of_forward(self) -> None:
        """What gradients read must belong together."""
        held = Held(self.call, self.plan)
        expected = reference_of(
            held, self.dispatcher.device.numpy_dtype(self.problem.dtype_of("o"))
        )
        for name, one in (("o", expected.o), ("lse", expected.lse)):
            self.call.placed[name].write(
                np.where(np.isnan(one.exact), np.zeros((), one.rounded.dtype), one.rounded)
            )

    def _tables(self) -> dict[str, NDArray[np.int64]]:
        p = self.problem
        found: dict[str, NDArray[np.int64]] = {}
        rows = _shared(p.total_q, p.batch, p.seqlen_q) if p.group else np.full(p.batch, p.seqlen_q)
        keys = (
            _shared(p.total_k, p.batch, p.seqlen_k)
            if p.group and not p.page_rows
            else np.full(p.batch, p.seqlen_k)
        )
        if p.group:
            found["seqstart_q"] = _starts(rows)
            if not p.page_rows:
                found["seqstart_k"] = _starts(keys)
        if p.lengths_q:
            found["seqlen_q"] = np.maximum(0, rows - 3 * np.arange(p.batch))
        if p.lengths_k:
            found["seqlen_k"] = np.maximum(0, keys - p.seqlen_new - 3 * np.arange(p.batch))
        if p.block_table_stride:
            order = self.random.permutation(max(1, p.pages))
            found["block_table"] = np.resize(order, (p.batch, p.block_table_stride)).astype(
                np.int64
            )
        if p.kv_page_count:
            found["kv_indptr"] = _starts(_shared(p.kv_page_count, p.batch, p.seqlen_k))
            found["kv_pages"] = self.random.integers(0, max(1, p.pages), p.kv_page_count)
        if p.cache_index:
            found["cache_index"] = self.random.permutation(max(p.pages, p.batch))[: p.batch].astype(
                np.int64
            )
        return found


def _shared(total: int, batch: int, most: int) -> NDArray[np.int64]:
    """``total`` rows for all, the first sequence as long as one may be."""
    found, left = [], total
    for behind in range(batch - 1, -1, -1):
        own = min(most, left) if behind + 1 == batch else min(most, -(-left // (behind + 1)))
        found.append(own)
        left -= own
    return np.array(found, np.int64)


def _starts(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
