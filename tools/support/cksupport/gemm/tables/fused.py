# SPDX-License-Identifier: MIT
"""What can be done to a product before it is stored."""

from __future__ import annotations

from typing import Any

from ckarch import ArchSpecs
from ckgen.gemm.spec import MAX_DS, DLayout, Dtype, Epilogue, FusedOp, Layout, Pipeline, Variant

from cksupport.product.axes import ALL_PADDED
from cksupport.questions import Place, Question, Table, fields

_FUSED: dict[str, Any] = {
    "variant": Variant.MULTI_D,
    "dtype": Dtype.FP16,
    "layout": Layout.RCR,
    "pipeline": (Pipeline.COMPV3, Pipeline.COMPV4),
    "pad": (ALL_PADDED,),
}
_LAYOUTS = {DLayout.ROWS: "rows", DLayout.COLUMNS: "columns"}


def fused_ops(arch: ArchSpecs) -> Table:
    """GPU x fused operation x epilogue."""
    name = "fused"
    questions = tuple(
        Question(
            Place(name, gpu, str(op), str(epilogue)),
            fields(fused_op=op, d_count=1 if op.takes_ds else 0, epilogue=epilogue, **_FUSED),
        )
        for gpu in arch.gpus
        for op in FusedOp
        if op is not FusedOp.PASS_THROUGH
        for epilogue in Epilogue
    )
    note = "The operation against the epilogue; fp16, layout rcr, one D tensor if it takes any."
    return Table(name, "Fused operations", note, questions)


def d_dtypes(arch: ArchSpecs) -> Table:
    """GPU x layout of the D tensors x their dtype."""
    name = "d_dtypes"
    questions = tuple(
        Question(
            Place(name, gpu, _LAYOUTS[d_layout], str(dtype)),
            fields(
                fused_op=FusedOp.MULTI_D_ADD,
                d_count=2,
                dtype_d=dtype,
                d_layout=d_layout,
                epilogue=Epilogue.CSHUFFLE,
                **_FUSED,
            ),
        )
        for gpu in arch.gpus
        for d_layout in DLayout
        for dtype in Dtype
    )
    note = "The layout of two D tensors that are added against their dtype; fp16, layout rcr."
    return Table(name, "Dtypes of D tensors", note, questions)


def d_tensors(arch: ArchSpecs) -> Table:
    """GPU x fused operation and layout of the D tensors x their number."""
    name = "d_tensors"
    questions = tuple(
        Question(
            Place(name, gpu, f"{op} {_LAYOUTS[d_layout]}", str(count)),
            fields(
                fused_op=op, d_count=count, d_layout=d_layout, epilogue=Epilogue.CSHUFFLE, **_FUSED
            ),
        )
        for gpu in arch.gpus
        for op in (FusedOp.MULTI_D_ADD, FusedOp.MULTI_D_MULTIPLY)
        for d_layout in DLayout
        for count in range(1, MAX_DS + 1)
    )
    note = (
        "The operation and the layout of its D tensors against their number; fp16, layout rcr. "
        "Some are as large as C, others one row or column that is repeated."
    )
    return Table(name, "D tensors", note, questions)
