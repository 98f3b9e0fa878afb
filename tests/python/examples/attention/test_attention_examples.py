# SPDX-License-Identifier: MIT
"""The examples of attention in Python run, by the kernels that they are about, and their results
are right.
"""

from __future__ import annotations

import os
import re
import runpy
import sys
from pathlib import Path

import pytest

FOLDER = Path("python/examples/attention")
SET = "fmha_examples"
# --config=rocm names the first GPU.
DEVICE = os.environ.get("CKDISPATCH_DEVICE", "sim:gfx942")

# For each line: the shape of the result, and what is in the names of its kernels.
LINES: dict[str, list[tuple[tuple[int, ...], tuple[str, ...]]]] = {
    "append_rotary": [((1, 3, 4, 64), ("fmha_appendkv_", "_interleaved_"))],
    "backward": [
        ((1, 70, 4, 64), ("fmha_dot_do_o_", "fmha_dq_dk_dv_", "fmha_convert_dq_", "fmha_sum_"))
    ],
    "basic": [((2, 100, 4, 64), ("fmha_fwd_",)), ((2, 4, 100, 64), ("fmha_fwd_",))],
    "batch_prefill": [((65, 2, 128), ("fmha_batch_prefill_",))],
    "bias_and_alibi": [((2, 64, 4, 64), ("_bias_",)), ((2, 64, 4, 64), ("_alibi_",))],
    "causal_and_windows": [((1, 70, 2, 64), ("_mask_",))] * 4,
    "decode": [((1, 1, 2, 64), ("fmha_appendkv_", "_half_", "_paged_"))],
    "deterministic_backward": [((1, 70, 2, 64), ("fmha_dq_dk_dv_", "_det_", "_alibi_"))],
    "dropout": [((2, 48, 2, 64), ("_dropout_",))],
    "fp8": [((1, 64, 2, 64), ("fmha_fwd_fp8bf16_",))],
    "gqa": [((1, 50, 8, 64), ())] * 2,
    "head_sizes": [
        ((1, 40, 2, size), (f"_h{bucket}x{bucket}_",))
        for size, bucket in ((64, 64), (40, 64), (128, 128), (80, 128), (24, 64))
    ],
    "paged_cache": [((2, 1, 4, 64), ("_paged_",))],
    "sinks": [
        ((1, 60, 2, 64), ("fmha_sink_",)),
        ((1, 60, 2, 64), ("fmha_splitkv_", "fmha_combine_")),
    ],
    "soft_cap": [((1, 64, 2, 64), ("_cap_",))],
    "split_kv": [((2, 1, 4, 64), ("fmha_splitkv_", "fmha_combine_"))],
    "variable_lengths": [((112, 2, 64), ("_group_",))],
}
# What they say besides.
MORE = {
    "append_rotary": r"the cache has the new rows",
    "decode": r"([5-9]|1\d) words in 64 tokens, as the reference has them",
    "deterministic_backward": r"both runs have the same bits",
    "dropout": r"(79|80|81)\.\d % were kept",
}
LINE = re.compile(r"(?P<shape>\([\d, ]+\)) by (?P<kernels>[\w +]+): (?P<comparison>.+)")


def run(example: str, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    """In this process, so that the package and the kernels are loaded once."""
    monkeypatch.setattr(sys, "argv", [f"{example}.py", *arguments])
    runpy.run_path(str(FOLDER / f"{example}.py"), run_name="__main__")


def test_every_example_is_here() -> None:
    assert {path.stem for path in FOLDER.glob("*.py")} == {*LINES, "sweep", "attentions"}


@pytest.mark.parametrize("example", LINES)
def test_an_example_is_computed_by_its_kernels_and_right(
    example: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    run(example, monkeypatch, SET, DEVICE)
    said, findings = capfd.readouterr()  # the simulator's, too
    assert findings == ""
    lines = said.splitlines()
    if example in MORE:
        assert re.fullmatch(MORE[example], lines.pop())
    for line, (shape, kernels) in zip(lines, LINES[example], strict=True):
        match = LINE.fullmatch(line)
        assert match, line
        assert match["shape"] == str(shape)
        assert [word for word in kernels if word not in match["kernels"]] == []
        for comparison in re.split(r"; (?=all \d)", match["comparison"]):
            assert re.match(r"all [1-9]\d* values are within their tolerance; ", comparison)


def test_the_sweep_has_a_bar_for_each_length(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run("sweep", monkeypatch, SET, DEVICE)
    bars = [
        re.fullmatch(r" *(\d+) rows (#+) ([\d.e+-]+) us", line)
        for line in capsys.readouterr().out.splitlines()
    ]
    assert [bar and int(bar[1]) for bar in bars] == [1, 17, 64, 100, 128, 190]
    assert max(len(bar[2]) for bar in bars if bar) == 61
    assert min(float(bar[3]) for bar in bars if bar) > 0


def test_kernels_that_do_not_exist_are_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit, match=r"error: .*no_such_set"):
        run("basic", monkeypatch, "no_such_set", DEVICE)


def test_an_unknown_device_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit, match=r"error: .*gfx1"):
        run("basic", monkeypatch, SET, "sim:gfx1")
