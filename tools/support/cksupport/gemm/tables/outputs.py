# SPDX-License-Identifier: MIT
"""What a product can be stored as, by either epilogue."""

from __future__ import annotations

from ckarch import ArchSpecs
from ckgen.gemm.spec import Dtype, Epilogue, Layout, Pipeline

from cksupport.product.axes import ALL_PADDED, dtype_pairs
from cksupport.questions import Place, Question, Table, fields

_NAME = "outputs"


def outputs(arch: ArchSpecs) -> Table:
    """GPU x dtypes of A and B x dtype of C x epilogue."""
    questions = tuple(
        Question(
            Place(_NAME, gpu, f"{label} {epilogue}", str(output)),
            fields(
                dtype=a,
                dtype_b=b,
                dtype_c=output,
                layout=Layout.RCR,
                pipeline=(Pipeline.COMPV3, Pipeline.COMPV4),
                epilogue=epilogue,
                pad=(ALL_PADDED,),
            ),
        )
        for gpu in arch.gpus
        for a, b, label in dtype_pairs(arch)
        for epilogue in Epilogue
        for output in Dtype
    )
    note = "Dtypes of A and B and the epilogue, against the dtype of C; layout rcr."
    return Table(_NAME, "Outputs", note, questions)
