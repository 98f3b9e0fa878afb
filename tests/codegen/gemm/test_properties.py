# SPDX-License-Identifier: MIT
"""Properties that hold for whatever spec, declaration or GPU hypothesis comes up with."""

from __future__ import annotations

import json
from typing import Any

from ckgen.core.declaration import parse_declaration
from ckgen.core.expand import expand
from ckgen.core.nearest import nearest_legal
from ckgen.core.tile import Dim3
from ckgen.families import FAMILIES
from ckgen.gemm.names import parse_name
from ckgen.gemm.spec import MAX_DS, DLayout, GemmSpec, Variant
from ckgen.product.spec import Dtype, Epilogue, FusedOp, Layout, Pipeline, Scheduler, SplitK
from codegen_support import ARCH, GEMM, declaration, target
from hypothesis import given, settings
from hypothesis import strategies as st

settings.register_profile("codegen", max_examples=150, deadline=None, database=None)
settings.load_profile("codegen")

_GPUS = tuple(ARCH.architectures.values())
gpus = st.sampled_from(ARCH.gpus)
anything = st.integers(min_value=1, max_value=512)
likely = st.sampled_from((8, 16, 32, 64, 128, 256))
extents = st.builds(Dim3, likely | anything, likely | anything, likely | anything)
waves = st.sampled_from([Dim3(*w) for g in _GPUS for w in g.wave_layouts])
warp_tiles = st.sampled_from(
    sorted({Dim3(*t) for g in _GPUS for tiles in g.warp_tiles.values() for t in tiles})
)
small = st.builds(Dim3, *(st.integers(min_value=1, max_value=8) for _ in range(3)))


@st.composite
def specs(draw: st.DrawFn) -> GemmSpec:
    """Any spec at all, most of them illegal."""
    return GemmSpec(
        variant=draw(st.sampled_from(Variant)),
        dtype_a=draw(st.sampled_from(Dtype)),
        dtype_b=draw(st.sampled_from(Dtype)),
        dtype_c=draw(st.sampled_from(Dtype)),
        dtype_acc=draw(st.sampled_from(Dtype)),
        layout=draw(st.sampled_from(Layout)),
        tile=draw(extents),
        waves=draw(waves | small),
        warp_tile=draw(warp_tiles | extents),
        pipeline=draw(st.sampled_from(Pipeline)),
        epilogue=draw(st.sampled_from(Epilogue)),
        scheduler=draw(st.sampled_from(Scheduler)),
        pad_m=draw(st.booleans()),
        pad_n=draw(st.booleans()),
        pad_k=draw(st.booleans()),
        persistent=draw(st.booleans()),
        split_k=draw(st.sampled_from(SplitK)),
        fused_op=draw(st.sampled_from(FusedOp)),
        d_count=draw(st.integers(min_value=0, max_value=MAX_DS + 1)),
        dtype_d=draw(st.sampled_from(Dtype)),
        d_layout=draw(st.sampled_from(DLayout)),
    )


@st.composite
def near_misses(draw: st.DrawFn) -> GemmSpec:
    """A spec with dtypes that some GPU multiplies, the rest as it comes."""
    spec = draw(specs())
    combination = draw(st.sampled_from(ARCH.dtype_combinations))
    values = spec.to_json() | {
        "dtype_a": combination.a,
        "dtype_b": combination.b,
        "dtype_c": combination.output,
        "dtype_acc": combination.accumulator,
    }
    return GemmSpec.from_json(values)


def some(choices: list[Any]) -> st.SearchStrategy[Any]:
    """A wildcard, one choice, or a list of some."""
    lists = st.lists(st.sampled_from(choices), min_size=1, max_size=3)
    return st.just("*") | st.sampled_from(choices) | lists


def few(choices: list[Any]) -> st.SearchStrategy[Any]:
    """One choice, or a list of two: what an entry means is the product of all its fields."""
    return st.sampled_from(choices) | st.lists(st.sampled_from(choices), min_size=2, max_size=2)


