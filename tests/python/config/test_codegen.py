# SPDX-License-Identifier: MIT
"""Sources come from configs, variants or everything; a failure is data and loses no other."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from ckdispatch.codegen import CodegenRunner, GeneratedSource
from ckdispatch.errors import CkDispatchError, GenerationFailed, InvalidArgument
from ckgen.cli.main import main
from ckgen.core.generate import render_kernel
from ckgen.families import FAMILIES
from config_support import BASE_NAME, SPECS, gemm

NARROW: dict[str, Any] = {"dtype": "fp32", "layout": "rcr"}


def test_a_config_becomes_one_source_file(tmp_path: Path) -> None:
    result = CodegenRunner(tmp_path).generate_from_config(gemm())
    assert result and result.files == (tmp_path / f"{BASE_NAME}.cpp",)
    assert result.kernels == (GeneratedSource(BASE_NAME, result.files[0], written=True),)
    expected = render_kernel(FAMILIES["gemm"], gemm().spec, SPECS)
    assert result.files[0].read_text(encoding="utf-8") == expected


def test_wildcards_become_a_file_for_each_legal_kernel(tmp_path: Path) -> None:
    config = gemm(tile="*", pipeline=["mem", "compv3"])
    result = CodegenRunner(tmp_path, jobs=2).generate_from_config(config)
    assert [kernel.name for kernel in result.kernels] == [c.name for c in config.expand("gfx942")]
    assert sorted(tmp_path.iterdir()) == sorted(result.files)


def test_the_gpu_decides_what_is_legal(tmp_path: Path) -> None:
    runner = CodegenRunner(tmp_path, arch="gfx1100")
    assert runner.arch == "gfx1100"
    assert not runner.generate_from_config(gemm())


def test_an_illegal_config_is_data_and_the_others_are_generated(tmp_path: Path) -> None:
    illegal, hopeless = gemm(tile=[100, 128, 32]), gemm(pipeline=["compv5"])
    result = CodegenRunner(tmp_path).generate_from_config([illegal, gemm(), hopeless])
    assert not result and len(result.files) == 1
    assert [kernel.name for kernel in result.failures] == [illegal.name, repr(hopeless)]
    first, second = result.failures
    assert first.path is None and not first.ok
    assert first.error.endswith("; the nearest legal choice is tile 128x128x32")
    assert second.error.startswith("GemmConfig: none of its 1 choices is legal on gfx942")


def test_configs_that_share_a_kernel_generate_it_once(tmp_path: Path) -> None:
    result = CodegenRunner(tmp_path).generate_from_config([gemm(), gemm(pad="*"), gemm()])
    assert len(result.kernels) == 8


def test_no_configs_give_no_kernels(tmp_path: Path) -> None:
    result = CodegenRunner(tmp_path).generate_from_config([])
    assert result and result.kernels == () and list(tmp_path.iterdir()) == []


def test_a_second_run_leaves_the_files_alone(tmp_path: Path) -> None:
    runner = CodegenRunner(tmp_path)
    first, second = (runner.generate_from_config(gemm()) for _ in range(2))
    assert (first.kernels[0].written, second.kernels[0].written) == (True, False)
    assert second and second.files == first.files
    assert str(first) == f"1 of 1 kernels are in {tmp_path}: 1 written, 0 unchanged"
    assert str(second) == f"1 of 1 kernels are in {tmp_path}: 0 written, 1 unchanged"


def test_progress_is_told_about_each_kernel(tmp_path: Path) -> None:
    told: list[tuple[int, int, str]] = []
    result = CodegenRunner(tmp_path).generate_from_config(
        [gemm(pad="*"), gemm(tile=[100, 128, 32])],
        progress=lambda number, total, kernel: told.append((number, total, kernel.name)),
    )
    assert told == [(n, 9, kernel.name) for n, kernel in enumerate(result.kernels, start=1)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_file_that_cannot_be_written_loses_no_other(tmp_path: Path, jobs: int) -> None:
    (tmp_path / f"{BASE_NAME}.cpp").mkdir()
    result = CodegenRunner(tmp_path, jobs=jobs).generate_from_config(gemm(pad="*", tile="*"))
    (failure,) = result.failures
    assert failure.name == BASE_NAME and failure.path is None
    assert failure.error.startswith(f"{BASE_NAME} was not generated: ")
    assert len(result.files) == len(result.kernels) - 1 > 32
    with pytest.raises(
        GenerationFailed, match=r"1 failed, the first one thus: gemm_fp16_rcr.* was"
    ):
        result.raise_if_failed()


def test_a_folder_that_is_a_file_fails_every_kernel(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    result = CodegenRunner(blocked).generate_from_config(gemm())
    assert result.files == () and "Not a directory" in result.failures[0].error


def test_success_returns_itself(tmp_path: Path) -> None:
    result = CodegenRunner(tmp_path).generate_from_config(gemm())
    assert result.raise_if_failed() is result


def test_a_result_is_json(tmp_path: Path) -> None:
    result = CodegenRunner(tmp_path).generate_from_config([gemm(), gemm(tile=[100, 128, 32])])
    data = json.loads(json.dumps(result.to_json()))
    bad, good = data["kernels"]
    assert data["ok"] is False and data["output_dir"] == str(tmp_path)
    path = str(tmp_path / f"{BASE_NAME}.cpp")
    assert good == {"name": BASE_NAME, "path": path, "written": True, "error": None}
    assert bad["path"] is None and bad["error"].startswith("GemmConfig: gemm_fp16_rcr_compv4")


def test_a_variant_is_its_whole_catalogue_on_the_gpu(tmp_path: Path) -> None:
    result = CodegenRunner(tmp_path).generate("standard", **NARROW)
    assert result and len(result.files) > 100
    assert all(kernel.name.startswith("gemm_fp32_rcr_") for kernel in result.kernels)
    expected = gemm(
        **NARROW,
        tile="*",
        waves="*",
        warp_tile="*",
        pipeline="*",
        scheduler="*",
        pad=[[False] * 3, [True] * 3],
    ).expand("gfx942")
    assert {kernel.name for kernel in result.kernels} == {config.name for config in expected}


def test_sources_go_to_a_folder_of_their_own_unless_another_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CodegenRunner().generate_from_config(gemm())
    assert result.output_dir == Path("generated_kernels") and result
    assert [path.name for path in (tmp_path / "generated_kernels").iterdir()] == [
        f"{BASE_NAME}.cpp"
    ]


def test_what_is_not_said_of_a_catalogue_is_what_the_command_fills_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["gemm", "--variants", "preshuffle", "--list"]) == 0
    result = CodegenRunner(tmp_path).generate("preshuffle")
    assert [kernel.name for kernel in result.kernels] == capsys.readouterr().out.splitlines()
    many = CodegenRunner(tmp_path, jobs=2).generate("preshuffle", layout="*", dtype=["fp16", "fp8"])
    assert {kernel.name.split("_")[1] for kernel in many.kernels} == {"fp16", "fp8"}


def test_a_catalogue_is_narrowed_down_whatever_the_family(tmp_path: Path) -> None:
    result = CodegenRunner(tmp_path).generate("pagedkv", dtype="bf16", hdim_q=128)
    assert result and {kernel.name.split("_")[2] for kernel in result.kernels} == {"bf16"}
    assert all("_h128x" in kernel.name for kernel in result.kernels)


def test_a_variant_tells_its_family(tmp_path: Path) -> None:
    # Before anything is generated, which would be hundreds of kernels.
    with pytest.raises(InvalidArgument, match=r"^the catalogue of grouped_conv cannot be narrowed"):
        CodegenRunner(tmp_path).generate("backward_data", tile=[1, 1, 1])


def test_everything_is_every_variant_of_every_family(tmp_path: Path) -> None:
    everything = CodegenRunner(tmp_path / "all").generate_all(**NARROW)
    standard = CodegenRunner(tmp_path / "one").generate("standard", family="gemm", **NARROW)
    names = {kernel.name for kernel in everything.kernels}
    assert names >= {kernel.name for kernel in standard.kernels} and everything


def test_an_unknown_variant_or_family_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    runner = CodegenRunner(tmp_path)
    with pytest.raises(
        InvalidArgument, match=r"^the family gemm has no variant 'odd'; it has stand"
    ):
        runner.generate("odd", family="gemm")
    with pytest.raises(
        InvalidArgument,
        match=r"^no family has a variant 'odd': gemm has standard.*; grouped_conv has fo",
    ):
        runner.generate("odd")
    with pytest.raises(
        InvalidArgument,
        match=r"^there is no kernel family 'odd'; there is gemm, grouped_conv, fmha$",
    ):
        runner.generate(family="odd")


def test_a_catalogue_is_narrowed_down_by_its_own_fields_only(tmp_path: Path) -> None:
    runner = CodegenRunner(tmp_path)
    with pytest.raises(
        InvalidArgument, match=r"cannot be narrowed down by 'tile', only by dtype, layout$"
    ):
        runner.generate(tile=[1, 1, 1])
    with pytest.raises(
        InvalidArgument, match=r"field 'dtype': expected one of fp16, .*, not \"f\""
    ):
        runner.generate(dtype="f")


@pytest.mark.parametrize("jobs", [0, -1, 1.5])
def test_a_number_of_jobs_must_be_at_least_one(tmp_path: Path, jobs: int) -> None:
    with pytest.raises(
        InvalidArgument, match=f"^{jobs} jobs were asked for; it must be at least 1"
    ):
        CodegenRunner(tmp_path, jobs=jobs)


def test_jobs_are_the_cpus_unless_said(tmp_path: Path) -> None:
    assert CodegenRunner(tmp_path).jobs == len(os.sched_getaffinity(0))
    assert CodegenRunner(tmp_path, jobs=3).jobs == 3


def test_an_unknown_gpu_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CkDispatchError, match=r"^there is no GPU 'gfx1'; known ones are gfx908"):
        CodegenRunner(tmp_path, arch="gfx1")
