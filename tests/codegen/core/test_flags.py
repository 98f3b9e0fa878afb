# SPDX-License-Identifier: MIT
"""The compiler flags of exported builds."""

from __future__ import annotations

import json

from ckgen.core.flags import FLAGS_FILE, load_flags
from codegen_support import ARCH


def test_flags_come_from_the_one_file() -> None:
    data = json.loads(FLAGS_FILE.read_text(encoding="utf-8"))
    flags = load_flags()
    assert list(flags.common) == data["common"]
    assert list(flags.device) == data["device"]


def test_kernels_are_optimized_and_free_of_assertions() -> None:
    common = load_flags().common
    assert "-O3" in common and "-DNDEBUG" in common


def test_a_combined_build_names_every_gpu_and_its_wave_size() -> None:
    flags = load_flags().for_combined_library([ARCH.gpu("gfx942"), ARCH.gpu("gfx1100")])
    assert [flag for flag in flags if flag.startswith("--offload-arch")] == [
        "--offload-arch=gfx942",
        "--offload-arch=gfx1100",
    ]
    assert flags[-2:] == ("-DCK_KERNEL_COMBINED", '-DCK_KERNEL_GPUS="gfx942:64,gfx1100:32"')


def test_the_flags_of_one_pass_are_passed_on() -> None:
    flags = load_flags()
    text = " ".join(flags.for_combined_library([ARCH.gpu("gfx942")]))
    assert " ".join(flags.device) in text


def test_a_combined_library_is_linked_with_neither_the_hip_runtime_nor_what_it_does_not_use() -> None:
    assert {"-no-hip-rt", "-Wl,--as-needed"} <= set(load_flags().link)


def test_the_device_passes_of_gpus_that_emulate_fp8_have_flags_of_their_own() -> None:
    flags, old, new = load_flags(), ARCH.gpu("gfx90a"), ARCH.gpu("gfx942")
    own = flags.by_gpu["fp8_emulated"]
    assert flags.for_device_pass(old) == (
        *flags.common,
        *flags.device,
        *own,
        "--offload-arch=gfx90a",
    )
    assert own[-1] not in flags.for_device_pass(new)
    assert own[-1] not in flags.for_host_pass([old])


def test_a_combined_build_has_the_flags_of_some_gpus_once() -> None:
    flags = load_flags()
    own = flags.by_gpu["fp8_emulated"][-1]
    gpus = [ARCH.gpu(name) for name in ("gfx908", "gfx90a", "gfx942")]
    assert flags.for_combined_library(gpus).count(own) == 1
    assert own not in flags.for_combined_library(gpus[2:])


def test_each_pass_alone_has_the_common_flags_and_its_own() -> None:
    flags, gpus = load_flags(), [ARCH.gpu("gfx942"), ARCH.gpu("gfx1100")]
    assert flags.for_device_pass(gpus[0]) == (
        *flags.common,
        *flags.device,
        "--offload-arch=gfx942",
    )
    assert flags.for_host_pass(gpus) == (
        *flags.common,
        *flags.host,
        "--offload-arch=gfx942",
        "--offload-arch=gfx1100",
        '-DCK_KERNEL_GPUS="gfx942:64,gfx1100:32"',
    )


def test_where_wmma_needs_all_lanes_nothing_is_moved_into_branches() -> None:
    flags = load_flags()
    told = {
        gpu.name
        for gpu in ARCH.architectures.values()
        if "-disable-machine-sink" in flags.for_device_pass(gpu)
    }
    assert told == {"gfx1100", "gfx1200", "gfx1201"}


def test_16_bit_values_get_whole_registers_where_the_compiler_would_halve_them() -> None:
    flags = load_flags()
    halved = [gpu.name for gpu in ARCH.architectures.values() if gpu.half_registers]
    told = [
        gpu.name
        for gpu in ARCH.architectures.values()
        if "-real-true16" in flags.for_device_pass(gpu)
    ]
    assert halved == told == ["gfx1100"]
