# SPDX-License-Identifier: MIT
"""What there is to choose for a convolution kernel, and the kernel that a combination of choices
makes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ckarch import ArchSpecs
from ckgen.core.tile import Dim3
from ckgen.grouped_conv.choices import DIMENSIONS
from ckgen.grouped_conv.rules import GROUPED_CONV_RULES
from ckgen.grouped_conv.spec import (
    GroupedConvSpec,
    Layout,
    Order,
    Specialization,
    Variant,
    operands,
)
from ckgen.product.dtypes import default_dtypes
from ckgen.product.pipelines import PIPELINE_CLASSES, PipelineClass
from ckgen.product.spec import Dtype, Epilogue, FusedOp, SplitK

from cksupport.lazy_specs import Choices, Make, Specs, choice_of
from cksupport.pairs import Axes
from cksupport.pairs import Rule as Check
from cksupport.product.axes import dtype_pairs, loops
from cksupport.refusals import Refusal

_MERGED = (1, 2, 8, 64)
"""None, the fewest, those that ship, and the most."""
_WIDTHS = {"16 bytes": 16, "4 bytes": 4, "1 element": 1}
_BIASES = ("none", *(op for op in (FusedOp.MULTI_D_ADD, FusedOp.MULTI_D_MULTIPLY)))
_ACTIVATIONS = (
    "none",
    *(op for op in FusedOp if not op.takes_ds and op is not FusedOp.PASS_THROUGH),
)
_REPEATS = (Dim3(2, 2, 2), Dim3(1, 1, 1), Dim3(2, 1, 4), Dim3(1, 2, 2))
_WAVES: Mapping[str, Callable[[Sequence[Dim3]], Dim3]] = {
    "along both": lambda layouts: next(one for one in layouts if min(one.m, one.n) > 1),
    "along m": lambda layouts: next(one for one in layouts if one.n == 1),
    "along n": lambda layouts: next(one for one in layouts if one.m == 1),
    "along both, otherwise": lambda layouts: [one for one in layouts if min(one.m, one.n) > 1][-1],
}
"""A GPU has its own layouts of waves: of four, eight or sixteen."""


def axes_of(arch: ArchSpecs) -> Axes:
    """The axes, those first that refuse most of the others: so what cannot be is soon found."""
    tables = (table for gpu in arch.architectures.values() for table in gpu.warp_tiles.values())
    return {
        "GPU": arch.gpus,
        "dtypes": dtype_pairs(arch),
        "warp tile": tuple(dict.fromkeys(Dim3(*tile) for table in tables for tile in table)),
        "waves": tuple(_WAVES),
        "direction": tuple(Variant),
        "layout": tuple(Order),
        "loads": tuple(_WIDTHS),
        "repeats of the warp tile": _REPEATS,
        "output": tuple(Dtype),
        "epilogue": tuple(Epilogue),
        "split-K": tuple(SplitK),
        "stores": tuple(_WIDTHS),
        "pipeline": loops(),
        "filters": tuple(Specialization),
        "merged groups": _MERGED,
        "bias": _BIASES,
        "activation": _ACTIVATIONS,
        "dimensions": DIMENSIONS,
    }


def label(value: Any) -> str:
    """What a table calls a value."""
    if isinstance(value, tuple) and not isinstance(value, Dim3):
        return str(value[-1])  # of a pair of dtypes
    return str(getattr(value, "label", value))


def spec_of(choices: Choices, arch: ArchSpecs) -> GroupedConvSpec:
    """The kernel of a whole combination."""
    return _SPECS.whole(choices, arch)


def checks(arch: ArchSpecs) -> list[Check]:
    """The rules of the generator, about choices."""
    return [_no_such_operation, *_SPECS.checks(GROUPED_CONV_RULES, arch)]


def _no_such_operation(choices: Choices) -> Refusal | None:
    if _fused_word(choices) in tuple(FusedOp):
        return None
    return Refusal("no such operation", "Nothing is applied to what is multiplied by a bias")


def _waves(choices: Choices, arch: ArchSpecs) -> Dim3:
    layouts = arch.gpu(choices["GPU"]).wave_layouts
    return _WAVES[choices["waves"]]([Dim3(*waves) for waves in layouts])


def _tile(choices: Choices, arch: ArchSpecs) -> Dim3:
    warp_tile, repeats = Dim3(*choices["warp tile"]), Dim3(*choices["repeats of the warp tile"])
    return _waves(choices, arch) * warp_tile * repeats


def _accumulator(choices: Choices, arch: ArchSpecs) -> Dtype:
    a, b, _ = choices["dtypes"]
    return default_dtypes(a, b, arch)[0]


def _layout(choices: Choices, arch: ArchSpecs) -> Layout:
    wanted = choices["layout"], choices["dimensions"]
    return next(one for one in Layout if (one.order, one.ndim_spatial) == wanted)


def _dtype(tensor: str, choices: Choices, arch: ArchSpecs) -> Dtype:
    tensors, _ = operands(choices["direction"], choices["layout"])
    operand = tensors.index(tensor)
    found: Dtype = choices["output"] if operand == 2 else choices["dtypes"][operand]
    return found


def _elements(width: str, dtype: Dtype, arch: ArchSpecs) -> int:
    return max(1, int(_WIDTHS[width] / arch.dtype(dtype).bytes))


def _loaded(operand: int, choices: Choices, arch: ArchSpecs) -> int:
    across = operand == 1 and choices["layout"] is Order.CHANNELS_FIRST
    if across and choices["filters"] is not Specialization.FILTER_1X1_STRIDE1_PAD0:
        # Positions under a filter are read one by one.
        return 1
    return _elements(choices["loads"], choices["dtypes"][operand], arch)


def _stored(choices: Choices, arch: ArchSpecs) -> int:
    apart = choices["split-K"] is SplitK.WORKSPACE
    return _elements(
        choices["stores"], _accumulator(choices, arch) if apart else choices["output"], arch
    )


def _class_of(choices: Choices) -> PipelineClass:
    return PIPELINE_CLASSES[choices["pipeline"].pipeline]


def _fused_word(choices: Choices) -> str:
    words = "".join(word for word in (choices["bias"], choices["activation"]) if word != "none")
    return words or FusedOp.PASS_THROUGH.value


_FIELDS: Mapping[str, Make] = {
    "variant": choice_of("direction"),
    "ndim_spatial": choice_of("dimensions"),
    **{f"dtype_{tensor}": partial(_dtype, tensor) for tensor in "xwy"},
    "dtype_acc": _accumulator,
    "layout": _layout,
    "tile": _tile,
    "waves": _waves,
    "warp_tile": choice_of("warp tile"),
    "pipeline": lambda choices, arch: choices["pipeline"].pipeline,
    "epilogue": choice_of("epilogue"),
    "scheduler": lambda choices, arch: choices["pipeline"].scheduler,
    "vector_a": partial(_loaded, 0),
    "vector_b": partial(_loaded, 1),
    "vector_c": _stored,
    "lds_buffers": lambda choices, arch: _class_of(choices).lds_buffers,
    "wave_groups": lambda choices, arch: _class_of(choices).wave_groups,
    "blocks_per_cu": lambda choices, arch: 1,
    "merged_groups": choice_of("merged groups"),
    "specialization": choice_of("filters"),
    "split_k": choice_of("split-K"),
    "fused_op": lambda choices, arch: FusedOp(_fused_word(choices)),
    "d_count": lambda choices, arch: int(choices["bias"] != "none"),
}
_SPECS = Specs(GroupedConvSpec, _FIELDS)
