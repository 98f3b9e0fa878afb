# SPDX-License-Identifier: MIT
"""The examples run, and say what their first lines promise."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

KERNELS = os.environ["CK_KERNELS"].split()
MANIFESTS = [path for path in KERNELS if path.endswith(".manifest.json")]
(MANIFEST,) = (path for path in MANIFESTS if "gemm_fp16_rcr_essential" in path)
(VARIANTS,) = (path for path in MANIFESTS if "test_gemm_dispatch" in path)
(VOLUMES,) = (
    path for path in KERNELS if re.search(r"/libgrouped_conv_fwd_fp16_ndhwgc_.*so$", path)
)
# --config=rocm names the first GPU.
DEVICE = os.environ.get("CKDISPATCH_DEVICE", "sim:gfx942")
WHOLE = "gemm_fp16_rcr_compv4_cshuffle_intrawave_False_False_False_False_128x128x32_2x2x1_32x32x16"
PADDED = "gemm_fp16_rcr_compv3_cshuffle_intrawave_True_True_True_False_64x64x64_2x2x1_32x32x16"
FUSED = "gemm_fp16_rcrr_compv3_cshuffle_intrawave_True_True_True_False_64x64x32_2x2x1_16x16x16"
CONVOLUTIONS = {
    "conv_backward_data": ("bwd_data", "x", 2 * 14 * 14 * 2 * 16),
    "conv_backward_weight": ("bwd_weight", "w", 2 * 24 * 3 * 3 * 16),
    "conv_forward": ("fwd", "y", 2 * 7 * 7 * 2 * 24),
}
OF_VARIANTS = ["batch", "groups", "preshuffle"]
ON_A_DEVICE = [
    *CONVOLUTIONS,
    *OF_VARIANTS,
    "benchmark",
    "conv_3d",
    "fused",
    "gemm",
    "gemm_c",
    "padding",
    "shapes",
    "streams",
]
PROGRAMS = [*ON_A_DEVICE, "mixed_families", "rank", "registry", "strategies"]


def run(example: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = os.path.abspath(f"dispatcher/examples/{example}")
    return subprocess.run([program, *arguments], capture_output=True, text=True)


def printed(example: str, *arguments: str) -> list[str]:
    done = run(example, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def manifest_for(example: str) -> str:
    if example == "conv_3d":
        return VOLUMES
    if example not in CONVOLUTIONS:
        return VARIANTS if example in OF_VARIANTS else MANIFEST
    wanted = f"grouped_conv_{CONVOLUTIONS[example][0]}_"
    (manifest,) = (path for path in MANIFESTS if wanted in path)
    return manifest


def test_gemm_runs_checks_and_times() -> None:
    ran, checked, timed = printed("gemm", MANIFEST, DEVICE, "96", "80", "72")
    assert ran.startswith(f"gemm 96x80x72 fp16 rcr on {DEVICE} with gemm_fp16_rcr_")
    assert checked == f"{96 * 80} values checked, 0 wrong, largest error 0"
    assert re.fullmatch(r"the (simulator|GPU) needed [\d.e-]+ ms", timed)


def test_gemm_in_c_runs_and_checks() -> None:
    ran, checked = printed("gemm_c", MANIFEST, DEVICE)
    report = json.loads(checked)
    assert report["ok"] is True
    assert report["checked"] == 96 * 80
    assert ran == f"ran {report['kernel']}"


def test_fused_adds_a_bias_and_applies_the_activation() -> None:
    ran, checked = printed("fused", VARIANTS, DEVICE)
    assert (
        ran == f"gemm 96x80x72 fp16 rcr MultiDAddRelu of 1 D with {FUSED}_multid_MultiDAddRelu_d1"
    )
    assert checked == f"{96 * 80} values checked, 0 wrong"


def test_the_same_is_computed_from_c() -> None:
    ran, checked = printed("gemm_c", VARIANTS, DEVICE, "MultiDAddRelu")
    assert ran == f"ran {FUSED}_multid_MultiDAddRelu_d1"
    report = json.loads(checked)
    assert report["ok"] is True
    assert report["checked"] == 96 * 80


@pytest.mark.parametrize("example", CONVOLUTIONS)
def test_a_convolution_runs_and_checks(example: str) -> None:
    direction, tensor, count = CONVOLUTIONS[example]
    ran, checked = printed(example, manifest_for(example), DEVICE)
    assert ran.startswith(f"grouped_conv {example.removeprefix('conv_')} n2 g2 c16 k24 14x14 3x3 ")
    assert f" with grouped_conv_{direction}_fp16_nhwgc_2d_compv3_cshuffle_" in ran
    assert checked == f"{count} values of {tensor} checked, 0 wrong"


def test_rank_has_every_kernel_with_a_time_or_a_reason() -> None:
    problem, *rows = printed("rank", MANIFEST, "gfx942", "200", "136", "72")
    assert problem == "gemm 200x136x72 fp16 rcr on gfx942"
    fits = [row for row in rows if row.startswith("fits: ")]
    times = [float(re.findall(r"predicted ([\d.]+) us$", row)[0]) for row in fits]
    assert times == sorted(times)
    assert any(row.startswith(f"fits: {PADDED}, predicted ") for row in fits)
    refusal = f"refused (unsupported): {WHOLE} was asked for K = 72 and needs a multiple of 32"
    assert any(row.startswith(refusal) for row in rows)


def test_registry_finds_merges_and_copies() -> None:
    *chosen, added, counts, compv3, compv4, mem = printed("registry", MANIFEST, "gfx942")
    assert PADDED in chosen[::2]
    assert all(key.startswith("    gemm{variant=standard,") for key in chosen[1::2])
    assert added == "0 added to 6"
    assert counts == "6 kernels, 6 for gfx942, 0 opened, 0 spilling"
    assert [compv3, compv4, mem] == ["compv3: 2", "compv4: 2", "mem: 2"]


def test_strategies_select_what_they_promise() -> None:
    selected = dict(
        row.split(": ") for row in printed("strategies", MANIFEST, "gfx942", "256", "256", "256")
    )
    ranked = [
        row.removeprefix("fits: ").split(",")[0]
        for row in printed("rank", MANIFEST, "gfx942", "256", "256", "256")
        if row.startswith("fits: ")
    ]
    assert selected["rules"] == selected["explicit"] == ranked[0]
    assert selected["function"] == ranked[-1]
    assert "_256x128x32_" in selected["model"]
    assert selected["first fit"] in ranked


def test_streams_compute_the_same_on_each() -> None:
    # 128 as fp16.
    assert printed("streams", MANIFEST, DEVICE) == ["5800"] * 4


@pytest.mark.parametrize(
    ("example", "problem", "values"),
    [
        ("batch", "gemm 48x80x64 fp16 rcr batch 3", 3 * 48 * 80),
        ("groups", "gemm ", (40 + 8 + 104) * 64),
        ("preshuffle", "gemm 64x128x256 fp16 rcr ", 64 * 128),
    ],
)
def test_a_variant_is_computed_in_one_launch(example: str, problem: str, values: int) -> None:
    *order, ran, checked = printed(example, VARIANTS, DEVICE)
    assert ran.startswith(problem)
    variant = {"batch": "batched", "groups": "grouped"}.get(example, example)
    assert ran.endswith(f"_{variant}, launches: 1")
    assert checked == f"{values} values checked, 0 wrong"
    if example == "preshuffle":
        assert re.fullmatch(r"blocks of \d+ columns, with \d+ neighbours along k of each", order[0])


def test_kernels_of_other_variants_have_a_launch_for_each_product() -> None:
    assert printed("batch", MANIFEST, DEVICE)[0].endswith(", launches: 3")
    assert printed("groups", MANIFEST, DEVICE)[0].endswith(", launches: 3")


def test_weights_cannot_be_preshuffled_for_other_kernels() -> None:
    done = run("preshuffle", MANIFEST, DEVICE)
    assert done.returncode == 1
    assert done.stderr == "The manifest has no kernel that reads preshuffled weights.\n"


def test_a_volume_is_convolved_by_the_library_of_one_kernel() -> None:
    ran, checked = printed("conv_3d", VOLUMES, DEVICE)
    assert ran.startswith("grouped_conv forward n1 g1 c16 k24 6x8x8 3x3x3 ")
    assert " with grouped_conv_fwd_fp16_ndhwgc_3d_" in ran
    assert checked == f"{6 * 4 * 4 * 24} values of y checked, 0 wrong"


def test_kernels_of_two_families_compute_a_network() -> None:
    convolved, of_y, multiplied, of_c = printed(
        "mixed_families", manifest_for("conv_forward"), MANIFEST, DEVICE
    )
    assert " with grouped_conv_fwd_fp16_nhwgc_2d_" in convolved
    assert of_y == f"{4 * 6 * 6 * 16} values of y checked, 0 wrong"
    assert multiplied.startswith("gemm 4x64x576 fp16 rcr with gemm_fp16_rcr_")
    assert of_c == f"{4 * 64} values checked, 0 wrong"


def test_every_shape_has_a_line() -> None:
    default = [line.split(":")[0] for line in printed("shapes", MANIFEST, DEVICE)]
    assert default == ["1x256x64", "16x128x256", "64x64x64", "200x136x72", "256x128x64"]
    (line,) = printed("shapes", MANIFEST, DEVICE, "48x64x72")
    said = r"48x64x72: tiles of \d+x\d+x\d+, predicted [\d.e+-]+ us, 0 of 3072 values wrong"
    assert re.fullmatch(said, line)


@pytest.mark.parametrize("shape", ["64x64", "64x64x64x64", "many"])
def test_a_shape_that_is_none_is_told_in_a_sentence(shape: str) -> None:
    done = run("shapes", MANIFEST, DEVICE, shape)
    assert done.returncode == 1
    assert done.stderr == f"The shape {shape} was given; write M, N and K as 200x136x72.\n"


def test_every_kernel_that_fits_is_timed() -> None:
    head, *rows, last = printed("benchmark", MANIFEST, DEVICE)
    assert re.fullmatch(rf"gemm 256x128x64 fp16 rcr on {DEVICE}, times of (a|the) [\w ]+", head)
    found = [re.fullmatch(r"([\d.e+-]+) us, predicted [\d.e+-]+ us: (\w+)", row) for row in rows]
    times = [float(row[1]) for row in found if row]
    assert len(times) == len(rows) and times == sorted(times)
    assert len({row[2] for row in found if row}) == len(rows) > 1
    assert last == f"{len(rows)} kernels, all right"
    done = run("benchmark", MANIFEST, DEVICE, "100", "100", "99")
    assert done.returncode == 1
    assert done.stderr.startswith("No kernel of the registry example computes gemm 100x100x99 ")


def test_a_product_that_no_kernel_takes_is_padded() -> None:
    refusal, padded, checked = printed("padding", MANIFEST, DEVICE)
    assert refusal.startswith("No kernel of the registry example computes gemm 37x51x51 fp16 rcr")
    assert "The nearest: " in refusal
    assert re.fullmatch(r"padded to gemm \d+x\d+x\d+ fp16 rcr with gemm_fp16_rcr_\w+", padded)
    assert checked == f"{37 * 51} values checked, 0 wrong"


@pytest.mark.parametrize("example", PROGRAMS)
def test_without_arguments_an_example_says_what_it_takes(example: str) -> None:
    done = run(example)
    assert done.returncode == 2
    assert done.stderr.startswith(f"usage: {example} MANIFEST")


@pytest.mark.parametrize("example", ON_A_DEVICE)
def test_a_device_that_there_is_none_of_is_told_in_a_sentence(example: str) -> None:
    done = run(example, manifest_for(example), "sim:gfx000")
    assert done.returncode == 1
    assert "The device sim:gfx000 was asked for; the simulator has gfx908, " in done.stderr


def test_the_page_has_every_example() -> None:
    page = Path("docs/examples.md").read_text()
    named = re.findall(r"\]\(\.\./dispatcher/examples/(\w+\.c(?:pp)?)\)", page)
    programs = ["gemm.c" if name == "gemm_c" else f"{name}.cpp" for name in PROGRAMS]
    assert sorted(set(named)) == sorted(programs)
