# SPDX-License-Identifier: MIT
"""The examples of attention in C++ run, by the kernels that they are about, and their results are
right.
"""

from __future__ import annotations

import os
import re
import subprocess

import pytest

(MANIFEST,) = (
    path
    for path in os.environ["CK_KERNELS"].split()
    if path.endswith("fmha_examples.manifest.json")
)
# --config=rocm names the first GPU.
DEVICE = os.environ.get("CKDISPATCH_DEVICE", "sim:gfx942")

# For each line: what is in the problem, and what in the names of its kernels.
LINES: dict[str, list[tuple[str, tuple[str, ...]]]] = {
    "append_rotary": [
        (" 3 new", ("fmha_appendkv_", "_interleaved_")),
        ("1x4/2x3x128x64 causal from the bottom right", ()),
    ],
    "backward": [
        ("1x4/2x70x150x64", ("fmha_dot_do_o_", "fmha_dq_dk_dv_", "fmha_convert_dq_", "fmha_sum_"))
    ],
    "basic": [("2x4x100x130x64", ("fmha_fwd_",))],
    "batch_prefill": [("pages of 1", ("fmha_batch_prefill_",))],
    "bias_and_alibi": [(" bias", ("_bias_",)), (" alibi", ("_alibi_",))],
    "causal_and_windows": [
        (mask, ("_mask_",))
        for mask in (
            "causal from the bottom right",
            "causal from the top left",
            "window 32,0",
            "window 16,16",
        )
    ],
    "decode": [("pages of 128", ("_paged_",))],
    "deterministic_backward": [
        ("deterministic", ("fmha_dot_do_o_", "fmha_dq_dk_dv_", "fmha_convert_dq_", "_det_"))
    ],
    # Checked with the bytes that were stored, and with those that the CPU makes of the seed.
    "dropout": [("dropout", ("fmha_fwd_", "_dropout_")) for _ in range(2)],
    "fp8": [("fp8bf16", ("fmha_fwd_fp8bf16_",))],
    "gqa": [("1x8/2x50x70x64", ()), ("1x8/1x50x70x64", ())],
    "head_sizes": [
        *((size, ("_h64x64_",)) for size in ("x64", "x40", "x52/24")),
        ("x128", ("_h128x128_",)),
    ],
    "paged_cache": [("pages of 128", ("_paged_",))],
    "sinks": [("sinks", ("fmha_sink_",)), ("the first 4 keys", ("fmha_splitkv_", "fmha_combine_"))],
    "soft_cap": [("soft cap", ("_cap_",))],
    "split_kv": [("split 3", ("fmha_splitkv_", "fmha_combine_"))],
    "variable_lengths": [("in groups of 112 and 210 rows", ("_group_",))],
}
LINE = re.compile(
    r"(?P<problem>fmha \S.*) by (?P<kernels>\S.*): (?P<checked>[1-9]\d*) values checked, 0 wrong"
)


def run(example: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = os.path.abspath(f"dispatcher/examples/attention/{example}")
    return subprocess.run([program, *arguments], capture_output=True, text=True)


def printed(example: str) -> list[str]:
    done = run(example, MANIFEST, DEVICE)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_every_example_is_here() -> None:
    programs = {
        name
        for name in os.listdir("dispatcher/examples/attention")
        if os.access(f"dispatcher/examples/attention/{name}", os.X_OK)
    }
    assert programs == {*LINES, "sweep"}


@pytest.mark.parametrize("example", LINES)
def test_an_example_is_computed_by_its_kernels_and_right(example: str) -> None:
    lines = printed(example)
    if example == "decode":
        words = lines.pop(0).split()
        assert words[0] == "tokens" and len(words) == 1 + 64
        assert len(set(words[1:])) > 4
    for line, (problem, kernels) in zip(lines, LINES[example], strict=True):
        match = LINE.fullmatch(line)
        assert match, line
        assert problem in match["problem"]
        assert [word for word in kernels if word not in match["kernels"]] == []


def test_the_sweep_has_a_bar_for_each_length() -> None:
    bars = [re.fullmatch(r"(\d+)\t(#+) ([\d.e+-]+) us", line) for line in printed("sweep")]
    assert [bar and int(bar[1]) for bar in bars] == [1, 17, 64, 100, 128, 190]
    assert max(len(bar[2]) for bar in bars if bar) == 61
    assert min(float(bar[3]) for bar in bars if bar) > 0


@pytest.mark.parametrize("example", ["basic", "decode"])
def test_without_arguments_an_example_says_what_it_takes(example: str) -> None:
    done = run(example)
    assert done.returncode == 2
    assert done.stderr == f"usage: {example} MANIFEST [DEVICE]\n"


def test_a_device_that_there_is_none_of_is_told_in_a_sentence() -> None:
    done = run("basic", MANIFEST, "sim:gfx000")
    assert done.returncode == 1
    assert "The device sim:gfx000 was asked for; the simulator has gfx908, " in done.stderr
