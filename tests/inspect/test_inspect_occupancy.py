# SPDX-License-Identifier: MIT
from pathlib import Path
from typing import Any

import device_objects
import pytest
from ckarch import load_specs
from ckinspect import elf, metadata
from ckinspect.metadata import KernelMetadata
from ckinspect.occupancy import Occupancy, occupancy


def kernel(**changes: Any) -> KernelMetadata:
    fields: dict[str, Any] = dict(
        symbol="k",
        vgprs=8,
        agprs=0,
        sgprs=16,
        vgpr_spills=0,
        sgpr_spills=0,
        lds_bytes=0,
        scratch_bytes=0,
        kernarg_bytes=8,
        wavefront_size=64,
        max_workgroup_size=256,
        workgroup_processor_mode=False,
        dynamic_stack=False,
    )
    return KernelMetadata(**{**fields, **changes})


CDNA_CASES = [
    ("gfx942", {}, 8, ()),
    ("gfx908", {}, 10, ()),
    # 188 rounds up to 192 of 512; gfx908 has 256 and rounds 127 to 128.
    ("gfx942", dict(vgprs=188, agprs=64), 2, ("vgprs",)),
    ("gfx908", dict(vgprs=127, agprs=64), 2, ("vgprs",)),
    ("gfx942", dict(vgprs=128), 4, ("vgprs",)),
    ("gfx942", dict(vgprs=129), 3, ("vgprs",)),
    ("gfx942", dict(sgprs=112), 7, ("sgprs",)),
    # 20 KiB fit three times into 64 KiB; each workgroup puts one wave on each SIMD.
    ("gfx942", dict(lds_bytes=20480), 3, ("lds",)),
    ("gfx942", dict(vgprs=192, lds_bytes=32768), 2, ("vgprs", "lds")),
    ("gfx942", dict(lds_bytes=65536), 1, ("lds",)),
    # Seven slots on each of four SIMDs take three workgroups of eight waves.
    ("gfx942", dict(vgprs=65, max_workgroup_size=512), 6, ("vgprs",)),
    # The allocation unit of gfx950 keeps a fifth 32 KiB out of its 160 KiB.
    ("gfx950", dict(lds_bytes=32768), 4, ("lds",)),
    ("gfx950", dict(lds_bytes=163840), 1, ("lds",)),
    ("gfx908", dict(vgprs=200, max_workgroup_size=512), 0, ("vgprs",)),
]


@pytest.mark.parametrize(("gpu", "changes", "waves", "limits"), CDNA_CASES)
def test_cdna_occupancy(
    gpu: str, changes: dict[str, Any], waves: int, limits: tuple[str, ...]
) -> None:
    assert occupancy(kernel(**changes), load_specs().gpu(gpu)) == Occupancy(waves, limits)


RDNA_CASES = [
    ({}, 16, ()),
    # 200 rounds up to 216 of 1536.
    (dict(vgprs=200, max_workgroup_size=32), 7, ("vgprs",)),
    (dict(vgprs=200), 6, ("vgprs",)),
    # Wave64 has half the registers for twice the lanes.
    (dict(vgprs=96, wavefront_size=64, max_workgroup_size=64), 8, ("vgprs",)),
    # 40 KiB fit three times into the 128 KiB of a pair of CUs, once into the 64 KiB of one.
    (dict(lds_bytes=40960), 6, ("lds",)),
    (dict(lds_bytes=40960, workgroup_processor_mode=False), 4, ("lds",)),
]


@pytest.mark.parametrize(("changes", "waves", "limits"), RDNA_CASES)
def test_rdna_occupancy(changes: dict[str, Any], waves: int, limits: tuple[str, ...]) -> None:
    changed = kernel(**{"wavefront_size": 32, "workgroup_processor_mode": True, **changes})
    assert occupancy(changed, load_specs().gpu("gfx1100")) == Occupancy(waves, limits)


@pytest.mark.parametrize("gpu", load_specs().gpus)
def test_register_limits_agree_with_the_compiler(gpu: str, tmp_path: Path) -> None:
    # One wave per workgroup and no LDS: only the register file is left, which the compiler knows.
    counts = (1, 8, 24, 25, 32, 48, 49, 64, 65, 84, 85, 96, 97, 120, 128, 129, 168, 169, 200, 256)
    source = "".join(
        device_objects.register_kernel(f"v{n}", f"v{n - 1}", workgroup=32) for n in counts
    )
    path, expected = device_objects.compiler_occupancy(source, gpu, tmp_path)
    kernels = metadata.read(elf.parse(path.read_bytes()).notes).kernels
    spec = load_specs().gpu(gpu)
    assert len(expected) == len(counts)
    assert {k.symbol: occupancy(k, spec).waves_per_simd for k in kernels} == expected
