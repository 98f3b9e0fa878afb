# SPDX-License-Identifier: MIT
"""What a project is told whose declaration, or whose use of the extension, is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.consumers.nested_bazel import Workspace, copy_repository, running, scratch_folder

SET = "@illegal_gemms//:illegal_gemms"
LEGAL = (
    "@illegal_gemms//:gemm_fp16_rcr_compv4_cshuffle_intrawave_"
    "False_False_False_False_128x128x32_2x2x1_32x32x16"
)
DECLARATION = "declarations/illegal_gemms.json"


@pytest.fixture(scope="module")
def workspace() -> Iterator[Workspace]:
    with scratch_folder() as scratch:
        repository = copy_repository(scratch / "clone")
        consumer = repository / "tests/consumers/illegal"
        with running(Workspace(repository, consumer, scratch / "out")) as workspace:
            yield workspace


def refusal(workspace: Workspace, command: str, *arguments: str) -> list[str]:
    """The lines that a command writes which must fail."""
    result = workspace.try_bazel(command, *arguments)
    assert result.code != 0
    assert "Build completed successfully" not in result.output
    return result.output.splitlines()


def test_an_illegal_entry_fails_with_the_rule_the_file_and_the_entry(workspace: Workspace) -> None:
    (line,) = (line for line in refusal(workspace, "build", SET) if line.startswith(DECLARATION))
    assert line.startswith(f"{DECLARATION}, entry 2: gemm_fp16_rcr_compv4_cshuffle_interwave_")
    assert ": gemm.interwave_only_mem: " in line
    assert "the nearest legal choice is" in line


def test_the_legal_kernels_of_the_same_declaration_can_be_listed_and_analysed(
    workspace: Workspace,
) -> None:
    assert LEGAL in workspace.bazel("query", "@illegal_gemms//:all").stdout.split()
    workspace.bazel("build", "--nobuild", LEGAL)


def test_a_kernel_that_is_not_legal_on_a_gpu_is_refused_with_the_nearest_that_is(
    workspace: Workspace,
) -> None:
    lines = refusal(workspace, "build", "--@ckdispatch//arch:gpus=gfx1100", LEGAL)
    (said,) = (index for index, line in enumerate(lines) if "cannot be built for gfx1100" in line)
    assert ": gemm.wave_layout_supported: " in lines[said]
    assert lines[said + 1].startswith("The nearest legal choice on gfx1100 is waves ")


def test_a_declaration_that_is_no_json_fails_with_its_place(workspace: Workspace) -> None:
    path = workspace.folder / DECLARATION
    text = path.read_text()
    path.write_text(text.replace('"kernels"', "kernels"))
    try:
        lines = refusal(workspace, "build", SET)
    finally:
        path.write_text(text)
    (line,) = (line for line in lines if line.startswith(DECLARATION))
    assert "line 6" in line


def test_an_edit_that_repairs_the_declaration_is_enough(workspace: Workspace) -> None:
    path = workspace.folder / DECLARATION
    text = path.read_text()
    declaration = json.loads(text)
    declaration["kernels"][1]["scheduler"] = "intrawave"
    path.write_text(json.dumps(declaration))
    try:
        assert "Mnemonic: CkManifest" in workspace.bazel("aquery", SET).stdout
    finally:
        path.write_text(text)


@contextmanager
def edited_module(workspace: Workspace, old: str, new: str) -> Iterator[None]:
    """The project with another MODULE.bazel."""
    path = workspace.folder / "MODULE.bazel"
    text = path.read_text()
    assert old in text
    path.write_text(
        text.replace(old, new).replace(f"declarations:{new}.json", f"declarations:{old}.json")
    )
    try:
        yield
    finally:
        path.write_text(text)


@pytest.mark.parametrize("name", ["ck_pip", "test_gemm_variants"])
def test_a_name_that_another_module_has_is_free(workspace: Workspace, name: str) -> None:
    with edited_module(workspace, "illegal_gemms", name):
        assert f"@{name}//:{name}" in workspace.bazel("query", f"@{name}//:all").stdout.split()


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            'name = "illegal_gemms"',
            'name = "illegal.gemms"',
            (
                "The module illegal_consumer declares kernels under the name 'illegal.gemms'; give "
                "one of letters, digits, - and _."
            ),
        ),
        (
            "\nuse_repo(ck",
            (
                '\nck.kernel_set(name = "illegal_gemms", '
                'spec = "//declarations:illegal_gemms.json")\nuse_repo(ck'
            ),
            "The module illegal_consumer declares two kernel sets or folders that would both be in "
            "the repository illegal_consumer.illegal_gemms; rename one of them.",
        ),
    ],
    ids=["odd", "twice"],
)
def test_a_name_that_cannot_be_is_refused(
    workspace: Workspace, old: str, new: str, sentence: str
) -> None:
    with edited_module(workspace, old, new):
        lines = refusal(workspace, "query", "@illegal_gemms//:all")
    assert any(sentence in line for line in lines), lines


_LEGAL_BUILD = ("build", "--nobuild", LEGAL)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (
            'ck.rocm(path = "rocm")',
            "ck.rocm has the path 'rocm', which is not absolute; give the whole path.",
        ),
        (
            'ck.rocm(path = "/opt/a")\nck.rocm(path = "/opt/b")',
            "ck.rocm was said 2 times, with /opt/a and /opt/b; say it once.",
        ),
        (
            'ck.composable_kernel(path = "checkout")',
            (
                "ck.composable_kernel has the path 'checkout', which is not absolute; "
                "give the whole path."
            ),
        ),
        (
            'ck.composable_kernel(path = "/nowhere")',
            "ck.composable_kernel asks for Composable Kernel at /nowhere, where there is no "
            "include/ck_tile/core.hpp; give a checkout of it, or `rocm` for an installed one.",
        ),
    ],
    ids=["rocm_relative", "rocm_twice", "headers_relative", "headers_missing"],
)
def test_a_place_that_cannot_be_is_refused(workspace: Workspace, said: str, sentence: str) -> None:
    with edited_module(workspace, "\nuse_repo(ck", f"\n{said}\nuse_repo(ck"):
        lines = refusal(workspace, *_LEGAL_BUILD)
    assert any(sentence in line for line in lines), lines


def test_a_place_without_rocm_is_not_replaced_by_another(workspace: Workspace) -> None:
    with edited_module(workspace, "\nuse_repo(ck", '\nck.rocm(path = "/nowhere")\nuse_repo(ck'):
        found = workspace.bazel("run", "@ckdispatch//rules:which_rocm").stdout
    assert found.startswith(
        "No HIP compiler was found (ck.rocm: /nowhere/llvm/bin/clang++ is missing); "
    ), found


def test_only_the_root_module_chooses_rocm(workspace: Workspace) -> None:
    module = workspace.repository / "MODULE.bazel"
    text = module.read_text()
    module.write_text(text + '\nck.rocm(path = "/nowhere")\n')
    try:
        workspace.bazel(*_LEGAL_BUILD)
    finally:
        module.write_text(text)


def test_private_files_are_private(workspace: Workspace) -> None:
    build_file = workspace.folder / "declarations/BUILD.bazel"
    text = build_file.read_text()
    build_file.write_text('load("@ckdispatch//rules/private:kernel.bzl", "ck_kernel")\n' + text)
    try:
        lines = refusal(workspace, "query", "//declarations:all")
    finally:
        build_file.write_text(text)
    assert any(
        "rules/private:kernel.bzl is not visible for loading from package //declarations" in line
        for line in lines
    ), lines
