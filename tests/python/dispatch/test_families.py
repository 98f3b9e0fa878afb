# SPDX-License-Identifier: MIT
"""A registry of several families does for each what it does for one."""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence

import numpy as np
import pytest
from ckdispatch import Dispatcher, DuplicatePolicy, GemmProblem, GroupedConvProblem, Registry
from ckdispatch.errors import Damaged, DuplicateKernel, InvalidArgument, NoKernel, NotFound
from conv_support import BACKWARD_DATA, BACKWARD_WEIGHT, FORWARD, MANY, kernel_name
from dispatch_support import ESSENTIAL, PADDED, random

CONVOLUTIONS = (FORWARD, BACKWARD_DATA, BACKWARD_WEIGHT)
GEMM = GemmProblem(64, 64, 64)
CONV = GroupedConvProblem(1, 1, 64, 64, (8, 8), 3)
FIRST = kernel_name("fwd", MANY)


def mixed() -> Registry:
    return Registry.load(*CONVOLUTIONS, ESSENTIAL)


def names(registry: Registry) -> list[str]:
    return [kernel.name for kernel in registry]


def test_sets_of_several_families_are_loaded_together() -> None:
    registry = mixed()
    assert registry.families == ("gemm", "grouped_conv")
    assert len(registry) == len(Registry.load(ESSENTIAL)) + len(Registry.load(*CONVOLUTIONS))
    assert names(registry) == names(Registry.load(ESSENTIAL, *reversed(CONVOLUTIONS)))
    assert PADDED in registry
    assert FIRST in registry


def test_the_family_of_a_problem_chooses_the_kernels() -> None:
    registry = mixed()
    assert registry.select(GEMM).kernel.startswith("gemm_")
    assert registry.select(CONV).kernel.startswith("grouped_conv_fwd_")
    assert registry.select(CONV, kernel=FIRST).kernel == FIRST
    assert "refused" in registry.explain(CONV)


def test_a_family_without_kernels_has_none_that_fits() -> None:
    with pytest.raises(NoKernel, match="it has none"):
        Registry.load(FORWARD).select(GEMM)
    with pytest.raises(NoKernel, match="it has none"):
        Registry.load(ESSENTIAL).select(CONV)


def test_kernels_of_any_family_are_found_by_name_and_key() -> None:
    registry = mixed()
    for name in (PADDED, FIRST):
        assert registry[name].name == registry[registry[name].key].name == name
    with pytest.raises(NotFound, match="has no kernel nothing"):
        _ = registry["nothing"]
    with pytest.raises(NotFound, match=r"has no kernel gemm\{"):
        _ = Registry.load(FORWARD)[registry[PADDED].key]
    with pytest.raises(NotFound, match="has no kernel nothing"):
        _ = Registry()["nothing"]


def test_a_field_that_only_one_family_has_filters_the_others_out() -> None:
    registry = mixed()
    assert registry.filter(dtype_a="fp16").families == ("gemm",)
    assert registry.filter(dtype_x="fp16").families == ("grouped_conv",)
    assert registry.filter(pipeline="compv3").families == ("gemm", "grouped_conv")
    assert registry.filter(family="grouped_conv", variant="forward").families == ("grouped_conv",)
    assert len(registry.filter(gpu="gfx950")) == 0
    assert names(registry.filter(predicate=lambda kernel: kernel.name in (FIRST, PADDED))) == [
        PADDED,
        FIRST,
    ]


def test_a_field_that_no_family_has_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="A filter by 'colour'"):
        mixed().filter(colour="red")
    with pytest.raises(InvalidArgument, match="A filter by 'colour'"):
        Registry().filter(colour="red")
    with pytest.raises(
        InvalidArgument, match="of the family cooking; this version has gemm, grouped_conv, fmha"
    ):
        mixed().filter(family="cooking")


def test_a_library_tells_its_family() -> None:
    registry = Registry()
    for name in (FIRST, PADDED):
        assert registry.add_library(mixed()[name].library) == name
        with pytest.raises(DuplicateKernel):
            registry.add_library(mixed()[name].library)
    assert registry.families == ("gemm", "grouped_conv")


