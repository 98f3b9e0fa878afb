# SPDX-License-Identifier: MIT
"""What a declaration of grouped convolution kernels may say, and what its wildcards stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from ckarch import ArchSpecs

from ckgen.core import codec
from ckgen.core.entry_fields import any_of, choice_field
from ckgen.core.errors import FieldError
from ckgen.core.family import EntryField
from ckgen.core.target import Target
from ckgen.core.tile import Dim3
from ckgen.grouped_conv.spec import (
    DEFAULT_VECTORS,
    GroupedConvSpec,
    Layout,
    Order,
    Specialization,
    Variant,
    operands,
)
from ckgen.product.choices import chosen_dtypes, dtype_field, loop_fields, outputs
from ckgen.product.pipelines import PIPELINE_CLASSES
from ckgen.product.spec import Dtype, Epilogue, FusedOp, Scheduler, SplitK

DIMENSIONS = (1, 2, 3)
MERGED_GROUPS = (1, 2, 4, 8, 16, 32, 64)
"""Powers of two, because CK tells groups apart by exclusive or."""
VECTORS = (1, 2, 4, 8, 16)
LDS_BUFFERS = WAVE_GROUPS = (1, 2)
BLOCKS_PER_CU = (1, 2, 3, 4)
SCATTERED_VECTORS = Dim3(DEFAULT_VECTORS.m, 1, DEFAULT_VECTORS.k)

_LAYOUTS = {(layout.order, layout.ndim_spatial): layout for layout in Layout}


def build_spec(choice: Mapping[str, Any], arch: ArchSpecs) -> GroupedConvSpec:
    """The spec that one choice for every entry field describes."""
    *dtypes, accumulator = chosen_dtypes(choice, arch)
    layout = _layout(choice["layout"], choice["ndim_spatial"])
    tensors, _ = operands(choice["variant"], layout.order)
    pipeline = PIPELINE_CLASSES[choice["pipeline"]]
    vectors = choice["vector"] or _usual_vectors(layout.order, choice["specialization"])
    return GroupedConvSpec.made_of(
        choice,
        **{f"dtype_{tensor}": dtype for tensor, dtype in zip(tensors, dtypes, strict=False)},
        dtype_acc=accumulator,
        layout=layout,
        lds_buffers=choice["lds_buffers"] or pipeline.lds_buffers,
        wave_groups=choice["wave_groups"] or pipeline.wave_groups,
        **dict(zip(("vector_a", "vector_b", "vector_c"), vectors, strict=False)),
    )


_DTYPES = ("variant", "ndim_spatial", "layout", "dtype", "dtype_b", "dtype_c")
_VECTORS = ("vector", "ndim_spatial", "layout", "specialization")
MADE_OF: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **dict.fromkeys(("dtype_x", "dtype_w", "dtype_y"), _DTYPES),
        **dict.fromkeys(("vector_a", "vector_b", "vector_c"), _VECTORS),
        **{field: (field, "pipeline") for field in ("lds_buffers", "wave_groups")},
        "dtype_acc": ("dtype", "dtype_b"),
        "layout": ("layout", "ndim_spatial"),
    }
)
"""What ``build_spec`` reads for the fields that are not an entry field themselves."""


def _usual_vectors(order: Order, specialization: Specialization) -> Dim3:
    """Those that most problems take; positions under a filter are read one by one."""
    whole = specialization is Specialization.FILTER_1X1_STRIDE1_PAD0
    return DEFAULT_VECTORS if order is Order.CHANNELS_LAST or whole else SCATTERED_VECTORS


def _layout(asked: Layout | Order, dimensions: int) -> Layout:
    """The layout of so many dimensions; of more than there are, any, for a rule to refuse."""
    if isinstance(asked, Layout):
        return asked
    return _LAYOUTS.get((asked, dimensions), Layout.NHWGC)


def _decode_layout(value: object) -> Layout | Order:
    known: tuple[Layout | Order, ...] = (*Order, *Layout)
    for word in known:
        if value == word:
            return word
    raise FieldError(f"expected one of {', '.join(known)}, not {codec.show(value)}")


def _vectors(target: Target, chosen: Mapping[str, Any]) -> Sequence[Dim3]:
    """The widest of 16 bytes, and single elements for what no vector divides."""
    a, _, c, _ = chosen_dtypes(chosen, target.arch)
    read, written = (int(16 / target.arch.dtype(dtype).bytes) for dtype in (a, c))
    widest = (Dim3(read, read, written), Dim3(1, 1, 1))
    if _layout(chosen["layout"], chosen["ndim_spatial"]).order is Order.CHANNELS_LAST:
        return widest
    return (*widest, Dim3(read, 1, written))


def _decode_whole(least: int, value: object) -> int:
    number: int = codec.decode(int, value)
    if number < least:
        raise FieldError(f"expected {least} or more, not {codec.show(value)}")
    return number


ENTRY_FIELDS: tuple[EntryField, ...] = (
    choice_field(
        "variant",
        "what is computed: forward, backward_data or backward_weight",
        Variant,
        Variant.FORWARD,
        set_level=True,
        option="variant",
        aliases=("variants",),
    ),
    EntryField(
        "ndim_spatial",
        "dimensions of an image: 1, 2 or 3",
        partial(_decode_whole, 1),
        any_of(DIMENSIONS),
        required=True,
        set_level=True,
        option="ndim-spatial",
        usual=2,
    ),
    dtype_field(
        "dtype",
        "dtype of the tensors that are read",
        required=True,
        set_level=True,
        option="datatype",
        usual=Dtype.FP16,
    ),
    dtype_field("dtype_b", "dtype of the second that is read, if not `dtype`"),
    dtype_field("dtype_c", "dtype of what is computed, if not the usual one", outputs),
    EntryField(
        "layout",
        "channels_last, channels_first, or the layout of so many dimensions by its name",
        _decode_layout,
        any_of(tuple(Order)),
        Order.CHANNELS_LAST,
        set_level=True,
    ),
    *loop_fields(),
    choice_field("epilogue", "how the result is stored", Epilogue, Epilogue.CSHUFFLE),
    choice_field("scheduler", "what overlaps with what", Scheduler, Scheduler.INTRAWAVE),
    EntryField(
        "vector",
        "elements of A, B and C that are moved at a time",
        partial(codec.decode, Dim3),
        _vectors,
        triple=True,
    ),
    EntryField(
        "lds_buffers",
        "buffers of LDS that tiles go through by turns, if not those of the pipeline",
        partial(_decode_whole, 1),
        any_of(LDS_BUFFERS),
    ),
    EntryField(
        "wave_groups",
        "groups of waves that take turns, if not those of the pipeline",
        partial(_decode_whole, 1),
        any_of(WAVE_GROUPS),
    ),
    EntryField(
        "blocks_per_cu",
        "workgroups that are to share a compute unit",
        partial(_decode_whole, 1),
        any_of(BLOCKS_PER_CU),
        default=1,
    ),
    EntryField(
        "merged_groups",
        "groups that a workgroup computes at once",
        partial(_decode_whole, 1),
        any_of(MERGED_GROUPS),
        default=1,
    ),
    choice_field(
        "specialization", "which filters it takes", Specialization, Specialization.DEFAULT
    ),
    choice_field("split_k", "how workgroups that share a sum add up", SplitK, SplitK.NONE),
    choice_field("fused_op", "what is applied to the result", FusedOp, FusedOp.PASS_THROUGH),
    EntryField(
        "d_count",
        "1 if the fused operation takes a bias",
        partial(_decode_whole, 0),
        any_of((0, 1)),
        default=0,
    ),
)