entries = st.fixed_dictionaries(
    {
        "tile": some([[64, 64, 32], [128, 128, 64], [256, 256, 32], [16, 64, 64], [96, 64, 16]]),
        "waves": some([[2, 2, 1], [4, 1, 1], [1, 4, 1], [4, 2, 1], [8, 1, 1]]),
        "warp_tile": some([[32, 32, 16], [16, 16, 16], [32, 32, 8], [4, 64, 16]]),
        "variant": few([variant.value for variant in Variant]),
        "pipeline": some([pipeline.value for pipeline in Pipeline]),
        "layout": some(["rcr", "rrr", "crr", "ccr"]),
        "epilogue": some(["cshuffle", "default"]),
        "scheduler": some([scheduler.value for scheduler in Scheduler]),
        "split_k": few([split_k.value for split_k in SplitK]),
        "fused_op": few(["PassThrough", "Gelu", "MultiDMultiply", "MultiDAddSilu"]),
        "d_count": few([0, 1, MAX_DS]),
    }
)


@given(specs(), gpus)
def test_judging_any_spec_gives_a_verdict_of_every_rule(spec: GemmSpec, gpu: str) -> None:
    verdict = GEMM.judge(spec, target(gpu))
    assert [finding.rule for finding in verdict.findings] == list(GEMM.rules)
    assert verdict.legal == GEMM.is_legal(spec, target(gpu))


@given(specs())
def test_a_spec_survives_json(spec: GemmSpec) -> None:
    assert GemmSpec.from_json(json.loads(json.dumps(spec.to_json()))) == spec


@given(specs())
def test_a_name_reads_back_into_the_same_spec(spec: GemmSpec) -> None:
    assert parse_name(spec.name) == spec


@given(specs(), specs())
def test_different_specs_have_different_names(one: GemmSpec, other: GemmSpec) -> None:
    assert (one.name == other.name) == (one == other)


@given(specs())
def test_a_name_is_safe_as_a_file_a_target_and_a_c_identifier(spec: GemmSpec) -> None:
    assert spec.name.isascii() and spec.name.isidentifier()


@settings(max_examples=60)
@given(near_misses(), gpus)
def test_the_nearest_legal_choice_is_legal_and_its_own_nearest(spec: GemmSpec, gpu: str) -> None:
    nearest = nearest_legal(GEMM, spec, target(gpu))
    if nearest is not None:
        assert GEMM.judge(nearest, target(gpu)).violations == ()
        assert nearest_legal(GEMM, nearest, target(gpu)) == nearest


@settings(max_examples=60)
@given(near_misses(), gpus)
def test_a_legal_choice_is_found_wherever_the_gpu_multiplies_the_dtypes(
    spec: GemmSpec, gpu: str
) -> None:
    facts = ARCH.gpu(gpu)
    tiles = set(facts.warp_tiles.get(spec.dtype_key, ()))
    usable = tiles - set(facts.broken_warp_tiles.get(spec.dtype_key, ()))
    if spec.layout is not Layout.RCR:
        usable -= set(facts.contiguous_k_warp_tiles.get(spec.dtype_key, ()))
        usable = set() if ARCH.dtype(spec.dtype_a).pack > 1 else usable
    if usable:
        assert nearest_legal(GEMM, spec, target(gpu)) is not None


@settings(max_examples=40)
@given(entries, gpus)
def test_whatever_expands_is_legal_where_it_says_and_unique(
    entry: dict[str, Any], gpu: str
) -> None:
    data = declaration({**entry, "gpus": [gpu]})
    expansion = expand(parse_declaration(data, FAMILIES, ARCH.gpus, "x.json"), ARCH)
    names = [kernel.name for kernel in expansion.kernels]
    assert len(set(names)) == len(names)
    assert bool(names) != bool(expansion.errors)
    for kernel in expansion.kernels:
        assert kernel.gpus == (gpu,)
        assert GEMM.is_legal(kernel.spec, target(gpu))
        assert set(kernel.gpus) | set(kernel.refused) == set(ARCH.gpus)
