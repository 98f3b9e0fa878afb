# SPDX-License-Identifier: MIT
"""A legal config to start from, and configs that hypothesis makes up."""

from __future__ import annotations

from typing import Any

from ckarch import load_specs
from ckdispatch.gemm.config import GemmConfig
from hypothesis import strategies as st

SPECS = load_specs()

FIELDS: dict[str, Any] = {
    "dtype": "fp16",
    "layout": "rcr",
    "tile": [128, 128, 32],
    "waves": [2, 2, 1],
    "warp_tile": [32, 32, 16],
    "pipeline": "compv4",
}
"""What must be said; legal on gfx942."""

BASE_NAME = (
    "gemm_fp16_rcr_compv4_cshuffle_intrawave_False_False_False_False_128x128x32_2x2x1_32x32x16"
)


def gemm(**changes: Any) -> GemmConfig:
    """The legal config with some fields said differently."""
    return GemmConfig(**{**FIELDS, **changes})


_extents = st.sampled_from([1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256])
_triples = st.lists(_extents, min_size=3, max_size=3)
_flags = st.booleans()
_dtypes = st.sampled_from(["fp16", "bf16", "fp32", "fp8", "bf8", "int8", "pk_fp4"])

_CHOICES: dict[str, st.SearchStrategy[Any]] = {
    "dtype": _dtypes,
    "dtype_b": _dtypes,
    "dtype_c": _dtypes,
    "layout": st.sampled_from(["rcr", "rrr", "crr", "ccr"]),
    "tile": _triples,
    "waves": st.sampled_from(
        [list(w) for g in SPECS.architectures.values() for w in g.wave_layouts]
    )
    | _triples,
    "warp_tile": st.sampled_from([[32, 32, 16], [16, 16, 16], [32, 32, 8], [16, 16, 32]])
    | _triples,
    "pipeline": st.sampled_from(["mem", "compv3", "compv4", "compv5", "compv6", "preshufflev2"]),
    "epilogue": st.sampled_from(["cshuffle", "default"]),
    "scheduler": st.sampled_from(["intrawave", "interwave", "default"]),
    "pad": st.lists(_flags, min_size=3, max_size=3),
    "persistent": _flags,
    "split_k": st.sampled_from(["none", "atomic", "workspace"]),
    "variant": st.sampled_from(
        ["standard", "batched", "grouped", "multi_d", "preshuffle", "stream_k"]
    ),
    "fused_op": st.sampled_from(["PassThrough", "MultiDAdd", "Relu", "MultiDAddRelu"]),
    "d_count": st.integers(0, 4),
    "dtype_d": _dtypes,
    "d_layout": st.sampled_from(["r", "c"]),
}
_OPTIONAL = (
    "dtype_b",
    "dtype_c",
    "epilogue",
    "scheduler",
    "pad",
    "persistent",
    "split_k",
    "variant",
    "fused_op",
    "d_count",
    "dtype_d",
    "d_layout",
)


def _fields(wrap: Any) -> st.SearchStrategy[dict[str, Any]]:
    required = {name: wrap(s) for name, s in _CHOICES.items() if name not in _OPTIONAL}
    optional = {name: wrap(_CHOICES[name]) for name in _OPTIONAL}
    return st.fixed_dictionaries(required, optional=optional)


explicit_configs = _fields(lambda choice: choice).map(lambda said: GemmConfig(**said))
"""One kernel each, most of them illegal."""

configs = _fields(
    lambda choice: st.just("*") | choice | st.lists(choice, min_size=1, max_size=3)
).map(lambda said: GemmConfig(**said))
"""Wildcards, choices and lists in any mixture."""

small_configs = st.fixed_dictionaries(
    {},
    optional={
        name: st.just("*") | st.lists(_CHOICES[name], min_size=1, max_size=3)
        for name in ("tile", "pipeline", "scheduler", "pad", "split_k")
    },
).map(lambda said: gemm(**said))
"""Wildcards and lists of few fields, which expand to hundreds of kernels at most."""

gpus = st.sampled_from(SPECS.gpus)