def test_kernels_of_any_family_can_be_removed() -> None:
    registry = mixed()
    for name in (FIRST, PADDED):
        registry.remove(name)
        assert name not in registry
        with pytest.raises(NotFound, match="to be removed"):
            registry.remove(name)


def test_registries_of_several_families_are_merged() -> None:
    registry = Registry.load(ESSENTIAL)
    with pytest.raises(DuplicateKernel):
        registry.merge(mixed())
    assert registry.families == ("gemm",)
    registry.merge(mixed(), duplicates=DuplicatePolicy.KEEP)
    assert names(registry) == names(mixed())


def test_a_merge_that_one_family_refuses_adds_nothing_of_another() -> None:
    registry = Registry.load(FORWARD)
    before = names(registry)
    with pytest.raises(DuplicateKernel):
        registry.merge(mixed())
    assert names(registry) == before


def test_json_gives_the_same_registry_back() -> None:
    registry = mixed()
    document = json.loads(json.dumps(registry.to_json()))
    assert {kernel["family"] for kernel in document["kernels"]} == {"gemm", "grouped_conv"}
    assert document["statistics"]["kernels"] == len(registry)
    assert document["statistics"]["gpus"] == {"gfx942": len(registry)}
    convolutions = Registry.load(*CONVOLUTIONS)
    assert document["statistics"]["fields"]["layout"] == {
        "rcr": len(Registry.load(ESSENTIAL)),
        **{word: len(convolutions.filter(layout=word)) for word in ("nhwgc", "ngchw")},
    }
    again = Registry.from_json(document)
    assert again.to_json()["kernels"] == registry.to_json()["kernels"]
    assert names(pickle.loads(pickle.dumps(registry))) == names(registry)
    assert len(pickle.loads(pickle.dumps(Registry()))) == 0


def test_json_of_several_families_that_is_damaged_is_refused() -> None:
    document = mixed().to_json()
    with pytest.raises(Damaged, match="has no 'spec'"):
        Registry.from_json({**document, "kernels": [{}]})
    odd = [
        {**document["kernels"][0], "spec": {**document["kernels"][0]["spec"], "family": "cooking"}}
    ]
    with pytest.raises(InvalidArgument, match="the family cooking"):
        Registry.from_json({**document, "kernels": odd})


def test_a_dispatcher_runs_every_family_it_has() -> None:
    on = Dispatcher(mixed())
    a, b = on.to_device(random((64, 64), 1)), on.to_device(random((64, 64), 2), column_major=True)
    c = on.empty((64, 64))
    on.run(GEMM, a, b, c)
    assert np.allclose(
        c.numpy(), a.numpy().astype(np.float32) @ b.numpy().astype(np.float32), atol=0.05
    )
    x, w = on.to_device(random((1, 8, 8, 64), 3)), on.to_device(random((64, 3, 3, 64), 4))
    y = on.empty((1, 6, 6, 64))
    first = on.run(CONV, x, w, y)
    assert on.run(CONV, x, w, y) is first
    part = x.numpy()[0, 2:5, 1:4].astype(np.float32).reshape(-1)
    assert np.allclose(
        y.numpy()[0, 2, 1], w.numpy().astype(np.float32).reshape(64, -1) @ part, atol=0.1
    )


def test_a_family_that_comes_later_has_the_same_strategy_and_device() -> None:
    asked: list[str] = []

    def choose(_problem: object, kernels: Sequence[str]) -> int:
        asked.extend(kernels)
        return 0

    registry = Registry.load(ESSENTIAL)
    on = Dispatcher(registry, chooser=choose)
    on.run(GEMM, *(on.to_device(random((64, 64), 1)) for _ in range(3)))
    registry.merge(Registry.load(FORWARD))
    asked.clear()
    x, w, y = (
        on.to_device(random(shape, 2)) for shape in ((1, 8, 8, 64), (64, 3, 3, 64), (1, 6, 6, 64))
    )
    on.run(CONV, x, w, y)
    assert FIRST in asked
