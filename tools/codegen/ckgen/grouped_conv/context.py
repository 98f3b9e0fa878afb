# SPDX-License-Identifier: MIT
"""The variables of the grouped convolution template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckarch import ArchSpecs

from ckgen.core.spec import canonical_json
from ckgen.gemm.context import cxx_names
from ckgen.gemm.pipelines import loop_variants, prefetch_stages
from ckgen.grouped_conv.spec import GroupedConvSpec, Specialization

_FILTERS = {
    Specialization.DEFAULT: "any",
    Specialization.FILTER_1X1_PAD0: "unit",
    Specialization.FILTER_1X1_STRIDE1_PAD0: "unit_stride_1",
    Specialization.FILTER_3X3: "three",
}


def template_context(spec: GroupedConvSpec, arch: ArchSpecs) -> Mapping[str, Any]:
    """What ``kernel.cpp.j2`` sees: the spec, its implicit GEMM, and CK's C++ names."""
    product = spec.implicit_gemm
    return {
        "spec": spec,
        "gemm": product,
        "name": spec.name,
        "spec_json": canonical_json({**spec.to_json(), "name": spec.name}),
        "variants": loop_variants(product, arch),
        "prefetch_stages": prefetch_stages(product, arch),
        "filter": _FILTERS[spec.specialization],
        "cxx": cxx_names(product, arch),
    }
