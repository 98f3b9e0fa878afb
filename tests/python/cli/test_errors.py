# SPDX-License-Identifier: MIT
"""Whatever goes wrong is one sentence on stderr, no traceback, and an exit code for its kind."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from ckdispatch.cli.main import main
from cli_support import ESSENTIAL, PADDED, SIMULATED, Ended, ckdispatch, manifest

PROBLEM = ("64x64x64", *ESSENTIAL)
BUILD = ("--dtype", "fp16", "--layout", "rcr", "--waves", "2x2x1", "--warp-tile", "32x32x16")


def assert_one_sentence(ended: Ended) -> None:
    assert ended.err.startswith("ckdispatch: ") and ended.err.endswith(".\n"), ended.err
    assert ended.err.count("\n") == 1 and "Traceback" not in ended.err
    assert ended.out == ""


USAGE = {
    "no command": ((), "the following arguments are required: COMMAND"),
    "an unknown command": (("frobnicate",), "'frobnicate'"),
    "an unknown option": (("run", *PROBLEM, "--fast"), "unrecognized arguments: --fast"),
    "an option of others": (
        ("list", "--kernel-dir", "x"),
        "none here: write --kernels with the name",
    ),
    "a program of others": (
        ("grouped_conv_full_benchmark.py", "--arch", "gfx950"),
        "none here: write `ckdispatch bench ",
    ),
    "a generator of others": (
        ("unified_gemm_codegen.py", "--output-dir", "out"),
        "by `python3 -m ckgen gemm --output-dir DIR`",
    ),
    "no kernels": (("run", "64x64x64"), "required: --kernels"),
    "no problem": (("bench", *ESSENTIAL), "no problem was given"),
    "no extents": (("run", "64x64", *ESSENTIAL), "'64x64' is no GEMM problem; write MxNxK"),
    "an unknown word": (("run", "64x64x64 speed=9", *ESSENTIAL), "has the word 'speed'"),
    "a word that is no number": (("run", "64x64x64 batch=x", *ESSENTIAL), "batch is a whole"),
    "an unknown dtype": (("run", "64x64x64 fp99", *ESSENTIAL, *SIMULATED), "dtypes: fp16"),
    "an unknown dtype of C": (
        ("run", "64x64x64 dtype_c=fp99", *ESSENTIAL, *SIMULATED),
        "the dtypes are fp16",
    ),
    "an extent of 0": (("run", "0x64x64", *ESSENTIAL, *SIMULATED), "each must be from 1 to"),
    "a split of 0": (("run", *PROBLEM, "--split-k", "0"), "--split-k is '0'"),
    "a seed that is none": (("run", *PROBLEM, "--seed", "-1"), "--seed"),
    "no repetition": (("bench", *PROBLEM, "--repeat", "0"), "'0' is no whole number of at least 1"),
    "an unknown device": (("run", *PROBLEM, "--device", "cuda:0"), "a device is called hip:0"),
    "an unknown GPU": (("run", *PROBLEM, "--device", "sim:gfx999"), "the known ones are gfx908"),
    "another unknown GPU": (("explain", *PROBLEM, "--gpu", "gfx999"), "the known ones are gfx908"),
    "a file that is not there": (("bench", "--file", "nothing.txt", *ESSENTIAL), "cannot be read"),
    "nothing to build": (("build",), "kernels are to be said in one way"),
    "two ways to build": (("build", "x.json", "--kernel", PADDED), "said in one way"),
    "no such declaration": (("build", "nothing.json"), "nothing.json cannot be read"),
    "a field that is missing": (("build", "--dtype", "fp16"), "the field 'layout' is missing"),
    "a field's wrong value": (
        ("build", *BUILD, "--tile", "64x64x64", "--pipeline", "compv9"),
        "expected one of mem, compv3",
    ),
    "a tile that is none": (("build", *BUILD, "--tile", "64x64"), "--tile is '64x64'; it is MxNxK"),
    "a pad that is none": (("build", "--pad", "xyz"), "--pad is 'xyz'; it is `none`, or letters"),
    "a switch that is none": (
        ("build", "--persistent", "yes"),
        "--persistent is 'yes'; it is true",
    ),
    "an illegal kernel": (
        ("build", *BUILD, "--tile", "100x64x64", "--pipeline", "compv3"),
        "gemm.tile_divisible: tile 100x64x64 is not a multiple of 64x64x16",
    ),
    "the name of no kernel": (("build", "--kernel", "bla"), "'bla' is not the name of a kernel"),
    "no GPU to build for": (("build", "--kernel", PADDED, "--gpu", "gfx1"), "no GPU 'gfx1'"),
    "a size that is none": (("cache", "prune", "--to", "much"), "--to is 'much'"),
}


@pytest.mark.parametrize(("words", "told"), USAGE.values(), ids=USAGE.keys())
def test_a_request_that_makes_no_sense_ends_with_2(words: tuple[str, ...], told: str) -> None:
    ended = ckdispatch(*words)
    assert_one_sentence(ended)
    assert (ended.code, told in ended.err) == (2, True), ended.err


MISSING = {
    "no such set": (("list", "--kernels", "nothing"), "the kernel set nothing was asked for"),
    "no such manifest": (("list", "--kernels", "nothing.manifest.json"), "there is no such file"),
    "no such library": (("list", "--kernels", "./libnothing.so"), "there is no such file"),
    "no such kernel": (("run", *PROBLEM, "--kernel", "bla", *SIMULATED), "has no kernel bla"),
    "no kernel for the problem": (
        ("run", "64x64x64", "rrr", *ESSENTIAL, *SIMULATED),
        "computes the layout rcr, not rrr",
    ),
    "no kernel for the GPU": (
        ("run", *PROBLEM, "--device", "sim:gfx950"),
        "holds no code for gfx950",
    ),
}


@pytest.mark.parametrize(("words", "told"), MISSING.values(), ids=MISSING.keys())
def test_what_is_not_found_ends_with_3(words: tuple[str, ...], told: str) -> None:
    ended = ckdispatch(*words)
    assert_one_sentence(ended)
    assert (ended.code, told in ended.err) == (3, True), ended.err


def test_a_gpu_that_the_machine_does_not_have_ends_with_3() -> None:
    ended = ckdispatch("run", *PROBLEM, "--device", "hip:99")
    assert_one_sentence(ended)
    assert ended.code == 3, ended.err


def test_the_simulator_that_is_not_there_ends_with_3(tmp_path: Path) -> None:
    missing = {"CKDISPATCH_SIMULATOR": str(tmp_path / "nothing.so")}
    ended = ckdispatch("run", *PROBLEM, *SIMULATED, env=missing)
    assert_one_sentence(ended)
    assert ended.code == 3


def test_a_device_that_fails_ends_with_4() -> None:
    ended = ckdispatch("run", *PROBLEM, *SIMULATED, env={"GFXSIM_INSTRUCTION_LIMIT": "3"})
    assert (ended.code, ended.out) == (4, "")
    last = ended.err.splitlines()[-1]
    assert last.startswith("ckdispatch: ") and "limit of 3 instructions" in last
    assert "Traceback" not in ended.err


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A set of the caller's own, to be damaged."""
    source = manifest("gemm_fp16_rcr_essential")
    for path in source.parent.glob("*gemm_fp16_rcr*"):
        shutil.copyfile(path, tmp_path / path.name)
    return tmp_path / source.name


