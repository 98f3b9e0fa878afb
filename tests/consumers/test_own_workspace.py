# SPDX-License-Identifier: MIT
"""What a copy of this repository does when its declarations or its surroundings change."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.consumers.nested_bazel import Spawn, Workspace, copy_repository, running, scratch_folder
from tests.consumers.rocm_look_alike import make_rocm

# Kernels that this test's own build has compiled, so that a copy finds them in the disk cache.
SMALL = {"tile": [64, 64, 64], "pipeline": "compv3"}
PADDED = {**SMALL, "pad": [True, True, True]}
SKINNY = {"tile": [16, 64, 128], "pipeline": "mem", "waves": [1, 4, 1], "warp_tile": [16, 16, 32]}
LOW = {
    "tile": [64, 16, 128],
    "pipeline": "mem",
    "waves": [4, 1, 1],
    "warp_tile": [16, 16, 32],
    "scheduler": "interwave",
}

PREFIX = "//kernels:gemm_fp16_rcr_"
SMALL_NAME = PREFIX + "compv3_cshuffle_intrawave_False_False_False_False_64x64x64_2x2x1_32x32x16"
PADDED_NAME = PREFIX + "compv3_cshuffle_intrawave_True_True_True_False_64x64x64_2x2x1_32x32x16"
SKINNY_NAME = PREFIX + "mem_cshuffle_intrawave_False_False_False_False_16x64x128_1x4x1_16x16x32"
LOW_NAME = PREFIX + "mem_cshuffle_interwave_False_False_False_False_64x16x128_4x1x1_16x16x32"
SET = "//kernels:gemm_fp16_rcr_all"
KERNEL_ACTIONS = ["CkBundle", "CkCompile", "CkGenerate", "CkHost", "CkInspect", "CkLink"]


@pytest.fixture(scope="module")
def workspace() -> Iterator[Workspace]:
    with scratch_folder() as scratch:
        repository = copy_repository(scratch / "clone")
        with running(Workspace(repository, repository, scratch / "out")) as workspace:
            yield workspace


def declare(workspace: Workspace, *entries: Mapping[str, object], file: str = "gemm_16bit") -> Path:
    declaration = {
        "family": "gemm",
        "dtype": "fp16",
        "layout": "rcr",
        "forbid_spills": True,
        **({"sets": {"gemm_fp16_rcr_all": {}}} if file == "gemm_16bit" else {}),
        "defaults": {"waves": [2, 2, 1], "warp_tile": [32, 32, 16]},
        "kernels": entries,
    }
    path = workspace.folder / f"kernels/{file}.json"
    path.write_text(json.dumps(declaration))
    return path


def expansions(workspace: Workspace) -> dict[str, int]:
    """When each declaration of //kernels was last expanded, by its file's name."""
    base = Path(workspace.bazel("info", "output_base").stdout.strip())
    found = base.glob("external/*ckdispatch.kernels.*/kernel_set.bzl")
    return {path.parent.name.rpartition(".")[2]: path.stat().st_mtime_ns for path in found}


def kernel_actions(spawns: list[Spawn]) -> list[tuple[str, str]]:
    """(target, mnemonic) of all that a kernel or a set is made by."""
    return sorted(
        (spawn.target, spawn.mnemonic) for spawn in spawns if spawn.mnemonic.startswith("Ck")
    )


def test_one_edited_entry_rebuilds_only_its_kernels(workspace: Workspace) -> None:
    declare(workspace, SMALL, PADDED, SKINNY)
    first = kernel_actions(workspace.build(SET))
    wanted = [
        (name, action)
        for name in (PADDED_NAME, SMALL_NAME, SKINNY_NAME)
        for action in KERNEL_ACTIONS
    ]
    assert [item for item in first if item[0].startswith("//kernels")] == sorted(
        [*wanted, (SET, "CkManifest")]
    )

    assert workspace.build(SET) == []

    declare(workspace, SMALL, LOW, SKINNY)
    edited = kernel_actions(workspace.build(SET))
    assert edited == sorted(
        [*((LOW_NAME, action) for action in KERNEL_ACTIONS), (SET, "CkManifest")]
    )


def test_a_new_first_entry_rebuilds_none_of_those_behind_it(workspace: Workspace) -> None:
    declare(workspace, SMALL, SKINNY)
    workspace.build(SET)
    declare(workspace, PADDED, SMALL, SKINNY)
    assert {target for target, _ in kernel_actions(workspace.build(SET))} <= {PADDED_NAME, SET}


def test_a_new_set_is_a_new_file_and_expands_no_other_declaration(workspace: Workspace) -> None:
    asked = ("query", "kind(ck_kernel_set, //kernels:all)")
    assert SET in workspace.bazel(*asked).stdout.split()
    before = expansions(workspace)
    assert len(before) >= 15
    new = declare(workspace, SMALL, file="mine")
    try:
        assert {SET, "//kernels:mine"} <= {*workspace.bazel(*asked).stdout.split()}
        after = expansions(workspace)
        assert {name for name, when in after.items() if before.get(name) != when} == {"mine"}

        declare(workspace, SMALL, PADDED, file="mine")
        assert PADDED_NAME in workspace.bazel("query", "deps(//kernels:mine, 1)").stdout.split()
        edited = expansions(workspace)
        assert {name for name, when in edited.items() if after[name] != when} == {"mine"}
    finally:
        new.unlink()
    assert "//kernels:mine" not in workspace.bazel(*asked).stdout.split()


