# SPDX-License-Identifier: MIT
"""The examples of products in Python run, by the kernels that they are about, and their results are
right.
"""

from __future__ import annotations

import json
import os
import re
import runpy
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

FOLDER = Path("python/examples")
# --config=rocm names the first GPU.
DEVICE = os.environ.get("CKDISPATCH_DEVICE", "sim:gfx942")
ESSENTIAL, VARIANTS = "gemm_fp16_rcr_essential", "test_gemm_dispatch"
FORWARD = "grouped_conv_fwd_fp16_2d_essential"
RIGHT = r"all \d+ values are within their tolerance; .*"
KERNEL = r"gemm_fp16_rcr_\w+"
ON = f"on {DEVICE}"

Run = Callable[..., list[str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """What an example prints. It is run in this process, so that the package and the kernels are
    loaded once.
    """

    def run(example: str, *arguments: str) -> list[str]:
        monkeypatch.setattr(sys, "argv", [f"{example}.py", *arguments])
        capfd.readouterr()
        runpy.run_path(str(FOLDER / f"{example}.py"), run_name="__main__")
        said, findings = capfd.readouterr()
        assert findings == ""  # the simulator's, too
        return said.splitlines()

    return run


def matches(lines: list[str], *patterns: str) -> bool:
    """Whether each line is what its pattern says."""
    return len(lines) == len(patterns) and all(map(re.fullmatch, patterns, lines))


def test_gemm_runs_checks_and_times(run: Run) -> None:
    lines = run("gemm", ESSENTIAL, DEVICE, "96x80x72")
    time = r"the (simulator|GPU) needed [\d.e+-]+ ms"
    assert matches(lines, rf"\(96, 80\) by {KERNEL} {ON}", RIGHT, time)


def test_a_batch_is_one_launch_of_a_kernel_that_is_for_it(run: Run) -> None:
    first = rf"\(3, 48, 80\) by {KERNEL}_batched {ON}"
    assert matches(run("batch", VARIANTS, DEVICE), *[first, RIGHT, "launches: 1"] * 2)


def test_another_kernel_has_a_launch_for_each_matrix_of_a_batch(run: Run) -> None:
    assert run("batch", ESSENTIAL, DEVICE)[-1] == "launches: 3"


def test_groups_are_one_launch_of_a_kernel_that_is_for_them(run: Run) -> None:
    first = rf"\(40, 64\) \(8, 64\) \(104, 64\) by {KERNEL}_grouped {ON}"
    assert matches(run("groups", VARIANTS, DEVICE), first, *[RIGHT] * 3, "launches: 1")


def test_every_shape_has_a_line(run: Run) -> None:
    lines = run("shapes", ESSENTIAL, DEVICE)
    shapes = [line.split(":")[0] for line in lines]
    assert shapes == ["1x256x64", "16x128x256", "64x64x64", "37x43x51", "200x136x72", "256x128x64"]
    rest = r"\S+ tiles of \d+x\d+x\d+, predicted [\d.]+ us(, padded to \d+x\d+x\d+)?, right"
    assert all(re.fullmatch(rest, line) for line in lines)
    assert "padded to" in lines[3] and "padded to" not in lines[4]


def test_weights_are_put_into_the_order_of_the_kernel(run: Run) -> None:
    order, *lines = run("preshuffle", VARIANTS, DEVICE)
    assert re.fullmatch(r"blocks of \d+ columns, with \d+ neighbours along k of each", order)
    shapes = [match[1] for match in re.finditer(r"^(\(.*\)) by", "\n".join(lines), re.MULTILINE)]
    assert shapes == ["(64, 128)", "(17, 128)"]
    assert sum("_preshuffle on " in line for line in lines) == 2
    assert sum(re.fullmatch(RIGHT, line) is not None for line in lines) == 2


def test_a_bias_and_an_activation_are_in_the_same_launch(run: Run) -> None:
    lines = run("fused", VARIANTS, DEVICE)
    first, right, *changes, last = [lines[0], lines[-2], *lines[1:-2], lines[-1]]
    assert re.fullmatch(rf"\(96, 80\) by gemm_fp16_rcrr_\w+_MultiDAddRelu_d1 {ON}", first)
    assert re.fullmatch(RIGHT, right)
    assert changes == []
    assert last == "in 1 launch, as step by step"


def test_without_a_kernel_that_fuses_it_the_reason_is_a_sentence(run: Run) -> None:
    with pytest.raises(SystemExit, match=r"^error: No kernel .*MultiDAddRelu"):
        run("fused", ESSENTIAL, DEVICE)


def test_kernels_of_two_families_compute_a_network(run: Run) -> None:
    lines = run("mixed_families", FORWARD, DEVICE, "--with", ESSENTIAL)
    text = "\n".join(lines)
    assert re.match(r"\d+ kernels of (gemm and grouped_conv|grouped_conv and gemm)\n", text)
    assert re.search(rf"^\(4, 6, 6, 16\) by grouped_conv_fwd_fp16_nhwgc_2d_\w+ {ON}$", text, re.M)
    assert re.search(rf"^\(4, 10\) by {KERNEL} {ON}$", text, re.M)
    assert len(re.findall(f"^{RIGHT}$", text, re.M)) == 2
    assert re.fullmatch(r"classes: \[\d \d \d \d\]", lines[-1])


def test_a_registry_is_written_and_read_back(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "kernels.json"
    lines = run("registry", ESSENTIAL, DEVICE, "--json", str(file))
    assert matches(
        lines,
        "2 of 6 kernels have the pipeline compv3",
        r"2 kernels for gfx\w+ were read back",
        rf"\(128, 128\) by {KERNEL} {ON}",
        RIGHT,
        "the same kernel and the same bits as before",
    )
    written = json.loads(file.read_text())["kernels"]
    assert [kernel["spec"]["pipeline"] for kernel in written] == ["compv3"] * 2


def test_a_pipeline_that_no_kernel_has_is_a_sentence(run: Run) -> None:
    with pytest.raises(SystemExit, match=r"^error: no kernel of .* has the pipeline compv9$"):
        run("registry", ESSENTIAL, DEVICE, "--pipeline", "compv9")


def test_a_file_that_cannot_be_written_is_a_sentence(run: Run, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"^error: .*nowhere"):
        run("registry", ESSENTIAL, DEVICE, "--json", str(tmp_path / "nowhere/kernels.json"))


def test_rank_has_every_kernel_with_a_time_or_a_reason(run: Run) -> None:
    problem, *rows = run("rank", ESSENTIAL, DEVICE)
    assert problem.startswith("gemm 200x136x72 fp16 rcr on gfx")
    fits = [row for row in rows if row.startswith("fits: ")]
    times = [float(re.findall(r"predicted ([\d.]+) us$", row)[0]) for row in fits]
    assert times == sorted(times) and times
    refused = [row for row in rows if row.startswith("refused (unsupported): ")]
    assert any("was asked for K = 72 and needs a multiple of 32" in row for row in refused)
    assert len(fits) + len(refused) == len(rows) == 6


def test_rank_without_a_kernel_that_fits_is_an_error(run: Run) -> None:
    with pytest.raises(SystemExit, match=r"^error: no kernel computes .*bf16"):
        run("rank", ESSENTIAL, DEVICE, "200x136x72 bf16 rcr")


def test_every_kernel_that_fits_is_timed(run: Run) -> None:
    head, *rows, last = run("benchmark", ESSENTIAL, DEVICE, "--repeat", "1")
    assert re.fullmatch(rf"256x128x64 fp16 rcr {ON}, times are [\w ]+", head)
    row = rf" *([\d.]+) us, predicted +[\d.]+ us: {KERNEL}"
    found = [re.fullmatch(row, one) for one in rows]
    times = [float(one[1]) for one in found if one]
    assert len(times) == len(rows) > 1 and times == sorted(times)
    assert last == f"{len(rows)} kernels, all right"


def test_each_way_to_choose_takes_a_kernel(run: Run) -> None:
    lines = run("strategies", ESSENTIAL, DEVICE)
    chosen = dict(line.split(": ") for line in lines)
    assert [*chosen] == ["rules", "first fit", "predictor", "function", "by name"]
    assert all(re.fullmatch(KERNEL, kernel) for kernel in chosen.values())
    assert "_256x128x32_" in chosen["predictor"]
    assert chosen["by name"] == chosen["function"] != chosen["rules"]


def test_every_stream_has_the_product(run: Run) -> None:
    lines = run("streams", ESSENTIAL, DEVICE)
    assert matches(lines, *[rf"stream {i}: 2 runs of {KERNEL}, {RIGHT}" for i in range(3)])


def test_tensors_of_other_libraries_are_read_and_written(run: Run) -> None:
    first, right, *of_torch, last = run("torch_and_dlpack", ESSENTIAL, DEVICE)
    assert re.fullmatch(rf"\(96, 80\) by {KERNEL} in the memory that was handed over", first)
    assert re.fullmatch(RIGHT, right)
    if find_spec("torch"):
        assert re.fullmatch(RIGHT, of_torch[-1])
        assert last == "a torch.Tensor, as torch has it"
    else:
        assert last == "torch is not installed, so none of its tensors were multiplied"


def test_a_product_that_no_kernel_takes_is_padded(run: Run) -> None:
    refusal, first, *changes, right = run("padding", ESSENTIAL, DEVICE)
    assert re.match(
        r"without padding: No kernel .* computes gemm 37x43x51 .* The nearest: ", refusal
    )
    assert re.fullmatch(rf"\(37, 43\) by {KERNEL} {ON}", first)
    assert any("was padded to" in change for change in changes)
    assert re.fullmatch(RIGHT, right)


def test_a_product_that_some_kernel_takes_is_not_padded(run: Run) -> None:
    assert matches(
        run("padding", ESSENTIAL, DEVICE, "64x64x64"), rf"\(64, 64\) by {KERNEL} {ON}", RIGHT
    )


def test_an_illegal_kernel_is_corrected_and_run(run: Run) -> None:
    *broken, changed, ran = run("autocorrect", ESSENTIAL, DEVICE)
    rules = [line.split(":")[1] for line in broken]
    assert rules == [" gemm.tile_divisible", " gemm.vector_load"]
    assert changed == "changed: tile from [100, 128, 32] to [128, 128, 32]"
    assert re.fullmatch(rf"\(256, 128\) by {KERNEL}_128x128x32_2x2x1_32x32x16: {RIGHT}", ran)


def test_a_legal_kernel_that_the_set_does_not_have_is_told(run: Run) -> None:
    (told,) = run("autocorrect", ESSENTIAL, DEVICE, "--tile", "128x64x32")
    assert "_128x64x32_2x2x1_32x32x16 is not in the set" in told


@pytest.mark.parametrize("example", ["benchmark", "gemm", "padding", "strategies"])
@pytest.mark.parametrize("sizes", ["64x64", "64x64x64 bf16", "many"])
def test_sizes_that_are_none_are_one_sentence(run: Run, example: str, sizes: str) -> None:
    with pytest.raises(SystemExit, match=r"^error: [^\n]+$"):
        run(example, ESSENTIAL, DEVICE, sizes)


@pytest.mark.parametrize(
    "example", ["batch", "groups", "preshuffle", "shapes", "streams", "torch_and_dlpack"]
)
def test_an_unknown_device_is_one_sentence(run: Run, example: str) -> None:
    with pytest.raises(SystemExit, match=r"^error: [^\n]*gfx1\b[^\n]*$"):
        run(example, VARIANTS, "sim:gfx1")


def test_kernels_that_do_not_exist_are_one_sentence(run: Run) -> None:
    with pytest.raises(SystemExit, match=r"^error: [^\n]*no_such_set[^\n]*$"):
        run("mixed_families", FORWARD, DEVICE, "--with", "no_such_set")
    with pytest.raises(SystemExit, match=r"^error: [^\n]*no_such\.so[^\n]*$"):
        run("autocorrect", "no_such.so", DEVICE)


def test_sets_without_such_kernels_are_one_sentence(run: Run) -> None:
    with pytest.raises(SystemExit, match=r"^error: weights of fp16 were to be preshuffled [^\n]+$"):
        run("preshuffle", ESSENTIAL, DEVICE)
