# SPDX-License-Identifier: MIT
"""``Registry.build``: from configs to results, with the real compiler."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from ckdispatch import Dispatcher, GemmConfig, GroupedConvConfig, Registry
from ckdispatch.errors import BuildFailed, InvalidArgument, JitForbidden
from dispatch_support import random

CONFIG = GemmConfig(
    dtype="fp16",
    layout="rcr",
    tile=[64, 64, 32],
    waves=[2, 2, 1],
    warp_tile=[16, 16, 16],
    pipeline="compv3",
    pad=[True, True, True],
)

CONVOLUTION = GroupedConvConfig(
    ndim_spatial=1,
    dtype="fp16",
    tile=[64, 64, 64],
    waves=[2, 2, 1],
    warp_tile=[32, 32, 16],
    pipeline="compv3",
)


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cache of these tests' own."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CKDISPATCH_CACHE", str(folder))
        yield folder


def test_what_may_not_be_compiled_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CKDISPATCH_JIT", "0")
    registry = Registry([CONFIG])
    with pytest.raises((BuildFailed, JitForbidden), match="CKDISPATCH_JIT"):
        registry.build()
    assert len(registry) == 0


def test_a_config_that_a_rule_refuses_raises_before_anything_is_compiled() -> None:
    registry = Registry([CONFIG.replace(tile=[48, 64, 32])])
    with pytest.raises(InvalidArgument, match="tile"):
        registry.build()
    assert len(registry) == 0


def test_configs_of_all_families_become_kernels_that_run() -> None:
    registry = Registry([CONFIG, CONVOLUTION])
    results = registry.build("gfx942", max_workers=2)
    assert [result.name for result in results] == [CONFIG.name, CONVOLUTION.name]
    assert all(result.ok and not result.cached for result in results)
    assert registry.families == ("gemm", "grouped_conv")
    on = Dispatcher(registry, "sim:gfx942")
    assert on.gemm(random((37, 64), 1), random((64, 48), 2), validate=True).kernel == CONFIG.name
    assert (
        on.conv(random((1, 9, 8), 1), random((8, 3, 8), 2), validate=True).kernel
        == CONVOLUTION.name
    )


def test_a_second_registry_finds_them_in_the_cache() -> None:
    registry = Registry([CONFIG, CONFIG])
    assert all(result.ok and result.cached for result in registry.build("gfx942"))
    assert len(registry) == 1
