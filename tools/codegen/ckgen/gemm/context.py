# SPDX-License-Identifier: MIT
"""The variables of the GEMM template."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ckarch import ArchSpecs

from ckgen.core.spec import canonical_json
from ckgen.core.tile import Dim3
from ckgen.gemm.pipelines import (
    PIPELINE_CLASSES,
    loop_variants,
    one_function,
    prefetch_stages,
)
from ckgen.gemm.spec import DLayout, Dtype, FusedOp, GemmSpec, Scheduler, SplitK

_ROWS = "ck_tile::tensor_layout::gemm::RowMajor"
_COLUMNS = "ck_tile::tensor_layout::gemm::ColumnMajor"
_BYTE = "ck_tile::int8_t"
_SCHEDULERS = {
    Scheduler.INTRAWAVE: "Intrawave",
    Scheduler.INTERWAVE: "Interwave",
    Scheduler.DEFAULT: "Default",
}
_COMBINATIONS = {"MultiDAdd": "Added", "MultiDMultiply": "Multiplied"}
_ACTIVATIONS = {"": "PassThrough", "Tanh": "TanH"}


def template_context(spec: GemmSpec, arch: ArchSpecs) -> Mapping[str, Any]:
    """What ``kernel.cpp.j2`` sees: the spec, its loop variants, and CK's C++ names."""
    return {
        "spec": in_objects(spec, arch),
        "name": spec.name,
        "spec_json": canonical_json({**spec.to_json(), "name": spec.name}),
        "variants": loop_variants(spec, arch),
        "prefetch_stages": prefetch_stages(spec, arch),
        "one_function": one_function(spec),
        "cxx": cxx_names(spec, arch),
    }


def cxx_names(spec: GemmSpec, arch: ArchSpecs) -> Mapping[str, Any]:
    """The C++ types, classes and enumerators that the spec stands for, and what goes with them."""
    pipeline, layout = PIPELINE_CLASSES[spec.pipeline], spec.layout
    return {
        "a_type": _operand_type(spec.dtype_a, arch),
        "b_type": _operand_type(spec.dtype_b, arch),
        "c_type": arch.dtype(spec.dtype_c).cxx_type,
        "d_type": arch.dtype(spec.dtype_d).cxx_type,
        "acc_type": arch.dtype(spec.dtype_acc).cxx_type,
        "a_bytes": _object_bytes(spec.dtype_a, arch),
        "b_bytes": _object_bytes(spec.dtype_b, arch),
        "c_bytes": _object_bytes(spec.dtype_c, arch),
        "d_bytes": _object_bytes(spec.dtype_d, arch),
        "acc_bytes": _object_bytes(spec.dtype_acc, arch),
        "a_layout": _ROWS if layout.a_by_rows else _COLUMNS,
        "b_layout": _ROWS if layout.b_by_rows else _COLUMNS,
        "c_layout": _ROWS if layout.c_by_rows else _COLUMNS,
        "a_row_major": layout.a_by_rows,
        "b_row_major": layout.b_by_rows,
        "c_row_major": layout.c_by_rows,
        "d_row_major": spec.d_layout is DLayout.ROWS,
        "pipeline": pipeline.pipeline,
        "base_pipeline": pipeline.base,
        "double_lds": pipeline.double_lds,
        "wave_groups": pipeline.wave_groups,
        "packed": arch.dtype(spec.dtype_a).pack > 1,
        "scheduler": _SCHEDULERS[spec.scheduler],
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


def in_objects(spec: GemmSpec, arch: ArchSpecs) -> GemmSpec:
    """The spec with k counted in C++ objects, of which one holds several packed elements.

    CK's pipelines then move bytes, and only the matrix instruction knows what is in them.
    """
    pack = arch.dtype(spec.dtype_a).pack
    if pack == 1:
        return spec
    tile, warp_tile = spec.tile, spec.warp_tile
    return replace(
        spec,
        tile=Dim3(tile.m, tile.n, tile.k // pack),
        warp_tile=Dim3(warp_tile.m, warp_tile.n, warp_tile.k // pack),
    )


def _operand_type(dtype: Dtype, arch: ArchSpecs) -> str:
    facts = arch.dtype(dtype)
    return facts.cxx_type if facts.pack == 1 else _BYTE


def _object_bytes(dtype: Dtype, arch: ArchSpecs) -> int:
    """The size of one C++ object of ``dtype``, which holds several elements of a packed one."""
    facts = arch.dtype(dtype)
    return int(facts.bytes * facts.pack)
