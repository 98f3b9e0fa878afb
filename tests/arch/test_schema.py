# SPDX-License-Identifier: MIT
"""The schema accepts the project's specs and names the field of everything else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from arch_support import SPECS, document, write
from ckarch import ArchError, SpecError, load_specs
from ckarch.schema import FOREIGN_FIELDS, GPU_FIELDS, find_problems

GPU = "architectures.gfx942"


def _changed(path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    specs = document()
    target: Any = specs
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
    return specs


def _gpu_field(field: str, value: Any) -> dict[str, Any]:
    return _changed(("architectures", "gfx942", field), value)


def test_the_projects_own_specs_satisfy_the_schema() -> None:
    assert find_problems(document()) == ()


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("wave_size", 48, "wave_size: expected 32 or 64, got 48"),
        ("wave_size", True, "wave_size: expected 32 or 64, got true"),
        ("wave_size", "64", 'wave_size: expected 32 or 64, got "64"'),
        ("matrix_isa", "amx", 'matrix_isa: expected mfma or wmma, got "amx"'),
        ("fp8_encoding", None, "fp8_encoding: expected none or fnuz or ocp, got null"),
        (
            "family",
            "CDNA 3",
            'family: expected a name of small letters, digits and underscores, got "CDNA 3"',
        ),
        ("product", " ", 'product: expected a text that is not empty, got " "'),
        ("compute_units", 0, "compute_units: expected an integer of at least 1, got 0"),
        ("compute_units", 304.0, "compute_units: expected an integer of at least 1, got 304.0"),
        (
            "infinity_cache_bytes",
            -1,
            "infinity_cache_bytes: expected an integer of at least 0, got -1",
        ),
        ("memory_bandwidth_gb_s", 0, "memory_bandwidth_gb_s: expected a number above 0, got 0"),
        ("workgroup_processor_mode", 1, "workgroup_processor_mode: expected true or false, got 1"),
        ("registers", 512, "registers: expected an object, got 512"),
        ("wave_layouts", [], "wave_layouts: expected a list of at least 1, got []"),
        ("wave_layouts", {}, "wave_layouts: expected a list, got {}"),
        (
            "wave_layouts",
            [[1, 4]],
            "wave_layouts[0]: expected three integers [m, n, k], got [1, 4]",
        ),
        (
            "wave_layouts",
            [[1, 4, 1], [0, 4, 1]],
            "wave_layouts[1]: expected three integers above 0, got [0, 4, 1]",
        ),
        ("wave_layouts", [[1, 4, 1], [1, 4, 1]], "wave_layouts[1]: [1, 4, 1] is listed twice"),
        ("warp_tiles", {}, "warp_tiles: expected at least 1 entry, got none"),
        (
            "warp_tiles",
            {"fp16_fp16_fp32": [[16, 16, "16"]]},
            'warp_tiles.fp16_fp16_fp32[0]: expected three integers [m, n, k], got [16, 16, "16"]',
        ),
    ],
)
def test_a_gpu_field_of_the_wrong_shape_is_named(field: str, value: Any, problem: str) -> None:
    assert find_problems(_gpu_field(field, value)) == (f"{GPU}.{problem}",)


@pytest.mark.parametrize("field", GPU_FIELDS)
def test_a_missing_gpu_field_is_named(field: str) -> None:
    specs = document()
    del specs["architectures"]["gfx950"][field]
    assert find_problems(specs) == (f"architectures.gfx950.{field}: missing",)


def test_an_unknown_field_is_refused_with_the_known_ones() -> None:
    (problem,) = find_problems(_gpu_field("wave_width", 64))
    assert problem.startswith(f"{GPU}.wave_width: unknown field; known ones: family, product, ")


@pytest.mark.parametrize(("field", "ours"), FOREIGN_FIELDS.items())
def test_a_field_of_amds_file_is_refused_with_its_name_here(field: str, ours: str) -> None:
    assert ours in GPU_FIELDS
    problem = f"{GPU}.{field}: unknown field; it is called {ours} here"
    assert find_problems(_gpu_field(field, 64)) == (problem,)


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        (("schema_version",), 2, "schema_version: expected 1, got 2"),
        (
            ("pipelines", "mem", "lds_buffers"),
            0,
            "pipelines.mem.lds_buffers: expected an integer of at least 1, got 0",
        ),
        (("dtypes", "fp16", "bytes"), "2", 'dtypes.fp16.bytes: expected a number above 0, got "2"'),
        (
            ("dtype_combinations", 1, "output"),
            16,
            "dtype_combinations[1].output: expected a name of small letters, digits and "
            "underscores, got 16",
        ),
        (
            ("architectures", "mi300"),
            document()["architectures"]["gfx942"],
            'architectures.mi300: expected a GPU name such as gfx942, got "mi300"',
        ),
        (
            ("architectures", "gfx942", "registers", "vgpr_granule"),
            None,
            f"{GPU}.registers.vgpr_granule: expected an integer of at least 1, got null",
        ),
    ],
)
def test_any_other_field_of_the_wrong_shape_is_named(
    path: tuple[str | int, ...], value: Any, problem: str
) -> None:
    assert find_problems(_changed(path, value)) == (problem,)


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        (
            ("architectures", "gfx942", "pipelines", 0),
            "memory",
            f"{GPU}.pipelines[0]: unknown pipeline 'memory'; known ones: ",
        ),
        (
            ("architectures", "gfx942", "buffer_atomic_adds", 0),
            "half",
            f"{GPU}.buffer_atomic_adds[0]: unknown dtype 'half'; known ones: ",
        ),
        (
            ("architectures", "gfx942", "warp_tiles", "fp16_fp16_fp16"),
            [[16, 16, 16]],
            f"{GPU}.warp_tiles.fp16_fp16_fp16: unknown dtype key 'fp16_fp16_fp16'; known ones: ",
        ),
        (
            ("architectures", "gfx942", "broken_warp_tiles", "fp16_fp16_fp32"),
            [[1, 2, 3]],
            f"{GPU}.broken_warp_tiles.fp16_fp16_fp32[0]: [1, 2, 3] is in neither warp_tiles nor ",
        ),
        (
            ("architectures", "gfx942", "contiguous_k_warp_tiles", "fp16_fp16_fp32"),
            [[1, 2, 3]],
            f"{GPU}.contiguous_k_warp_tiles.fp16_fp16_fp32[0]: [1, 2, 3] is in neither warp_tiles ",
        ),
        (
            ("architectures", "gfx942", "preshuffle_warp_tiles"),
            {},
            f"{GPU}.preshuffle_warp_tiles: empty, but a preshuffle pipeline is listed",
        ),
        (
            ("architectures", "gfx942", "pipelines"),
            ["mem"],
            f"{GPU}.pipelines: no preshuffle pipeline, but preshuffle_warp_tiles has entries",
        ),
        (
            ("architectures", "gfx942", "wave_layouts", 0),
            [4, 4, 2],
            f"{GPU}.wave_layouts[0]: 32 waves exceed a workgroup, which holds 16 of 64",
        ),
        (
            ("architectures", "gfx942", "fp8_encoding"),
            "none",
            f"{GPU}.fp8_encoding: none, but warp_tiles has fp8 or bf8 entries",
        ),
        (
            ("architectures", "gfx1100", "fp8_emulated"),
            True,
            "architectures.gfx1100.fp8_emulated: true, but fp8_encoding is none",
        ),
        (
            ("architectures", "gfx942", "lds_bytes"),
            131072,
            f"{GPU}.lds_bytes: 131072 exceeds lds_pool_bytes, 65536",
        ),
        (
            ("architectures", "gfx942", "compute_units"),
            303,
            f"{GPU}.compute_units: 303 is not a multiple of xcds, 8",
        ),
        (
            ("architectures", "gfx942", "registers", "vgpr_granule"),
            24,
            f"{GPU}.registers.vgprs_per_simd: 512 is not a multiple of vgpr_granule, 24",
        ),
        (
            ("architectures", "gfx942", "registers", "max_vgprs_per_wave"),
            1024,
            f"{GPU}.registers.max_vgprs_per_wave: 1024 exceeds vgprs_per_simd, 512",
        ),
        (
            ("unsupported_traits", 0, "pipeline"),
            "compv9",
            "unsupported_traits[0].pipeline: unknown pipeline 'compv9'; known ones: ",
        ),
        (
            ("dtype_combinations", 0, "accumulator"),
            "fp128",
            "dtype_combinations[0].accumulator: unknown dtype 'fp128'; known ones: ",
        ),
        (
            ("dtypes", "int4", "pack"),
            1,
            "dtypes.int4.pack: an object of pack elements must fill whole bytes",
        ),
        (
            ("sources", 0, "fields", 0),
            "colour",
            "sources[0].fields[0]: unknown GPU field 'colour'; known ones: ",
        ),
    ],
)
def test_fields_that_disagree_are_named(
    path: tuple[str | int, ...], value: Any, problem: str
) -> None:
    assert any(line.startswith(problem) for line in find_problems(_changed(path, value)))


def test_a_gpu_field_without_a_stated_origin_is_named() -> None:
    specs = document()
    specs["sources"][0]["fields"].remove("family")
    assert find_problems(specs) == ("sources: no origin is stated for the GPU field 'family'",)


def test_a_dtype_pair_listed_twice_is_named() -> None:
    specs = document()
    specs["dtype_combinations"].append({**specs["dtype_combinations"][1], "note": "again"})
    last = len(specs["dtype_combinations"]) - 1
    assert find_problems(specs) == (f"dtype_combinations[{last}]: fp16 x fp16 is listed twice",)


def test_all_problems_come_in_one_report_one_line_each(tmp_path: Path) -> None:
    specs = _gpu_field("wave_size", 48)
    specs["architectures"]["gfx90a"]["xcds"] = 0
    del specs["dtypes"]["fp16"]["bytes"]
    path = write(specs, tmp_path)
    with pytest.raises(SpecError) as caught:
        load_specs(path)
    assert str(caught.value).splitlines() == [
        f"{path}: 3 problems in the GPU specs",
        "dtypes.fp16.bytes: missing",
        "architectures.gfx90a.xcds: expected an integer of at least 1, got 0",
        f"{GPU}.wave_size: expected 32 or 64, got 48",
    ]


def test_specs_that_are_no_object_are_refused() -> None:
    assert find_problems([1]) == ("specs: expected an object, got [1]",)


def test_a_name_written_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "arch_specs.json"
    path.write_text(SPECS.read_text("utf-8").replace('"gfx950":', '"gfx942":'), "utf-8")
    with pytest.raises(SpecError, match=r"^.*\ngfx942: written twice in one object$"):
        load_specs(path)


def test_text_that_is_no_json_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "arch_specs.json"
    path.write_text('{\n  "dtypes": }', "utf-8")
    with pytest.raises(ArchError) as caught:
        load_specs(path)
    assert str(caught.value) == f"{path}:2:13: not JSON: Expecting value."


def test_a_file_that_is_not_there_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "nowhere.json"
    with pytest.raises(ArchError) as caught:
        load_specs(path)
    assert str(caught.value) == f"cannot read the GPU specs {path}: No such file or directory."
