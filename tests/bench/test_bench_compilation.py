# SPDX-License-Identifier: MIT
import hashlib
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import cast

import ckarch
import pytest
from ckbench.compilation import Comparison, Compilation, Side
from ckbench.errors import BenchError
from ckbench.families import GEMM
from ckbench.kernel_set import Sampled, fitting, of_pipelines, sample, spread, with_other_pipelines
from ckbench.process import Seconds
from ckbench.shipped_headers import unpack_shipped_headers
from ckbench.tile_engine import TileEngine, builder_arguments, find_tile_engine, with_pipeline
from ckgen.core.target import Target
from ckgen.gemm.names import parse_name
from ckgen.gemm.spec import GemmSpec, Variant
from ckgen.product.spec import Pipeline

NAME = "gemm_fp16_rcr_mem_cshuffle_interwave_True_False_True_False_128x32x64_4x1x1_32x32x8"

SHARED = Seconds(13.0, 12.0)


def side(device: float, host: float) -> Side:
    # The clock says something else altogether, as it does on a busy machine.
    return Side({"CkCompile": Seconds(90.0, device), "CkHost": Seconds(80.0, host)})


def test_the_ratio_is_that_of_the_processor_seconds_of_all_kernels_together() -> None:
    kernels = (
        Comparison("a", side(8.0, 2.0), side(15.0, 5.0), side(17.0, 5.0)),
        Comparison("b", side(19.0, 1.0), side(36.0, 4.0), side(49.0, 4.0)),
    )
    compilation = Compilation(kernels, SHARED, 4, "clang", "digest")
    assert compilation.ratio() == pytest.approx(30.0 / 60.0)
    assert compilation.ratio_to_shipped() == pytest.approx(30.0 / 75.0)


def test_without_the_shipped_headers_there_is_no_ratio_to_them() -> None:
    kernels = (Comparison("a", side(8.0, 2.0), side(15.0, 5.0), None),)
    assert Compilation(kernels, SHARED, 4, "clang", "digest").ratio_to_shipped() is None


def test_of_several_turns_each_step_counts_by_its_fastest() -> None:
    best = side(8.0, 3.0).fastest(side(9.0, 2.0))
    assert best.steps["CkCompile"].cpu == 8.0
    assert best.steps["CkHost"].cpu == 2.0
    assert best.total == Seconds(170.0, 10.0)


def test_a_share_of_what_kernels_share_is_one_more_step() -> None:
    with_share = side(8.0, 2.0).and_step("CkPrecompile", SHARED / 4)
    assert list(with_share.steps) == ["CkPrecompile", "CkCompile", "CkHost"]
    assert with_share.steps["CkPrecompile"] == Seconds(3.25, 3.0)
    assert with_share.total == Seconds(173.25, 13.0)


def test_the_compiled_kernels_are_spread_over_the_declaration() -> None:
    numbers = list(range(27))
    assert spread(numbers, 1) == [13]
    assert spread(numbers, 2) == [6, 20]
    assert spread(numbers, 3) == [4, 13, 22]


def kernel_name(pipeline: str, scheduler: str, tile: str) -> str:
    pads = "False_False_False_False"
    return f"gemm_fp16_rcr_{pipeline}_cshuffle_{scheduler}_{pads}_{tile}_2x2x1_16x16x16"


def test_every_pipeline_and_scheduler_is_compiled_as_often() -> None:
    tiles = ("128x128x32", "64x64x32", "64x128x32")
    kinds = (("compv4", "intrawave"), ("mem", "intrawave"), ("mem", "interwave"))
    names = [kernel_name(*kind, tile) for kind in kinds for tile in tiles]
    chosen = [
        item.spec.name for item in sample([parse_name(name) for name in names], 1, GEMM.sampled_by)
    ]
    assert chosen == [names[1], names[4], names[7]]


@pytest.mark.parametrize(("gpu", "without"), [("gfx942", {Pipeline.COMP_ASYNC}), ("gfx950", set())])
def test_a_pipeline_that_the_set_has_none_of_is_compiled_with_the_commands_of_another(
    gpu: str, without: set[Pipeline]
) -> None:
    compv3 = parse_name(kernel_name("compv3", "intrawave", "64x64x32"))
    sampled = with_other_pipelines([Sampled(compv3, compv3)], Target.of(ckarch.load_specs(), gpu))
    compv6 = parse_name(kernel_name("compv6", "intrawave", "64x64x32"))
    assert Sampled(compv6, compv3) in sampled
    assert sampled[0] == Sampled(compv3, compv3)
    assert sorted(cast(GemmSpec, item.spec).pipeline for item in sampled) == sorted(
        {*Pipeline} - without
    )


def test_only_kernels_whose_names_fit_are_compiled() -> None:
    specs = [
        parse_name(kernel_name("mem", "intrawave", tile)) for tile in ("64x64x32", "64x128x32")
    ]
    assert fitting(specs, "*_64x128x32_*") == specs[1:]
    with pytest.raises(
        BenchError,
        match=r"asks for \*_1x1x1_\*, which is none of the 2 kernels .* one of them is "
        r"gemm_fp16_rcr_mem",
    ):
        fitting(specs, "*_1x1x1_*")


def test_only_the_pipelines_that_were_asked_for_are_compiled() -> None:
    of = [Sampled(spec, spec) for spec in map(of_pipeline, (Pipeline.MEM, Pipeline.COMPV3))]
    assert of_pipelines(of, {Pipeline.MEM}) == of[:1]
    with pytest.raises(BenchError, match=r"asks for compv5, and the GPU has none.* compv3, mem"):
        of_pipelines(of, {Pipeline.COMPV5})


