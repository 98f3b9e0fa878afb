# SPDX-License-Identifier: MIT
"""What a dispatcher computes of matrix products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ckdispatch.base_dispatcher import BaseDispatcher
from ckdispatch.gemm import call, grouped
from ckdispatch.product.problem import CallOptions
from ckdispatch.result import GroupedResult, Result


class Methods(BaseDispatcher):
    """``gemm`` and ``grouped_gemm``."""

    def gemm(
        self,
        a: Any,
        b: Any,
        *,
        ds: Sequence[Any] = (),
        bias: Any = None,
        fused_op: str | None = None,
        out: Any = None,
        dtype: str | None = None,
        split_k: int = 1,
        deterministic: bool = False,
        stream: Any = None,
        pad: bool = True,
        timing: bool = False,
        validate: bool | str = False,
    ) -> Result:
        """A[m,k] times B[k,n], or a batch of such products, and what ``fused_op`` makes of it.

        Operands are NumPy arrays, DeviceTensors, or anything with ``__dlpack__``; those on the
        device are used where they are. B may also be what ``preshuffle`` made. D tensors (``ds``)
        are like the product, or one row or column of it; they are added unless ``fused_op`` says
        otherwise. A ``bias`` is a vector that is added to every row, before an activation such as
        ``fused_op="Relu"``. ``out`` receives the product, else it is made like the operands;
        ``dtype`` is what it is stored in. If no kernel takes the shape, it is padded, unless
        ``pad`` is false. ``validate`` compares with the NumPy reference and raises ``Mismatch``;
        with ``"device"`` a plain kernel computes the reference's sums, where NumPy would take long.
        """
        options = CallOptions(dtype, split_k, deterministic, pad, timing, validate)
        return call.run(
            self, a, b, out=out, ds=ds, bias=bias, fused_op=fused_op, stream=stream, options=options
        )

    def grouped_gemm(
        self,
        pairs: Sequence[tuple[Any, Any]],
        *,
        outs: Sequence[Any] | None = None,
        fused_op: str | None = None,
        dtype: str | None = None,
        deterministic: bool = False,
        stream: Any = None,
        timing: bool = False,
        validate: bool | str = False,
    ) -> GroupedResult:
        """Many products of different sizes, in one launch if a kernel does that, else one after
        another.

        Each pair is an A[m,k] and a B[k,n], as for ``gemm``; all have the same dtypes and layout.
        ``outs`` receive the products, else they are made like the operands.
        """
        options = CallOptions(dtype, 1, deterministic, False, timing, validate)
        return grouped.run(
            self, pairs, outs=outs, fused_op=fused_op, stream=stream, options=options
        )
