# SPDX-License-Identifier: MIT
"""The tables of the matrix, from nothing but the arch table and the generator's enums."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

from ckarch import ArchSpecs
from ckgen.gemm.choices import ALL_PADS, Pads
from ckgen.gemm.spec import MAX_DS, DLayout, Variant
from ckgen.product.pipelines import PIPELINE_CLASSES
from ckgen.product.spec import Dtype, Epilogue, FusedOp, Layout, Pipeline, SplitK

from cksupport.product.axes import ALL_PADDED, SHUFFLED, Loop, dtype_pairs, loops
from cksupport.questions import Fields, Place, Question, Table, fields

_Cells = Iterator[tuple[str, str, Fields]]
"""The row, the column and the question of each cell of a table, which are the same for every GPU.
"""

_PLAIN: dict[str, Any] = {"pipeline": (Pipeline.COMPV3, Pipeline.COMPV4)}
_SHUFFLED = {"pipeline": SHUFFLED.pipeline, "scheduler": SHUFFLED.scheduler}
_PADDED: dict[str, Any] = {"pad": (ALL_PADDED,)}
_EITHER_EPILOGUE = (Epilogue.CSHUFFLE, Epilogue.DEFAULT)

_VARIANTS: dict[str, dict[str, Any]] = {
    "persistent": {**_PLAIN, "persistent": True},
    "split_k atomic": {**_PLAIN, "split_k": SplitK.ATOMIC},
    "split_k workspace": {**_PLAIN, "split_k": SplitK.WORKSPACE},
    "batched": {**_PLAIN, "variant": Variant.BATCHED},
    "grouped": {**_PLAIN, "variant": Variant.GROUPED},
    "multi_d": {
        **_PLAIN,
        "variant": Variant.MULTI_D,
        "fused_op": FusedOp.MULTI_D_ADD,
        "d_count": 2,
    },
    "preshuffle": {**_SHUFFLED, "variant": Variant.PRESHUFFLE},
    "stream_k atomic": {**_PLAIN, "variant": Variant.STREAM_K, "split_k": SplitK.ATOMIC},
    "stream_k workspace": {**_PLAIN, "variant": Variant.STREAM_K, "split_k": SplitK.WORKSPACE},
}
_FUSED: dict[str, Any] = {
    "variant": Variant.MULTI_D,
    "dtype": Dtype.FP16,
    "layout": Layout.RCR,
    **_PLAIN,
    **_PADDED,
}
_D_LAYOUTS = {DLayout.ROWS: "rows", DLayout.COLUMNS: "columns"}


def _products(arch: ArchSpecs) -> _Cells:
    """Dtypes of A and B and layout x pipeline."""
    for (a, b, label), layout, loop in product(dtype_pairs(arch), Layout, loops()):
        loaded = {"layout": layout, "pipeline": loop.pipeline, "scheduler": loop.scheduler}
        yield (
            f"{label} {layout}",
            loop.label,
            fields(dtype=a, dtype_b=b, **loaded, **_PADDED, epilogue=_EITHER_EPILOGUE),
        )


def _outputs(arch: ArchSpecs) -> _Cells:
    """Dtypes of A and B and epilogue x dtype of C."""
    for (a, b, label), epilogue, output in product(dtype_pairs(arch), Epilogue, Dtype):
        dtypes = {"dtype": a, "dtype_b": b, "dtype_c": output}
        yield (
            f"{label} {epilogue}",
            str(output),
            fields(**dtypes, layout=Layout.RCR, **_PLAIN, epilogue=epilogue, **_PADDED),
        )


def _pads(arch: ArchSpecs) -> _Cells:
    """Pipeline and epilogue x the combinations of padded extents."""
    for (loop, epilogue), padded in product(_ways_to_store(), ALL_PADS):
        asked = fields(
            variant=Variant.PRESHUFFLE if loop is SHUFFLED else Variant.STANDARD,
            dtype=Dtype.FP16,
            layout=Layout.RCR,
            pipeline=loop.pipeline,
            scheduler=loop.scheduler,
            epilogue=epilogue,
            pad=(padded,),
        )
        yield f"{loop.label} {epilogue}", _pad_label(padded), asked


def _ways_to_store() -> list[tuple[Loop, Epilogue]]:
    """Loads depend on the pipeline, stores on the epilogue: no need to cross them."""
    usual = [(loop, _epilogue(loop.pipeline)) for loop in (*loops(), SHUFFLED)]
    other = [(loop, Epilogue.DEFAULT) for loop in loops() if loop.pipeline is Pipeline.COMPV3]
    return [*usual, *other]


def _epilogue(pipeline: Pipeline) -> Epilogue:
    """A wave that stores alone cannot shuffle."""
    return Epilogue.DEFAULT if PIPELINE_CLASSES[pipeline].takes_turns else Epilogue.CSHUFFLE


def _pad_label(padded: Pads) -> str:
    return " ".join(letter for letter, pad in zip("mnk", padded, strict=False) if pad) or "none"


def _variant_dtypes(arch: ArchSpecs) -> _Cells:
    """Dtypes of A and B x variant."""
    for (a, b, label), variant in product(dtype_pairs(arch), _VARIANTS):
        yield label, variant, _variant_fields(variant, a, b, Layout.RCR)


def _variant_layouts(arch: ArchSpecs) -> _Cells:
    """Layout x variant."""
    for layout, variant in product(Layout, _VARIANTS):
        yield str(layout), variant, _variant_fields(variant, Dtype.FP16, None, layout)


def _variant_fields(variant: str, a: Dtype, b: Dtype | None, layout: Layout) -> Fields:
    return fields(
        dtype=a,
        dtype_b=b,
        # Not every dtype can be added to in memory, and where the usual one cannot, fp32 can.
        dtype_c=(None, Dtype.FP32),
        layout=layout,
        pad=(ALL_PADDED, (True, True, False)),
        epilogue=_EITHER_EPILOGUE,
        **_VARIANTS[variant],
    )


def _fused_ops(arch: ArchSpecs) -> _Cells:
    """Fused operation x epilogue."""
    for op, epilogue in product(FusedOp, Epilogue):
        if op is not FusedOp.PASS_THROUGH:
            count = 1 if op.takes_ds else 0
            yield (
                str(op),
                str(epilogue),
                fields(fused_op=op, d_count=count, epilogue=epilogue, **_FUSED),
            )


def _d_tensors(arch: ArchSpecs) -> _Cells:
    """Fused operation and layout of the D tensors x their number."""
    for op, d_layout, count in product(
        (FusedOp.MULTI_D_ADD, FusedOp.MULTI_D_MULTIPLY), DLayout, range(1, MAX_DS + 1)
    ):
        asked = fields(
            fused_op=op, d_count=count, d_layout=d_layout, epilogue=Epilogue.CSHUFFLE, **_FUSED
        )
        yield f"{op} {_D_LAYOUTS[d_layout]}", str(count), asked


def _d_dtypes(arch: ArchSpecs) -> _Cells:
    """Layout of the D tensors x their dtype."""
    added = {"fused_op": FusedOp.MULTI_D_ADD, "d_count": 2, "epilogue": Epilogue.CSHUFFLE, **_FUSED}
    for d_layout, dtype in product(DLayout, Dtype):
        yield _D_LAYOUTS[d_layout], str(dtype), fields(dtype_d=dtype, d_layout=d_layout, **added)


_TABLES: tuple[tuple[str, str, Callable[[ArchSpecs], _Cells], str], ...] = (
    (
        "products",
        "Products",
        _products,
        (
            "Dtypes of A and B and the layout of A, B and C, against the pipeline; the usual "
            "output dtype, all of m, n and k padded."
        ),
    ),
    (
        "outputs",
        "Outputs",
        _outputs,
        "Dtypes of A and B and the epilogue, against the dtype of C; layout rcr.",
    ),
    (
        "pads",
        "Padding",
        _pads,
        "Pipeline and epilogue, against the extents that are padded; fp16, layout rcr.",
    ),
    (
        "variants",
        "Variants",
        _variant_dtypes,
        "Dtypes of A and B against the variant; layout rcr, the usual output dtype or fp32, m, n "
        "and k padded if possible; multi_d adds two D tensors.",
    ),
    (
        "variant_layouts",
        "Layouts of variants",
        _variant_layouts,
        "The layout of A, B and C against the variant; fp16, padded if possible.",
    ),
    (
        "fused",
        "Fused operations",
        _fused_ops,
        "The operation against the epilogue; fp16, layout rcr, one D tensor if it takes any.",
    ),
    (
        "d_tensors",
        "D tensors",
        _d_tensors,
        "The operation and the layout of its D tensors against their number; fp16, layout rcr. "
        "Some are as large as C, others one row or column that is repeated.",
    ),
    (
        "d_dtypes",
        "Dtypes of D tensors",
        _d_dtypes,
        "The layout of two D tensors that are added against their dtype; fp16, layout rcr.",
    ),
)
"""The name, the title, the cells and the note of each, in the order of the page."""


def all_tables(arch: ArchSpecs) -> tuple[Table, ...]:
    """Every table, in the order of the page."""
    return tuple(
        Table(name, title, note, _questions(name, cells(arch), arch.gpus))
        for name, title, cells, note in _TABLES
    )


def _questions(table: str, cells: _Cells, gpus: Sequence[str]) -> tuple[Question, ...]:
    each = list(cells)
    return tuple(
        Question(Place(table, gpu, row, column), asked)
        for gpu in gpus
        for row, column, asked in each
    )
