# SPDX-License-Identifier: MIT
"""What names say of a matrix product."""

from __future__ import annotations

import re
from typing import Any, TypeVar

from ckgen.core.errors import SpecError
from ckgen.core.naming import EXTENTS, one_of
from ckgen.core.spec import KernelSpec
from ckgen.core.tile import Dim3
from ckgen.product.spec import (
    SPLIT_K_WORDS,
    Dtype,
    Epilogue,
    FusedOp,
    Pipeline,
    Scheduler,
    SplitK,
    implied_dtypes,
)

S = TypeVar("S", bound=KernelSpec)

_SPLIT_KS = {word: split_k for split_k, word in SPLIT_K_WORDS.items()}

LOOP = (
    rf"_(?P<pipeline>{one_of(Pipeline)})_(?P<epilogue>{one_of(Epilogue)})"
    rf"_(?P<scheduler>{one_of(Scheduler)})"
)
GEOMETRY = rf"_(?P<tile>{EXTENTS})_(?P<waves>{EXTENTS})_(?P<warp_tile>{EXTENTS})"
DTYPES = (
    rf"(?:_b(?P<b>{one_of(Dtype)}))?(?:_c(?P<c>{one_of(Dtype)}))?(?:_acc(?P<acc>{one_of(Dtype)}))?"
)
SPLIT = rf"(?:_(?P<split_k>{'|'.join(_SPLIT_KS)}))?"
FUSED = rf"(?P<fused_op>{one_of(FusedOp)})_d(?P<d_count>\d+)"


def product_fields(match: re.Match[str]) -> dict[str, Any]:
    """The fields that a spec has of all these parts but the dtypes."""
    return {
        **{name: Dim3.parse(match[name]) for name in ("tile", "waves", "warp_tile")},
        "pipeline": Pipeline(match["pipeline"]),
        "epilogue": Epilogue(match["epilogue"]),
        "scheduler": Scheduler(match["scheduler"]),
        "split_k": _SPLIT_KS.get(match["split_k"], SplitK.NONE),
        "fused_op": FusedOp(match["fused_op"] or FusedOp.PASS_THROUGH),
        "d_count": int(match["d_count"] or 0),
    }


def product_dtypes(match: re.Match[str]) -> tuple[Dtype, Dtype, Dtype, Dtype]:
    """Those of A, B and C and of the accumulator; what is not named is implied by A's."""
    a = Dtype(match["a"])
    accumulator, c = implied_dtypes(a)
    b, c, accumulator = (
        Dtype(match[part]) if match[part] else implied
        for part, implied in (("b", a), ("c", c), ("acc", accumulator))
    )
    return a, b, c, accumulator


def named(spec: S, name: str) -> S:
    """The spec, if it is called so; raises ``SpecError`` otherwise."""
    if spec.name != name:
        raise SpecError(f"{name!r} names what is implied anyway; the kernel is called {spec.name}")
    return spec