def test_which_rocm_prints_the_compiler_in_use(workspace: Workspace) -> None:
    answer = dict(
        line.split(": ", 1)
        for line in workspace.bazel("run", "//rules:which_rocm").stdout.splitlines()
    )
    assert list(answer) == ["HIP compiler", "found in", "device libraries", "host triple", "digest"]
    assert "clang version" in answer["HIP compiler"]
    assert len(answer["digest"]) == 64
    assert Path(answer["device libraries"], "ocml.bc").exists()


def test_without_a_compiler_everything_but_building_a_kernel_works(workspace: Workspace) -> None:
    missing = "--repo_env=ROCM_PATH=/nonexistent"
    sentence = (
        "No HIP compiler was found (ROCM_PATH: /nonexistent/llvm/bin/clang++ is missing); "
        "set ROCM_PATH to a ROCm installation, or build with ./bazelw, which brings one."
    )
    declare(workspace, SMALL, PADDED)
    assert SMALL_NAME in workspace.bazel("query", missing, "//kernels:all").stdout.split()
    assert SET in workspace.bazel("cquery", missing, "--output=label", "//kernels:all").stdout
    assert workspace.bazel("run", missing, "//rules:which_rocm").stdout == sentence + "\n"

    kernel = workspace.try_bazel("build", missing, SMALL_NAME)
    assert kernel.code == 1
    assert sentence in kernel.output.splitlines()
    whole = workspace.try_bazel("build", missing, SET)
    assert whole.code == 1
    assert (
        f"None of the 2 kernels of gemm_fp16_rcr_all can be built: {sentence}"
        in whole.output.splitlines()
    )


def test_a_compiler_that_appears_where_none_was_is_used(workspace: Workspace) -> None:
    rocm = workspace.output_root / "rocm"
    chosen = f"--repo_env=ROCM_PATH={rocm}"
    found = workspace.bazel("run", "//rules:which_rocm").stdout
    assert (
        "No HIP compiler was found" in workspace.bazel("run", chosen, "//rules:which_rocm").stdout
    )

    make_rocm(rocm, found)
    answer = workspace.bazel("run", chosen, "//rules:which_rocm").stdout
    assert "found in: ROCM_PATH\n" in answer
    assert f"({rocm}/llvm/bin/clang++)" in answer


# Below /tmp, which Bazel's sandbox hides from actions.
@pytest.fixture
def folder_in_tmp() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        yield Path(folder)


def test_ones_own_checkout_of_composable_kernel_is_compiled(
    workspace: Workspace, folder_in_tmp: Path
) -> None:
    declare(workspace, SMALL)
    core = folder_in_tmp / "include/ck_tile/core.hpp"
    core.parent.mkdir(parents=True)
    flag = f"--repo_env=CKDISPATCH_CK={folder_in_tmp}"
    for header in ("one_that_my_headers_want.hpp", "another_after_an_edit.hpp"):
        core.write_text(f'#include "{header}"\n')
        result = workspace.try_bazel("build", flag, SMALL_NAME)
        assert result.code == 1
        assert f"fatal error: '{header}' file not found" in result.output
        assert "Precompiling the headers of gemm_device_headers for gfx942 failed" in result.output


def test_a_folder_without_composable_kernel_is_refused(workspace: Workspace) -> None:
    folder = workspace.folder / "docs"
    result = workspace.try_bazel("build", f"--repo_env=CKDISPATCH_CK={folder}", SMALL_NAME)
    assert result.code == 1
    assert (
        f"CKDISPATCH_CK asks for Composable Kernel at {folder}, "
        "where there is no include/ck_tile/core.hpp; "
        "give a checkout of it, or `rocm` for an installed one."
    ) in result.output


def test_a_checkout_that_is_gone_is_in_nobodys_way(workspace: Workspace) -> None:
    core = workspace.output_root / "gone/include/ck_tile/core.hpp"
    core.parent.mkdir(parents=True)
    core.touch()
    flag = f"--repo_env=CKDISPATCH_CK={workspace.output_root / 'gone'}"
    workspace.bazel("build", "--nobuild", flag, SMALL_NAME)
    core.unlink()
    for folder in list(core.parents)[:3]:
        folder.rmdir()
    assert (
        "where there is no include/ck_tile/core.hpp"
        in workspace.try_bazel("build", flag, SMALL_NAME).output
    )
    workspace.bazel("build", "--nobuild", SMALL_NAME)


def test_a_relative_path_to_composable_kernel_is_refused(workspace: Workspace) -> None:
    result = workspace.try_bazel(
        "build", "--repo_env=CKDISPATCH_CK=../composable_kernel", SMALL_NAME
    )
    assert result.code == 1
    assert (
        "CKDISPATCH_CK is ../composable_kernel, which is neither an absolute path nor `rocm`; "
        "give one of them."
    ) in result.output
