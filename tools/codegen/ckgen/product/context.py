# SPDX-License-Identifier: MIT
"""The variables that the templates of all products share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckarch import ArchSpecs

from ckgen.core.spec import canonical_json
from ckgen.product.pipelines import PIPELINE_CLASSES, loop_variants, prefetch_stages
from ckgen.product.spec import Dtype, FusedOp, ProductSpec, SplitK

_ROWS = "ck_tile::tensor_layout::gemm::RowMajor"
_COLUMNS = "ck_tile::tensor_layout::gemm::ColumnMajor"
_BYTE = "ck_tile::int8_t"
_COMBINATIONS = {"MultiDAdd": "Added", "MultiDMultiply": "Multiplied"}
_ACTIVATIONS = {"": "PassThrough", "Tanh": "TanH"}


def product_context(spec: ProductSpec, arch: ArchSpecs) -> Mapping[str, Any]:
    """What the templates of all products see: the spec, its loop variants, and CK's C++ names."""
    return {
        "spec": spec,
        "name": spec.name,
        "spec_json": canonical_json({**spec.to_json(), "name": spec.name}),
        "variants": loop_variants(spec, arch),
        "prefetch_stages": prefetch_stages(spec, arch),
        "cxx": _cxx_names(spec, arch),
    }


def _cxx_names(spec: ProductSpec, arch: ArchSpecs) -> Mapping[str, Any]:
    """The C++ types, classes and enumerators that the spec stands for, and what goes with them."""
    pipeline, layout = PIPELINE_CLASSES[spec.pipeline], spec.operand_layout
    dtypes = {name: getattr(spec, f"dtype_{name}") for name in ("a", "b", "c", "d", "acc")}
    by_rows = {"a": layout.a_by_rows, "b": layout.b_by_rows, "c": layout.c_by_rows}
    return {
        **{f"{name}_type": arch.dtype(dtype).cxx_type for name, dtype in dtypes.items()},
        **{f"{name}_type": _operand_type(dtypes[name], arch) for name in "ab"},
        **{f"{name}_bytes": _object_bytes(dtype, arch) for name, dtype in dtypes.items()},
        **{f"{name}_layout": _ROWS if rows else _COLUMNS for name, rows in by_rows.items()},
        **{f"{name}_row_major": rows for name, rows in by_rows.items()},
        "d_row_major": spec.ds_by_rows,
        "pipeline": pipeline.pipeline,
        "base_pipeline": pipeline.base,
        "double_lds": pipeline.double_lds,
        "wave_groups": pipeline.wave_groups,
        "packed": arch.dtype(spec.dtype_a).pack > 1,
        "scheduler": spec.scheduler.value.capitalize(),
        "memory_operation": "atomic_add" if spec.split_k is SplitK.ATOMIC else "set",
        "adds_parts": spec.split_k is SplitK.WORKSPACE,
        "plain_stores": spec.split_k is SplitK.ATOMIC
        or _object_bytes(spec.dtype_stored, arch) == 1,
        **_fused_names(spec.fused_op),
    }


def _fused_names(op: FusedOp) -> Mapping[str, str]:
    """How the D tensors are combined with the product, and what is applied to the result."""
    word = op.value
    combined = next((name for name in _COMBINATIONS if word.startswith(name)), "")
    activation = word[len(combined) :]
    return {
        "combination": _COMBINATIONS.get(combined, "Alone"),
        "activation": _ACTIVATIONS.get(activation, activation),
    }


def _operand_type(dtype: Dtype, arch: ArchSpecs) -> str:
    facts = arch.dtype(dtype)
    return facts.cxx_type if facts.pack == 1 else _BYTE


def _object_bytes(dtype: Dtype, arch: ArchSpecs) -> int:
    """The size of one C++ object of ``dtype``, which holds several elements of a packed one."""
    facts = arch.dtype(dtype)
    return int(facts.bytes * facts.pack)
