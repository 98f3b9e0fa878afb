# SPDX-License-Identifier: MIT
"""A third family costs new files and one row: batched transposes, from a declaration to runs in C++
and Python.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from tests.consumers.nested_bazel import (
    REPOSITORY,
    Workspace,
    copy_repository,
    running,
    scratch_folder,
)

NAME = "batched_transpose"
ROW = {
    "name": NAME,
    "number": 900,
    "title": "batched transpose",
    "layers": [],
    "host_needs_ck": False,
    "ck_folders": [],
}
OVERLAY = REPOSITORY / "tests/consumers" / NAME
SET = """
ck.kernel_set(
    name = "transposes",
    spec = "//transposes:transposes.json",
)
use_repo(ck, transposes = "ckdispatch.transposes")
"""


def add_family(repository: Path) -> None:
    """What whoever adds the family does: new files, its row of the table, and a set of kernels."""
    shutil.copytree(OVERLAY, repository, dirs_exist_ok=True)
    table = repository / "families/families.json"
    rows = json.loads(table.read_text())
    rows["families"].append(ROW)
    table.write_text(json.dumps(rows))
    with (repository / "MODULE.bazel").open("a") as module:
        module.write(SET)


def digests(folder: Path) -> dict[str, str]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return {str(file.relative_to(folder)): sha256(file.read_bytes()).hexdigest() for file in files}


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with scratch_folder() as scratch:
        yield scratch


@pytest.fixture(scope="module")
def change(folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """The files of a copy before and after the family is added."""
    repository = copy_repository(folder / "clone")
    before = digests(repository)
    add_family(repository)
    return before, digests(repository)


def test_existing_files_that_are_edited_are_two(
    change: tuple[dict[str, str], dict[str, str]],
) -> None:
    before, after = change
    edited = {name for name, digest in before.items() if after.get(name) != digest}
    assert edited == {"MODULE.bazel", "families/families.json"}


def test_a_new_file_lies_in_a_folder_of_the_family_or_has_its_name(
    change: tuple[dict[str, str], dict[str, str]],
) -> None:
    before, after = change
    new = [Path(name) for name in after if name not in before]
    assert new
    elsewhere = [
        file
        for file in new
        if NAME not in file.parts and NAME not in file.stem and file.parts[0] != "transposes"
    ]
    assert elsewhere == []


def test_it_is_declared_built_and_run_in_both_languages(
    folder: Path, change: tuple[dict[str, str], dict[str, str]]
) -> None:
    repository = folder / "clone"
    with running(Workspace(repository, repository, folder / "out")) as workspace:
        result = workspace.try_bazel(
            "test", "//transposes:all", "--test_output=errors", "--test_summary=short"
        )
        assert result.code == 0, result.output + result.stdout
        passed = sorted(
            line.split()[0]
            for line in result.output.splitlines() + result.stdout.splitlines()
            if " PASSED in " in line
        )
        assert passed == ["//transposes:run_in_cpp", "//transposes:run_in_python"]
