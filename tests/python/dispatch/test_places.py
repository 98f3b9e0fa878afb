# SPDX-License-Identifier: MIT
"""Which manifest a name stands for among the files of a program."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from ckdispatch.cli.kernel_sources import find_set
from ckdispatch.errors import InvalidArgument, NotFound
from ckdispatch.native.places import find_manifest

Add = Callable[[str], Path]


@pytest.fixture
def runfiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "runfiles"
    for variable in ("RUNFILES_DIR", "TEST_SRCDIR"):
        monkeypatch.setenv(variable, str(folder))
    monkeypatch.delenv("BUILD_WORKSPACE_DIRECTORY", raising=False)
    return folder


@pytest.fixture
def add(runfiles: Path) -> Add:
    def added(name: str) -> Path:
        path = runfiles / f"{name}.manifest.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        return path

    return added


# As Bazel 7 and Bazel 8 call the repository of a set, where the project that declares it is built
# by itself and where another uses it.
@pytest.mark.parametrize(
    "repository",
    [
        "_main~ck~consumer.mine",
        "ckdispatch~~ck~consumer.mine",
        "ckdispatch~0.1.0~ck~consumer.mine",
        "+ck+consumer.mine",
        "ckdispatch++ck+consumer.mine",
    ],
)
def test_a_set_is_found_with_and_without_its_module(add: Add, repository: str) -> None:
    manifest = add(f"{repository}/mine")
    add("_main~ck~consumer.yours/yours")
    # Bazel 7 has it there too.
    add(f"_main/external/{repository}/mine")
    assert find_manifest("mine") == find_manifest("consumer.mine") == manifest
    with pytest.raises(NotFound, match=r"^the kernel set other\.mine was asked for and is not "):
        find_manifest("other.mine")


def test_a_name_that_two_modules_have_is_refused_and_each_is_found_by_its_own(add: Add) -> None:
    one = add("ckdispatch~~ck~consumer.mine/mine")
    other = add("ckdispatch~~ck~library.mine/mine")
    with pytest.raises(InvalidArgument) as refused:
        find_manifest("mine")
    assert str(refused.value) == (
        "the kernel set mine was asked for, and two repositories have one, consumer.mine and "
        "library.mine; ask for consumer.mine or library.mine"
    )
    assert find_manifest("consumer.mine") == one
    assert find_manifest("library.mine") == other


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("_main/kernels", "_main.mine"),
        ("library~/kernels", "library.mine"),
        ("library~1.2/kernels", "library.mine"),
        ("library+/kernels", "library.mine"),
        # One file that declares several sets, and a file of a folder.
        ("ckdispatch~~ck~library.ours", "library.ours.mine"),
        ("ckdispatch~~ck~library.kernels.mine", "library.kernels.mine"),
    ],
)
def test_the_name_that_a_refusal_gives_is_that_of_the_set(add: Add, folder: str, name: str) -> None:
    own = add(f"{folder}/mine")
    assert find_manifest("mine") == own
    add("ckdispatch~~ck~zoo.mine/mine")
    with pytest.raises(InvalidArgument) as refused:
        find_manifest("mine")
    asked = str(refused.value).rpartition("; ask for ")[2]
    assert sorted(asked.split(" or ")) == sorted([name, "zoo.mine"])
    assert find_manifest(name) == own


def test_of_two_in_one_repository_the_path_is_asked_for(add: Add) -> None:
    one, other = add("_main/kernels/mine"), add("_main/own/mine")
    with pytest.raises(InvalidArgument) as refused:
        find_manifest("mine")
    assert str(refused.value) == (
        f"the kernel set mine was asked for, and this program has two: {one} and {other}; give "
        "the path of one"
    )
    assert find_manifest(one) == one


def test_runfiles_of_other_programs_are_not_searched(add: Add) -> None:
    own = add("_main/kernels/mine")
    add("_main/own/program.runfiles/library~/mine")
    assert find_manifest("mine") == own


def test_a_set_of_another_module_that_was_built_is_found(
    runfiles: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = tmp_path / "bazel-bin/external/ckdispatch~~ck~consumer.mine/mine.manifest.json"
    built.parent.mkdir(parents=True)
    built.touch()
    monkeypatch.setenv("BUILD_WORKSPACE_DIRECTORY", str(tmp_path))
    assert find_set("mine") == find_set("consumer.mine") == built
    with pytest.raises(NotFound, match="nor built in"):
        find_set("other.mine")
