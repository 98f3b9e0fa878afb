# SPDX-License-Identifier: MIT
"""The command of attention kernels."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ckgen.cli.main import main
from ckgen.families import FAMILIES

NAME = (
    "fmha_fwd_fp16_batch_h128x128_mask_lse_qr_t128x128x32x128x32x128_w4x1x1_i32x32x16_p1x1x0x0_o2"
)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(["fmha", *arguments])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_options_choose_from_the_catalogue(capsys: pytest.CaptureFixture[str]) -> None:
    chosen = (
        "--variant",
        "fwd",
        "--datatype",
        "fp16",
        "--hdim",
        "128",
        "--mode",
        "batch",
        "--bias",
        "none",
        "--pipeline",
        "qr",
    )
    status, out, _ = run(capsys, "--gpu-target", "gfx942", *chosen, "--list")
    names = out.split()
    assert status == 0 and NAME in names
    assert all(
        name.startswith("fmha_fwd_fp16_batch_h128x128_") and "_qr_t" in name for name in names
    )


def test_a_set_that_ships_is_generated(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    into = ("--output-dir", str(tmp_path), "--jobs", "1")
    status, out, _ = run(
        capsys, "--gpu-target", "gfx942", "--preselected", "fmha_pagedkv_fp16_essential", *into
    )
    assert status == 0 and "3 kernels in " in out
    assert len(list(tmp_path.glob("fmha_pagedkv_*.cpp"))) == 3


def test_why_a_kernel_is_legal_or_not_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "--gpu-target", "gfx942", "--explain", NAME)
    assert status == 0 and f"legal on gfx942: {len(FAMILIES['fmha'].rules)} rules passed" in out
    status, out, err = run(capsys, "--gpu-target", "gfx1201", "--explain", NAME)
    assert (
        status == 1 and "VIOLATED  fmha.warp_tile_on_gpu: gfx1201 has no warp tile 32x32x16" in out
    )
    assert (
        "the nearest legal choice is " in out and err == f"ckgen: {NAME} is not legal on gfx1201\n"
    )


def test_an_entry_can_be_explained(capsys: pytest.CaptureFixture[str]) -> None:
    entry = json.dumps({"dtype": "fp16", "hdim_q": 128, "mask": True, "lse": True})
    status, out, _ = run(capsys, "--gpu-target", "gfx942", "--json", "--explain", entry)
    assert status == 0 and json.loads(out)[0]["name"] == NAME
