# SPDX-License-Identifier: MIT
"""Every table that Composable Kernel's dispatcher published is in the specs, value for value.

``published_tables.json`` was transcribed from the publication, independently of the specs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from arch_support import SPECS
from ckarch import ArchSpecs, load_specs

TABLES: dict[str, Any] = json.loads(
    (Path(__file__).parent / "published_tables.json").read_text("utf-8")
)
GPUS = tuple(TABLES["families"])


@pytest.fixture(name="specs", scope="module")
def _specs() -> ArchSpecs:
    return load_specs(SPECS)


def _rows(tiles: Any) -> dict[str, set[tuple[int, ...]]]:
    return {key: {tuple(row) for row in rows} for key, rows in tiles.items()}


@pytest.mark.parametrize("gpu", GPUS)
def test_family(specs: ArchSpecs, gpu: str) -> None:
    assert specs.gpu(gpu).family == TABLES["families"][gpu]


@pytest.mark.parametrize("gpu", GPUS)
def test_wave_layouts(specs: ArchSpecs, gpu: str) -> None:
    assert [list(row) for row in specs.gpu(gpu).wave_layouts] == TABLES["wave_layouts"][gpu]


# What Composable Kernel computes by fp32 instructions; the publication leaves it out, and it works.
_MIXED = {"fp8_bf8_fp32": [(32, 32, 16), (32, 32, 32)], "bf8_fp8_fp32": [(32, 32, 16)]}
_SAME = {name: [(32, 32, 16), (32, 32, 32)] for name in ("fp8_fp8_fp32", "bf8_bf8_fp32")}
EMULATED: dict[str, Any] = {"gfx908": {**_SAME, **_MIXED}, "gfx90a": _MIXED}


@pytest.mark.parametrize("gpu", GPUS)
def test_warp_tiles(specs: ArchSpecs, gpu: str) -> None:
    published = {**TABLES["warp_tiles"][gpu], **EMULATED.get(gpu, {})}
    assert _rows(specs.gpu(gpu).warp_tiles) == _rows(published)


@pytest.mark.parametrize("gpu", EMULATED)
def test_only_what_is_not_published_was_added(gpu: str) -> None:
    assert not set(EMULATED[gpu]) & set(TABLES["warp_tiles"][gpu])


@pytest.mark.parametrize("gpu", GPUS)
def test_preshuffle_warp_tiles(specs: ArchSpecs, gpu: str) -> None:
    found = _rows(specs.gpu(gpu).preshuffle_warp_tiles)
    published = _rows(TABLES["preshuffle_warp_tiles"].get(gpu, {}))
    # What the publication leaves out works, with the warp tiles of plain weights.
    plain = _rows(specs.gpu(gpu).warp_tiles)
    assert {key: rows for key, rows in found.items() if key in published} == published
    added = {key: rows for key, rows in found.items() if key not in published}
    assert added == {key: plain[key] for key in added}


@pytest.mark.parametrize("gpu", TABLES["preshuffle_warp_tiles"])
def test_preshuffle_pipelines(specs: ArchSpecs, gpu: str) -> None:
    offered = [name for name in specs.gpu(gpu).pipelines if specs.pipeline(name).preshuffle]
    assert offered == TABLES["preshuffle_pipelines"]


@pytest.mark.parametrize("pipeline", [name for name in TABLES["lds_limits"] if name != "default"])
def test_lds_limits_follow_from_the_capacity_and_the_buffers(
    specs: ArchSpecs, pipeline: str
) -> None:
    limits = TABLES["lds_limits"]
    # The publication states the limits of a GPU whose capacity is its "default".
    published = [gpu for gpu in map(specs.gpu, GPUS) if gpu.lds_bytes == limits["default"]]
    assert [gpu.name for gpu in published] == [name for name in GPUS if name != "gfx950"]
    for gpu in published:
        assert gpu.lds_limit(specs.pipeline(pipeline)) == limits[pipeline]


def test_dtypes(specs: ArchSpecs) -> None:
    sizes = {name: dtype.bytes for name, dtype in specs.dtypes.items()}
    assert sizes == TABLES["element_bytes"]


def test_unsupported_traits(specs: ArchSpecs) -> None:
    assert sorted(map(list, specs.unsupported_traits)) == TABLES["unsupported_traits"]


def test_dtype_combinations(specs: ArchSpecs) -> None:
    found = {f"{c.a}_{c.b}": c.accumulator for c in specs.dtype_combinations}
    assert found == TABLES["accumulators"]
