# SPDX-License-Identifier: MIT
"""Which products of which layouts each pipeline computes."""

from __future__ import annotations

from ckarch import ArchSpecs
from ckgen.gemm.spec import Epilogue, Layout

from cksupport.product.axes import ALL_PADDED, dtype_pairs, loops
from cksupport.questions import Place, Question, Table, fields

_NAME = "products"


def products(arch: ArchSpecs) -> Table:
    """GPU x dtypes of A and B x layout x pipeline."""
    questions = tuple(
        Question(
            Place(_NAME, gpu, f"{label} {layout}", loop.label),
            fields(
                dtype=a,
                dtype_b=b,
                layout=layout,
                pipeline=loop.pipeline,
                scheduler=loop.scheduler,
                pad=(ALL_PADDED,),
                epilogue=(Epilogue.CSHUFFLE, Epilogue.DEFAULT),
            ),
        )
        for gpu in arch.gpus
        for a, b, label in dtype_pairs(arch)
        for layout in Layout
        for loop in loops()
    )
    note = (
        "Dtypes of A and B and the layout of A, B and C, against the pipeline; the usual output "
        "dtype, all of m, n and k padded."
    )
    return Table(_NAME, "Products", note, questions)
