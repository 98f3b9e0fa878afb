# SPDX-License-Identifier: MIT
"""What a call of ``gemm`` asks for, and the plan that serves it with the fewest changes."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ckdispatch.errors import InvalidArgument, NoKernel
from ckdispatch.gemm.operands import DTensor, Matrix, d_letters
from ckdispatch.gemm.problem import GemmProblem
from ckdispatch.gemm.weights import PreshuffledWeights
from ckdispatch.product.problem import CallOptions
from ckdispatch.tensors.memory import bytes_of
from ckdispatch.tensors.operands import check_out

if TYPE_CHECKING:
    from ckdispatch.base_dispatcher import BaseDispatcher
    from ckdispatch.plan import Plan


@dataclass
class GemmCall:
    """One call: its operands, and what has to be done to them."""

    dispatcher: BaseDispatcher
    a: Matrix
    b: Matrix
    c: Matrix | None
    options: CallOptions
    ds: list[DTensor] = field(default_factory=list)
    fused_op: str | None = None
    weights: PreshuffledWeights | None = None
    changes: list[str] = field(default_factory=list)

    @property
    def batch(self) -> int:
        given = {one.shape[0] for one in (self.a, self.b) if len(one.shape) == 3}
        if len(given) > 1:
            raise InvalidArgument(
                f"A of shape {self.a.shape} and B of shape {self.b.shape} have different batches"
            )
        return given.pop() if given else 1

    @property
    def batched(self) -> bool:
        return len(self.a.shape) == 3 or len(self.b.shape) == 3

    @property
    def sizes(self) -> tuple[int, int, int]:
        return self.a.rows, self.b.columns, self.a.columns

    @property
    def dtype_c(self) -> str | None:
        return self.options.dtype if self.c is None else self.c.dtype

    def problem(self, layout: str) -> GemmProblem:
        """Packed operands in that layout, which has a fourth letter for D tensors if there are any.

        Those that stay on the device keep their strides.
        """
        strides = [0, 0, 0]
        batch_strides: list[int | None] = [None, None, None]
        m, n, k = self.sizes
        packed = (m * k, k * n, m * n)
        for i, one in enumerate((self.a, self.b, self.c)):
            if one is None:
                continue
            shuffled = i == 1 and self.weights is not None
            if one.tensor is not None and not shuffled:
                strides[i] = one.leading(layout[i])
                batch_strides[i] = one.strides[0] if len(one.shape) == 3 else 0
            elif len(one.shape) == 2:
                batch_strides[i] = 0
        given: tuple[int, int, int] | None = None
        if self.batch > 1 and any(stride is not None for stride in batch_strides):
            pairs = zip(batch_strides, packed, strict=True)
            full = [size if stride is None else stride for stride, size in pairs]
            given = (full[0], full[1], full[2])
        of_ds = [one.strides(layout[3]) for one in self.ds]
        return GemmProblem(
            m,
            n,
            k,
            dtype=self.a.dtype,
            layout=layout[:3],
            dtype_b=self.b.dtype,
            dtype_c=self.dtype_c,
            batch=self.batch,
            stride_a=strides[0],
            stride_b=strides[1],
            stride_c=strides[2],
            batch_strides=given,
            split_k=self.options.split_k,
            deterministic=self.options.deterministic,
            alignment=self.alignment,
            fused_op=self.fused_op,
            d_count=len(of_ds),
            dtype_d=self.ds[0].operand.dtype if of_ds else None,
            d_layout=layout[3] if of_ds else "r",
            d_strides=tuple(stride for stride, _ in of_ds) if of_ds else None,
            d_batch_strides=tuple(stride for _, stride in of_ds) if of_ds else None,
            weights=self.weights.word if self.weights else None,
        )

    @property
    def alignment(self) -> int:
        """Bytes that the addresses of all tensors on the device are multiples of.

        Copies are aligned to any kernel's wish.
        """
        bits = 16
        for one in (self.a, self.b, self.c, *(d.operand for d in self.ds)):
            if one is not None and one.tensor is not None:
                size = self.dispatcher.device.numpy_dtype(one.dtype).itemsize
                apart = one.strides[0] if len(one.shape) == 3 else 0
                bits |= one.tensor.address | bytes_of(apart, one.dtype, size)
        return bits & -bits

    def layouts(self) -> list[str]:
        """The layout as given, and those that copying operands of the host would make.

        In the order of fewest copies.
        """
        offered = []
        for one in (self.a, self.b, self.c):
            letters = one.letters if one is not None else ("r",)
            if one is not None and one is self.b and self.weights is not None:
                offered.append(letters)
            elif one is not None and one.tensor is not None:
                if not letters:
                    raise InvalidArgument(
                        f"{one.name} is on the device with the strides {one.strides}; its rows or "
                        "its columns must be contiguous"
                    )
                offered.append(letters)
            else:
                offered.append(tuple(dict.fromkeys((*letters, "r", "c"))))
        if self.weights is not None:
            offered[2] = tuple(letter for letter in offered[2] if letter == "r")
        if self.ds:
            offered.append(tuple(d_letters(self.ds)))
        choices = ["".join(letters) for letters in itertools.product(*offered)]
        if not choices:
            raise InvalidArgument(
                "out is on the device with contiguous columns, and the product of preshuffled "
                "weights has contiguous rows"
            )
        natural = choices[0]
        return sorted(
            choices, key=lambda letters: sum(x != y for x, y in zip(letters, natural, strict=True))
        )

    def plan(self) -> Plan[GemmProblem]:
        """The best plan that needs the fewest changes: none, another layout on the host,
        padding.
        """
        layouts = self.layouts()
        remembered = self.dispatcher.remembered()
        key = (self.problem(layouts[0]), *layouts, self.options.pad)
        found: Plan[GemmProblem] | None = remembered.get(key)
        if found is None:
            found = remembered[key] = self._search(layouts)
        return found

    def _search(self, layouts: list[str]) -> Plan[GemmProblem]:
        first: NoKernel | None = None
        for pad in (False, True) if self.options.pad else (False,):
            for layout in layouts:
                try:
                    return self.dispatcher.plan(self.problem(layout), pad=pad)
                except NoKernel as error:
                    first = first or error
        assert first is not None
        raise first


def check_operands(call: GemmCall) -> None:
    """Raises ``InvalidArgument`` if shapes or dtypes do not belong together."""
    a, b, c = call.a, call.b, call.c
    if a.columns != b.rows:
        raise InvalidArgument(
            f"A of shape {a.shape} cannot be multiplied by B of shape {b.shape}: "
            "A's columns must be as many as B's rows"
        )
    batch = call.batch
    if c is None:
        return
    expected = (batch, a.rows, b.columns) if call.batched else (a.rows, b.columns)
    if c.shape != expected:
        raise InvalidArgument(f"out has the shape {c.shape}; the product has {expected}")
    check_out(c, call.options.dtype)
