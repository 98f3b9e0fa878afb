# SPDX-License-Identifier: MIT
"""CK_EXAMPLE are the files of CK's examples, whose generator is asked for the kernels of the set
that is compiled.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, cast

import ckarch
import pytest
from ckbench import bench
from ckbench.bazel import Workspace
from ckbench.ck_fmha.generator import GENERATE, forward_kernels, load_generator
from ckbench.ck_fmha.names import fields_of
from ckbench.errors import BenchError
from ckbench.families import FMHA
from ckbench.fmha_example import FmhaExample, find_example
from ckbench.kernel_set import Sampled, load_kernel_set, sample
from ckbench.options import parse_options
from ckgen.fmha.spec import Bias, FmhaSpec, Pipeline, Variant

FILES = [Path(file) for file in os.environ["CK_EXAMPLE"].split()]
DECLARATION = Path(os.environ["CK_DECLARATION"])


@cache
def example(gpu: str = "gfx942") -> FmhaExample:
    return find_example(FILES, gpu)


@cache
def kernels() -> list[FmhaSpec]:
    return [
        cast(FmhaSpec, spec)
        for spec in load_kernel_set(DECLARATION, ckarch.load_specs(), "gfx942", FMHA.set_name).specs
    ]


@cache
def of_both() -> list[FmhaSpec]:
    return [spec for spec in kernels() if example().writes(spec)]


@pytest.mark.parametrize("gpu", ["gfx90a", "gfx942", "gfx950", "gfx1201"])
def test_every_name_that_the_generator_gives_is_understood_and_no_two_mean_the_same(
    gpu: str,
) -> None:
    made = forward_kernels(load_generator(example().program), gpu)
    meant = [str(fields_of(kernel.name)) for kernel in made]
    assert len(made) > 500 and len({*meant}) == len(made)


def test_the_set_has_kernels_of_each_pipeline_that_both_can_write() -> None:
    assert {spec.pipeline for spec in of_both()} == {Pipeline.QR, Pipeline.QR_ASYNC}
    sizes = {(spec.pipeline.value, spec.hdim_q) for spec in of_both()}
    sampled = sample(of_both(), 1, FMHA.sampled_by)
    assert {
        (one.spec.to_json()["pipeline"], one.spec.to_json()["hdim_q"]) for one in sampled
    } == sizes
    assert len(sampled) == len(sizes) >= 5


def test_what_ck_has_no_kernel_for_is_not_compared() -> None:
    spec = of_both()[0]
    assert not example().writes(replace(spec, hdim_q=8))
    assert not any(example().writes(spec) for spec in kernels() if spec.variant is not Variant.FWD)
    assert not example("gfx1100").writes(spec)


def arguments(source: str, template: str) -> list[str]:
    """Of the first use of a template in a source."""
    found = re.search(rf"ck_tile::{template}<([^;]*)>;", source)
    assert found, template
    return [re.sub(r"/\*.*?\*/", "", one).strip() for one in found[1].split(",")]


def test_the_source_has_the_template_arguments_of_our_kernel(tmp_path: Path) -> None:
    spec = next(spec for spec in of_both() if spec.bias is Bias.ALIBI)
    source = tmp_path / "kernel.cpp"
    example().write_source(spec, source)
    text = source.read_text()
    assert arguments(text, "sequence") == [str(extent) for extent in spec.tile]
    pads = ["true" if pad else "false" for pad in spec.pads]
    alibi = "ck_tile::BlockAttentionBiasEnum::ALIBI"
    features = [
        "false",
        alibi,
        "false",
        str(spec.lse).lower(),
        str(spec.dropout).lower(),
        str(spec.scales).lower(),
    ]
    assert arguments(text, "TileFmhaTraits") == [
        *pads,
        *features,
        str(spec.occupancy),
        str(spec.skip_min).lower(),
    ]


@pytest.mark.parametrize("occupancy", [1, 2])
def test_the_occupancy_is_ours(occupancy: int, tmp_path: Path) -> None:
    spec = replace(of_both()[0], occupancy=occupancy)
    example().write_source(spec, tmp_path / "kernel.cpp")
    assert arguments((tmp_path / "kernel.cpp").read_text(), "TileFmhaTraits")[-2] == str(occupancy)


def test_a_kernel_that_ck_does_not_have_is_refused_by_name(tmp_path: Path) -> None:
    spec = replace(kernels()[0], hdim_q=8)
    with pytest.raises(BenchError, match=rf"no kernel like {spec.name} for gfx942"):
        example().write_source(spec, tmp_path / "kernel.cpp")


def test_the_folder_with_the_header_of_the_sources_is_included() -> None:
    flags = example().flags
    folder = Path(flags[flags.index("-I") + 1])
    assert (folder / "fmha_fwd.hpp").is_file() and folder == example().program.parent


def test_a_composable_kernel_without_the_example_is_refused() -> None:
    with pytest.raises(BenchError, match="--family fmha needs CK's example of attention"):
        find_example([file for file in FILES if not str(file).endswith(GENERATE)], "gfx942")


def test_the_generator_leaves_nothing_beside_itself() -> None:
    assert of_both()
    assert not list(example().program.parent.rglob("__pycache__"))


def compiled(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> tuple[list[str], int]:
    """The kernels that a command line compiles, and how many share the precompiled headers."""
    chosen: list[tuple[list[str], int]] = []

    def measure(
        workspace: Workspace,
        rival: object,
        sampled: Sequence[Sampled],
        shared_by: int,
        *others: Any,
    ) -> None:
        assert rival == example(workspace.gpu)
        chosen.append(([one.spec.name for one in sampled], shared_by))

    monkeypatch.setattr(bench, "measure_compilation", measure)
    monkeypatch.setattr(Workspace, "files_of", lambda self, target: FILES)
    options = parse_options(["--family", "fmha", *arguments], Path())
    workspace = Workspace(DECLARATION.parent.parent, options.gpu)
    bench.compile_in_both_ways(options, ckarch.load_specs(), workspace, Path("nowhere"))
    return chosen[0]


def test_a_pattern_and_pipelines_choose_among_the_kernels_that_both_write(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names, shared_by = compiled(
        monkeypatch, "--matching", "*_h64x64_*", "--pipelines", "qr_async", "--kernels", "2"
    )
    fitting = [
        spec.name for spec in of_both() if spec.hdim_q == 64 and spec.pipeline is Pipeline.QR_ASYNC
    ]
    assert len(names) == 2 and {*names} < {*fitting}
    assert shared_by == len(kernels())


def test_a_gpu_for_which_ck_has_no_attention_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        BenchError,
        match=r"01_fmha writes none of the .* kernels of //kernels:fmha_fwd_fp16_all for gfx1100",
    ):
        compiled(monkeypatch, "--gpu", "gfx1100")
