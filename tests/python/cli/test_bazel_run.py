# SPDX-License-Identifier: MIT
"""//python:cli under ``bazel run``: paths are the caller's, and so is the clone with its sets."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from cli_support import Ended, ckdispatch, manifest

CLI = Path(os.environ["CKDISPATCH_CLI"]).absolute()
NAME = "my_own_gemms"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone that has built a set, and a folder in it where the caller is."""
    built = tmp_path / "bazel-bin" / "kernels"
    built.mkdir(parents=True)
    source = manifest("test_gemm_variants")
    for path in source.parent.glob("*gemm*"):
        if path.is_file():
            shutil.copyfile(path, built / path.name)
    (built / source.name).rename(built / f"{NAME}.manifest.json")
    (tmp_path / "here").mkdir()
    return tmp_path


def bazel_run(clone: Path, *words: str | Path) -> Ended:
    """As Bazel starts a program: among its runfiles, and told where the caller is."""
    variables = {
        "BUILD_WORKSPACE_DIRECTORY": str(clone),
        "BUILD_WORKING_DIRECTORY": str(clone / "here"),
    }
    folder = next(path for path in CLI.parents if path.parent.name.endswith(".runfiles"))
    return ckdispatch(*words, env=variables, cwd=folder, program=[str(CLI)])


def test_a_set_that_the_clone_has_built_is_found_by_its_name(clone: Path) -> None:
    ended = bazel_run(clone, "list", "--kernels", NAME, "--json")
    assert ended.code == 0, ended.err
    assert len(ended.document["kernels"]) == 6
    library = Path(ended.document["kernels"][0]["library"])
    assert library.is_relative_to(clone)


def test_a_set_that_was_not_built_is_told_how_to_build(clone: Path) -> None:
    ended = bazel_run(clone, "list", "--kernels", "nothing")
    assert (ended.code, ended.out) == (3, "")
    assert (
        f"nor built in {clone}; build it, such as with `./bazelw build //kernels:nothing`"
        in ended.err
    )


def test_relative_paths_are_the_callers(clone: Path) -> None:
    ended = bazel_run(
        clone, "list", "--kernels", f"../bazel-bin/kernels/{NAME}.manifest.json", "--json"
    )
    assert ended.code == 0, ended.err
    assert len(ended.document["kernels"]) == 6


def test_the_program_brings_the_simulator_along(clone: Path) -> None:
    ended = bazel_run(clone, "run", "64x64x64", "rrr", "--kernels", NAME, "--device", "sim:gfx942")
    assert ended.code == 0, ended.err
    assert ended.columns["result"].startswith("right: ")