def test_a_file_that_is_no_manifest_ends_with_1(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("hello")
    ended = ckdispatch("list", "--kernels", tmp_path / "x.json")
    assert_one_sentence(ended)
    assert (ended.code, "is not valid JSON" in ended.err) == (1, True)


def test_a_damaged_library_ends_with_1(copied: Path) -> None:
    library = copied.with_name(f"lib{PADDED}.so")
    content = bytearray(library.read_bytes())
    content[len(content) // 2] ^= 1
    library.write_bytes(content)
    ended = ckdispatch("run", "64x64x64", "--kernels", copied, *SIMULATED, "--kernel", PADDED)
    assert_one_sentence(ended)
    assert ended.code == 1
    assert f"{library.name} is not the one that was built: its SHA-256 is" in ended.err


def test_a_damaged_library_is_no_reason_not_to_take_another(copied: Path) -> None:
    copied.with_name(f"lib{PADDED}.so").write_bytes(b"")
    ended = ckdispatch("run", "64x64x64", "--kernels", copied, *SIMULATED)
    assert ended.code == 0 and ended.columns["kernel"] != PADDED


def test_with_json_an_error_is_the_document() -> None:
    ended = ckdispatch("run", *PROBLEM, "--device", "cuda:0", "--json")
    assert ended.code == 2
    assert ended.document["exit_code"] == 2
    assert f"ckdispatch: {ended.document['error']}" == ended.err.strip()
    wrong = ckdispatch("frobnicate", "--json")
    assert wrong.code == 2 and wrong.document["exit_code"] == 2


def test_whoever_looks_for_a_bug_can_have_the_traceback() -> None:
    ended = ckdispatch("run", *PROBLEM, "--device", "cuda:0", env={"CKDISPATCH_TRACEBACK": "1"})
    assert ended.code == 2
    assert "Traceback" in ended.err and ended.err.splitlines()[-1].startswith("ckdispatch: ")


def test_operands_that_fit_into_no_memory_end_with_4() -> None:
    ended = ckdispatch("run", "64x64x64", "batch=2000000000", *ESSENTIAL, *SIMULATED)
    assert_one_sentence(ended)
    assert (ended.code, "memory" in ended.err) == (4, True), ended.err


def test_what_nobody_foresaw_is_a_sentence_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def devices() -> list[object]:
        raise KeyError("gfx\n1")

    monkeypatch.setattr("ckdispatch.device_list.devices", devices)
    assert main(["devices"]) == 1
    assert capsys.readouterr().err == (
        "ckdispatch: this is a bug: KeyError: 'gfx\\n1'; CKDISPATCH_TRACEBACK=1 shows where.\n"
    )
