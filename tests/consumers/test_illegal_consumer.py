# SPDX-License-Identifier: MIT
"""What a project is told whose declaration, or whose use of the extension, is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator

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
    """The lines that a command writes which must fail before any action runs."""
    result = workspace.try_bazel(command, *arguments)
    assert result.code != 0
    assert "Build completed successfully" not in result.output
    return result.output.splitlines()


def test_an_illegal_entry_fails_with_the_rule_the_file_and_the_entry(workspace: Workspace) -> None:
    (line,) = (
        line
        for line in refusal(workspace, "build", "--nobuild", SET)
        if line.startswith(DECLARATION)
    )
    assert line.startswith(f"{DECLARATION}, entry 2: gemm_fp16_rcr_compv4_cshuffle_interwave_")
    assert ": gemm.interwave_only_mem: " in line
    assert "the nearest legal choice is" in line


def test_the_legal_kernels_of_the_same_declaration_can_be_listed_and_analysed(
    workspace: Workspace,
) -> None:
    assert LEGAL in workspace.bazel("query", "@illegal_gemms//:all").stdout.split()
    workspace.bazel("build", "--nobuild", LEGAL)


def test_a_declaration_that_is_no_json_fails_with_its_place(workspace: Workspace) -> None:
    path = workspace.folder / DECLARATION
    text = path.read_text()
    path.write_text(text.replace('"kernels"', "kernels"))
    try:
        lines = refusal(workspace, "build", "--nobuild", SET)
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
        workspace.bazel("build", "--nobuild", SET)
    finally:
        path.write_text(text)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "ck_pip",
            "The module illegal_consumer declares a kernel set named ck_pip, "
            "a name that ckdispatch uses itself; choose another.",
        ),
        (
            "gemm_16bit",
            "The modules illegal_consumer and ckdispatch both declare a kernel set named "
            "gemm_16bit; rename one of them.",
        ),
    ],
)
def test_a_name_that_is_taken_is_refused(workspace: Workspace, name: str, sentence: str) -> None:
    path = workspace.folder / "MODULE.bazel"
    text = path.read_text()
    path.write_text(
        text.replace("illegal_gemms", name).replace(f"{name}.json", "illegal_gemms.json")
    )
    try:
        lines = refusal(workspace, "query", f"@{name}//:all")
    finally:
        path.write_text(text)
    assert any(sentence in line for line in lines), lines
