# SPDX-License-Identifier: MIT
"""``build`` compiles for real, tells what became of each kernel, and keeps logs of failures."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import pytest
from cli_support import PADDED, SIMULATED, ckdispatch, start

WORDS = (
    "--dtype",
    "fp16",
    "--layout",
    "rcr",
    "--tile",
    "64x64x64",
    "--waves",
    "2x2x1",
    "--warp-tile",
    "32x32x16",
    "--pad",
    "mnk",
)
OTHER = PADDED.replace("compv3", "mem")

Environment = dict[str, str]


@pytest.fixture(scope="module")
def built(compiled: Environment, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A list of one kernel that was compiled from a declaration."""
    folder = tmp_path_factory.mktemp("caller")
    entry = {"tile": [64, 64, 64], "waves": [2, 2, 1], "warp_tile": [32, 32, 16]}
    declaration = {
        "family": "gemm",
        "dtype": "fp16",
        "layout": "rcr",
        "forbid_spills": True,
        "kernels": [{**entry, "pipeline": "compv3", "pad": [True, True, True]}],
    }
    (folder / "my.json").write_text(json.dumps(declaration))
    ended = ckdispatch(
        "build",
        "my.json",
        "--jobs",
        "2",
        "--times",
        "--save",
        "my.built.json",
        env=compiled,
        cwd=folder,
    )
    assert ended.code == 0, ended.err
    table, total, steps = ended.out.split("\n\n")
    assert table.splitlines()[0].split() == ["kernel", "result", "seconds", "compiler", "log"]
    assert table.splitlines()[1].split()[:2] == [PADDED, "built"]
    assert total == "1 kernel: 1 built, 0 cached, 0 failed."
    assert steps.splitlines()[0].split() == [
        "kernel",
        "step",
        "seconds",
        "of",
        "processors",
        "most",
        "memory",
    ]
    assert [line.split()[1] for line in steps.splitlines()[1:5]] == [
        "compiling",
        "bundling",
        "compiling",
        "linking",
    ]
    # By the worker that has no kernel, in less time.
    (headers,) = steps.splitlines()[5:]
    assert headers.startswith("headers of gemm ") and "  precompiling for gfx942  " in headers
    assert ended.err.startswith(f"[1/1] {PADDED}: built in ")
    return folder / "my.built.json"


def test_what_was_saved_can_be_run(built: Path, compiled: Environment) -> None:
    ended = ckdispatch("run", "72x64x64", "--kernels", built, *SIMULATED, env=compiled)
    assert ended.code == 0, ended.err
    assert ended.columns["kernel"] == PADDED and ended.columns["result"].startswith("right: ")


@pytest.mark.parametrize(
    "said", [(*WORDS, "--pipeline", "compv3"), ("--kernel", PADDED)], ids=["in words", "by name"]
)
def test_the_second_time_it_is_in_the_cache(
    said: tuple[str, ...], built: Path, compiled: Environment
) -> None:
    ended = ckdispatch("build", *said, "--json", "--quiet", env=compiled)
    assert (ended.code, ended.err) == (0, "")
    assert ended.document["gpus"] == ["gfx942"]
    (kernel,) = ended.document["kernels"]
    assert (kernel["name"], kernel["result"], kernel["error"]) == (PADDED, "cached", None)
    assert Path(kernel["library"]).is_file() and Path(kernel["log"]).is_file()


def test_one_failure_does_not_lose_the_others(built: Path, compiled: Environment) -> None:
    forbidden = {**compiled, "CKDISPATCH_JIT": "0"}
    words = ("build", *WORDS, "--pipeline", "compv3,mem")
    found = ckdispatch(*words, "--json", env=forbidden)
    assert found.code == 1
    results = {kernel["name"]: kernel["result"] for kernel in found.document["kernels"]}
    assert results == {PADDED: "cached", OTHER: "failed"}
    ended = ckdispatch(*words, env=forbidden)
    assert ended.code == 1
    assert ended.out.endswith("2 kernels: 0 built, 1 cached, 1 failed.\n")
    assert f"{OTHER} is not in the cache" in ended.out
    assert ended.err.splitlines()[-1] == "ckdispatch: not built: 1 of 2 kernels."


def test_a_failure_has_its_compiler_log(compiled: Environment, tmp_path: Path) -> None:
    (tmp_path / "ck_tile").mkdir()
    (tmp_path / "ck_tile" / "core.hpp").write_text("#error no luck\n")
    ended = ckdispatch(
        "build", "--kernel", PADDED, "--json", env={**compiled, "CKDISPATCH_CK": str(tmp_path)}
    )
    assert ended.code == 1
    (kernel,) = ended.document["kernels"]
    assert kernel["result"] == "failed" and kernel["library"] is None
    assert "ended with exit code 1 (no luck)" in kernel["error"]
    assert "#error no luck" in Path(kernel["log"]).read_text()
    assert f"the compiler's log is {kernel['log']}." in kernel["error"]


def test_a_gpu_that_takes_no_kernel_of_a_declaration_says_what_it_would_take(
    tmp_path: Path,
) -> None:
    entry = {"tile": [64, 64, 64], "waves": [2, 2, 1], "pipeline": "compv3"}
    kernels = [{**entry, "warp_tile": [32, 32, 16]}, {**entry, "warp_tile": [32, 32, 8]}]
    declaration = {"family": "gemm", "dtype": "fp16", "layout": "rcr", "kernels": kernels}
    (tmp_path / "my.json").write_text(json.dumps(declaration))
    ended = ckdispatch("build", "my.json", "--gpu", "gfx1100", cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        "ckdispatch: no kernel of my.json is legal on gfx1100; gemm_fp16_rcr_compv3_cshuffle_"
        "intrawave_False_False_False_False_64x64x64_2x2x1_32x32x16: gemm.wave_layout_supported: "
        "waves 2x2x1 are not among those of gfx1100 (2x4x1, 1x8x1, 8x1x1, 4x2x1); the nearest "
        "legal choice is waves 2x4x1 and warp_tile 16x16x16.\n"
    )


def test_ctrl_c_ends_a_compile_and_leaves_nothing_half_done(tmp_path: Path) -> None:
    folder = tmp_path / "jit"
    process = start("build", "--kernel", PADDED, env={"CKDISPATCH_CACHE": str(tmp_path)})
    while process.poll() is None and not list(folder.glob("work/*/*.cpp")):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "ckdispatch: interrupted."
    assert list(folder.glob("work/*")) == [] and list(folder.glob("kernels/*/*")) == []


def test_help_calls_the_fields_by_their_names() -> None:
    told = ckdispatch("build", "--help").out
    assert "--ndim-spatial NDIM_SPATIAL" in told
    assert "FIELD_" not in told
