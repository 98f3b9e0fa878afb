# SPDX-License-Identifier: MIT
"""tests/consumer, a project that uses this repository as a module, builds and computes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from tests.consumers.nested_bazel import (
    QUICK,
    Workspace,
    copy_repository,
    running,
    scratch_folder,
    source_names,
)

KERNEL = "gemm_fp16_rcr_compv3_cshuffle_intrawave_{0}_{0}_{0}_False_64x64x64_2x2x1_32x32x16"
DEVICE = "sim:gfx942"
# A shape of whole tiles, which the kernel without padding computes best, and one that it cannot.
WANTED = [((128, 192, 256), KERNEL.format(False)), ((200, 136, 72), KERNEL.format(True))]
PROJECT = "tests/consumer"
PAGE = "docs/consuming.md"


@pytest.fixture(scope="module")
def workspace() -> Iterator[Workspace]:
    with scratch_folder() as scratch:
        repository = copy_repository(scratch / "clone")
        consumer = repository / PROJECT
        with running(Workspace(repository, consumer, scratch / "out", QUICK)) as workspace:
            yield workspace


def total_of_product(m: int, n: int, k: int) -> int:
    """The sum of all elements of the product of the programs' matrices."""
    a = [[(row * k + i) % 7 - 2 for i in range(k)] for row in range(m)]
    b = [[(column * k + i) % 7 - 2 for i in range(k)] for column in range(n)]
    sums = ((sum(row[i] for row in a), sum(column[i] for column in b)) for i in range(k))
    return sum(of_a * of_b for of_a, of_b in sums)


@pytest.mark.parametrize("program", ["multiply", "multiply_cc"])
def test_a_program_computes_with_the_kernels_that_the_project_declares(
    workspace: Workspace, program: str
) -> None:
    printed = workspace.bazel("run", f"//:{program}", "--", DEVICE).stdout.splitlines()
    assert printed == [
        f"{m}x{n}x{k}: {total_of_product(m, n, k)} by {kernel} on {DEVICE}"
        for (m, n, k), kernel in WANTED
    ]


@pytest.mark.parametrize("program", ["multiply", "multiply_cc"])
def test_a_device_that_is_not_there_is_told_in_a_sentence(
    workspace: Workspace, program: str
) -> None:
    result = workspace.try_bazel("run", f"//:{program}", "--", "sim:gfx000")
    assert result.code == 1
    assert "The device sim:gfx000 was asked for; the simulator has gfx908, " in result.output


def test_every_kernel_of_the_set_is_a_target(workspace: Workspace) -> None:
    listed = workspace.bazel("query", "@my_gemms//:all").stdout.split()
    assert {f"@my_gemms//:{kernel}" for _, kernel in WANTED} <= set(listed)


def test_the_gpu_flag_chooses_the_code_in_each_kernel(workspace: Workspace) -> None:
    flag = "--@ckdispatch//arch:gpus=gfx942,gfx950"
    actions = "mnemonic(CkCompile, deps(@my_gemms//:my_gemms))"
    commands = workspace.bazel("aquery", flag, actions).stdout
    offered = sorted(
        line.strip(" \\'") for line in commands.splitlines() if "--offload-arch" in line
    )
    assert offered == 2 * ["--offload-arch=gfx942"] + 2 * ["--offload-arch=gfx950"]


def test_a_consumer_can_ask_which_compiler_is_used(workspace: Workspace) -> None:
    answer = workspace.bazel("run", "@ckdispatch//rules:which_rocm").stdout
    assert answer.startswith("HIP compiler: ")


def test_a_consumer_has_the_command_line(workspace: Workspace) -> None:
    answer = workspace.bazel("run", "@ckdispatch//python:cli", "--", "devices", "--json").stdout
    assert DEVICE in {device["name"] for device in json.loads(answer)["devices"]}


def test_a_set_is_known_by_its_module_too(workspace: Workspace) -> None:
    workspace.bazel("build", "@my_gemms//:my_gemms")
    asked = ("run", "@ckdispatch//python:cli", "--", "list", "--kernels", "consumer.my_gemms")
    listed = workspace.bazel(*asked, "--json").stdout
    assert all(kernel in listed for _, kernel in WANTED)
    other = workspace.try_bazel(*asked[:-1], "other.my_gemms")
    assert other.code == 3
    assert "the kernel set other.my_gemms was asked for and is neither" in other.output


def test_the_targets_of_a_set_can_be_made_in_a_package_of_the_project(workspace: Workspace) -> None:
    page = (workspace.repository / PAGE).read_text()
    shown = page.rpartition("```python\n")[2].partition("```")[0]
    package = workspace.folder / "own"
    package.mkdir()
    (package / "BUILD.bazel").write_text(shown)
    listed = workspace.bazel("query", "//own:all").stdout.split()
    sets = {"//own:my_gemms", "//own:my_gemms_py"}
    assert {f"//own:{kernel}" for _, kernel in WANTED} | sets <= set(listed)


def test_the_documentation_shows_this_project(workspace: Workspace) -> None:
    page = (workspace.repository / PAGE).read_text()
    shown = re.findall(r"^`([^`\n]+)`:\n\n```\w*\n(.*?)```$", page, flags=re.DOTALL | re.MULTILINE)
    own_files = [name for name in source_names() if name.startswith(f"{PROJECT}/")]
    shown_files = [f"{PROJECT}/{name}" for name in (".gitignore", *(name for name, _ in shown))]
    assert sorted(shown_files) == sorted(own_files)
    for name, text in shown:
        file = (workspace.folder / name).read_text()
        assert text == file.replace('path = "../.."', 'path = "../ckdispatch"'), name
