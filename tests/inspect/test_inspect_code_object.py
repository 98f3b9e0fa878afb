# SPDX-License-Identifier: MIT
import json
from pathlib import Path
from typing import Any

import device_objects
import pytest
from ckinspect.cli import main
from device_objects import compile_hip, register_kernel


def inspect(folder: Path, *objects: tuple[str, Path], flags: tuple[str, ...] = ()) -> int:
    spec = folder / "spec.json"
    spec.write_text('{"tile": [128, 128, 32], "name": "demo"}')
    pairs = [argument for gpu, path in objects for argument in ("--object", f"{gpu}={path}")]
    output = ["--output", str(folder / "demo.json")]
    tools = ["--objdump", device_objects.objdump()]
    return main(["code-object", "--spec", str(spec), *pairs, *tools, *output, *flags])


def kernels(folder: Path, gpu: str, source: str, *flags: str) -> dict[str, Any]:
    assert inspect(folder, (gpu, compile_hip(source, gpu, folder, *flags))) == 0
    found: dict[str, Any] = json.loads((folder / "demo.json").read_text())["gpus"][gpu]["kernels"]
    return found


def test_lds_and_instruction_mix_of_a_kernel(tmp_path: Path) -> None:
    kernel = kernels(tmp_path, "gfx942", device_objects.LDS_KERNEL)["reverse"]
    assert kernel["lds_bytes"] == 4096
    assert kernel["max_workgroup_size"] == 256
    assert kernel["wavefront_size"] == 64
    assert kernel["kernarg_bytes"] == 8
    mix = kernel["instructions"]
    assert (mix["lds"], mix["vmem"], mix["smem"], mix["matrix"]) == (2, 2, 1, 0)
    assert mix["total"] == sum(count for kind, count in mix.items() if kind != "total")
    assert 4 * mix["total"] <= kernel["code_bytes"] <= 8 * mix["total"]


@pytest.mark.parametrize("gpu", ["gfx908", "gfx942", "gfx1100"])
def test_spills_are_counted(gpu: str, tmp_path: Path) -> None:
    source = device_objects.SPILLING_KERNEL + device_objects.LDS_KERNEL
    found = kernels(tmp_path, gpu, source)
    assert found["crowded"]["vgpr_spills"] > 0
    assert found["crowded"]["scratch_bytes"] > 0
    assert (found["reverse"]["vgpr_spills"], found["reverse"]["scratch_bytes"]) == (0, 0)


@pytest.mark.parametrize(("gpu", "vgprs", "waves"), [("gfx942", 128, 4), ("gfx908", 100, 2)])
def test_agprs_add_to_vgprs_only_where_the_file_is_unified(
    gpu: str, vgprs: int, waves: int, tmp_path: Path
) -> None:
    kernel = kernels(tmp_path, gpu, register_kernel("wide", "v99", "a27"))["wide"]
    assert (kernel["vgprs"], kernel["agprs"]) == (vgprs, 28)
    assert (kernel["waves_per_simd"], kernel["occupancy_limits"]) == (waves, ["vgprs"])


@pytest.mark.parametrize(
    ("gpu", "register", "waves", "limits"),
    [
        ("gfx908", "v83", 3, ["vgprs"]),
        ("gfx942", "v83", 5, ["vgprs"]),
        ("gfx1100", "v199", 6, ["vgprs"]),
        ("gfx942", "v7", 8, []),
    ],
)
def test_occupancy_of_a_compiled_kernel(
    gpu: str, register: str, waves: int, limits: list[str], tmp_path: Path
) -> None:
    kernel = kernels(tmp_path, gpu, register_kernel("k", register))["k"]
    assert (kernel["waves_per_simd"], kernel["occupancy_limits"]) == (waves, limits)


@pytest.mark.parametrize(
    ("gpu", "source", "mnemonics"),
    [
        ("gfx908", device_objects.MFMA_KERNEL, {"v_mfma_f32_32x32x8f16": 3}),
        ("gfx942", device_objects.MFMA_KERNEL, {"v_mfma_f32_32x32x8_f16": 3}),
        ("gfx1100", device_objects.WMMA_KERNEL, {"v_wmma_f32_16x16x16_f16": 1}),
    ],
)
def test_matrix_instructions_are_counted(
    gpu: str, source: str, mnemonics: dict[str, int], tmp_path: Path
) -> None:
    kernel = kernels(tmp_path, gpu, source)["multiply"]
    assert kernel["matrix_mnemonics"] == mnemonics
    assert kernel["instructions"]["matrix"] == sum(mnemonics.values())