HEADER = """\
DoubleSmemBuffer = {double};
Preshuffle = {preshuffle};
NumWaveGroups = {groups};
using BaseGemmPipeline = {base}<A>;
using GemmPipeline = {pipeline}<B>;
"""
PLAIN = HEADER.format(double="false", preshuffle="false", groups=1, base="None", pipeline="None")


def of_pipeline(pipeline: Pipeline) -> GemmSpec:
    spec = parse_name(NAME)
    preshuffle = pipeline is Pipeline.PRESHUFFLEV2
    return replace(
        spec, pipeline=pipeline, variant=Variant.PRESHUFFLE if preshuffle else spec.variant
    )


@pytest.mark.parametrize(
    ("pipeline", "groups", "double", "stem"),
    [
        (Pipeline.COMPV5, 2, "false", "GemmPipelineAgBgCrCompV5"),
        (Pipeline.COMPV6, 1, "false", "GemmPipelineAgBgCrCompV6"),
        (Pipeline.COMP_ASYNC, 1, "true", "GemmPipelineAgBgCrCompAsync"),
        (Pipeline.PRESHUFFLEV2, 1, "true", "WeightPreshufflePipelineAGmemBGmemCRegV2"),
    ],
)
def test_a_pipeline_that_tile_engine_does_not_know_is_put_in(
    pipeline: Pipeline, groups: int, double: str, stem: str
) -> None:
    preshuffle = "true" if pipeline is Pipeline.PRESHUFFLEV2 else "false"
    names = {"base": f"ck_tile::Base{stem}", "pipeline": f"ck_tile::{stem}"}
    expected = HEADER.format(double=double, preshuffle=preshuffle, groups=groups, **names)
    assert with_pipeline(PLAIN, of_pipeline(pipeline)) == expected


def test_a_header_without_the_wave_groups_is_not_compared_with() -> None:
    text = PLAIN.replace("NumWaveGroups = 1;", "")
    with pytest.raises(BenchError, match=r"0 times what NumWaveGroups is, and .*CompV5 needs 2"):
        with_pipeline(text, of_pipeline(Pipeline.COMPV5))


def test_no_more_kernels_are_compiled_than_there_are() -> None:
    assert spread([1, 2], 5) == [1, 2]


def test_tile_engine_is_told_about_every_field_of_the_kernel() -> None:
    builder = Path("ck/ops/gemm/gemm_instance_builder.py")
    arguments = builder_arguments(builder, parse_name(NAME), "gfx942", Path("out"))
    assert " ".join(arguments) == (
        "--working_path out --gpu_target gfx942 --datatype fp16 --layout rcr "
        "--config_json ck/ops/gemm/configs/default_config.json --gen_single "
        f"--kernel_name {NAME} --tile_config 128x32x64_4x1x1_32x32x8 "
        "--trait_combo mem_cshuffle_interwave_True_False_True_False"
    )
    arguments = builder_arguments(builder, of_pipeline(Pipeline.COMP_ASYNC), "gfx950", Path("out"))
    assert arguments[-1] == "compasync_cshuffle_interwave_True_False_True_False"


def make_wheel(folder: Path, builder: str) -> Path:
    """A wheel that carries CK, and the lock that knows it."""
    wheel = folder / "amd_aiter-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("x/ck/include/ck_tile/core/a.hpp", "as shipped")
        archive.writestr("x/ck/tile_engine/ops/gemm/gemm_instance_builder.py", builder)
        archive.writestr("x/other/include/ck_tile/core/b.hpp", "of something else")
    lock = folder / "ck.lock"
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    lock.write_text(f"amd-aiter==1 --hash=sha256:{digest}\n")
    return lock


def test_the_shipped_headers_come_out_of_the_wheel_unchanged(tmp_path: Path) -> None:
    lock = make_wheel(tmp_path, "the builder")
    builder = tmp_path / "builder.py"
    builder.write_text("the builder")
    include = unpack_shipped_headers(
        lock, tmp_path, TileEngine(builder, "gfx942"), tmp_path / "out"
    )
    assert include == tmp_path / "out" / "include"
    files = [file for file in include.rglob("*") if file.is_file()]
    assert files == [include / "ck_tile" / "core" / "a.hpp"]
    assert files[0].read_text() == "as shipped"


def test_the_shipped_headers_of_another_ck_are_not_used(tmp_path: Path) -> None:
    lock = make_wheel(tmp_path, "the builder")
    builder = tmp_path / "builder.py"
    builder.write_text("another builder")
    assert (
        unpack_shipped_headers(lock, tmp_path, TileEngine(builder, "gfx942"), tmp_path / "out")
        is None
    )


def test_without_the_wheel_there_are_no_shipped_headers(tmp_path: Path) -> None:
    lock = make_wheel(tmp_path, "the builder")
    assert (
        unpack_shipped_headers(
            lock, tmp_path / "empty", TileEngine(tmp_path / "b", "gfx942"), tmp_path
        )
        is None
    )


def test_the_builder_is_found_among_the_files_of_tile_engine() -> None:
    builder = Path("tile_engine/ops/gemm/gemm_instance_builder.py")
    other = Path("tile_engine/ops/gemm_multi_d/gemm_instance_builder.py")
    assert find_tile_engine([other, builder], "gfx942") == TileEngine(builder, "gfx942")


def test_a_composable_kernel_without_tile_engine_is_refused() -> None:
    with pytest.raises(BenchError, match="needs CK's tile_engine"):
        find_tile_engine([], "gfx942")