def test_a_stripped_object_reads_the_same(tmp_path: Path) -> None:
    folders = [tmp_path / "whole", tmp_path / "stripped"]
    for folder in folders:
        folder.mkdir()
    whole = kernels(folders[0], "gfx942", device_objects.MFMA_KERNEL)
    strip = ("-Xoffload-linker", "--strip-all")
    assert kernels(folders[1], "gfx942", device_objects.MFMA_KERNEL, *strip) == whole
    sizes = [(folder / "gfx942.co").stat().st_size for folder in folders]
    assert sizes[1] < sizes[0]


def test_code_outside_kernels_is_listed_and_summed(tmp_path: Path) -> None:
    source = """
    __attribute__((device, noinline)) float square(float x) { return x * x; }
    KERNEL void caller(float* p) { *p = square(*p); }
    """
    assert inspect(tmp_path, ("gfx942", compile_hip(source, "gfx942", tmp_path))) == 0
    report = json.loads((tmp_path / "demo.json").read_text())["gpus"]["gfx942"]
    assert list(report["functions"]) == ["_Z6squaref"]
    sizes = [report["functions"]["_Z6squaref"], report["kernels"]["caller"]]
    assert report["summary"]["code_bytes"] == sum(entry["code_bytes"] for entry in sizes)


def test_the_summary_takes_the_worst_kernel_and_the_sum_of_spills(tmp_path: Path) -> None:
    source = (
        device_objects.SPILLING_KERNEL
        + device_objects.LDS_KERNEL
        + register_kernel("wide", "v99", "a27", "s60")
    )
    assert inspect(tmp_path, ("gfx942", compile_hip(source, "gfx942", tmp_path))) == 0
    report = json.loads((tmp_path / "demo.json").read_text())["gpus"]["gfx942"]
    found, summary = report["kernels"], report["summary"]
    assert summary["vgprs"] == found["wide"]["vgprs"] == 128
    assert summary["agprs"] == 28
    assert summary["sgprs"] == found["wide"]["sgprs"]
    assert summary["lds_bytes"] == 4096
    assert summary["vgpr_spills"] == found["crowded"]["vgpr_spills"]
    assert summary["scratch_bytes"] == found["crowded"]["scratch_bytes"]
    assert summary["waves_per_simd"] == 4
    assert summary["code_bytes"] == sum(kernel["code_bytes"] for kernel in found.values())


def test_the_same_objects_give_the_same_bytes_wherever_they_are(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    written = []
    for folder in (here, there):
        folder.mkdir()
        objects = [
            (gpu, compile_hip(device_objects.LDS_KERNEL, gpu, folder, "-fuse-cuid=none"))
            for gpu in ("gfx942", "gfx1100")
        ]
        order = objects if folder == here else objects[::-1]
        assert inspect(folder, *order) == 0
        written.append((folder / "demo.json").read_bytes())
    assert written[0] == written[1]
    assert written[0].endswith(b"}\n")
    assert str(tmp_path).encode() not in written[0]
    document = json.loads(written[0])
    assert document["name"] == "demo"
    assert document["spec"] == {"name": "demo", "tile": [128, 128, 32]}
    assert sorted(document["gpus"]) == ["gfx1100", "gfx942"]


def test_the_resources_header_is_a_cxx_literal_of_the_summaries(tmp_path: Path) -> None:
    header = tmp_path / "demo.inc"
    code_object = compile_hip(device_objects.LDS_KERNEL, "gfx942", tmp_path)
    flags = ("--resources-header", str(header))
    assert inspect(tmp_path, ("gfx942", code_object), flags=flags) == 0
    literal = header.read_text()
    assert literal.startswith('R"json(') and literal.endswith(')json"\n')
    text = literal[len('R"json(') : -len(')json"\n')]
    summary = json.loads((tmp_path / "demo.json").read_text())["gpus"]["gfx942"]["summary"]
    assert json.loads(text) == {"gfx942": summary}
    source = tmp_path / "use.cpp"
    source.write_text(device_objects.literal_check("demo.inc", len(text)))
    device_objects.check_cxx(source)
