# SPDX-License-Identifier: MIT
"""A kernel is the same bytes wherever it is built, and built once for all clones of a user."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.consumers.nested_bazel import (
    Spawn,
    Workspace,
    copy_repository,
    own_libraries,
    running,
    scratch_folder,
)

SET = "@my_gemms//:my_gemms"
KERNEL = "gemm_fp16_rcr_compv3_cshuffle_intrawave_{0}_{0}_{0}_False_64x64x64_2x2x1_32x32x16"
NAMES = [KERNEL.format(False), KERNEL.format(True)]
ALL_OUTPUTS = "--output_groups=+code_objects,+source"


@dataclass(frozen=True)
class Clones:
    """Two copies in two folders, which compiled everything themselves.

    Only the first had a disk cache, ``disk_cache``, and left its outputs there.
    """

    first: Workspace
    second: Workspace
    disk_cache: Path
    compiled: tuple[list[Spawn], list[Spawn]]


@pytest.fixture(scope="module")
def clones() -> Iterator[Clones]:
    with ExitStack() as stack:
        scratch = stack.enter_context(scratch_folder())

        def clone(folder: str, output_root: str) -> Workspace:
            repository = copy_repository(scratch / folder)
            consumer = repository / "tests/consumer"
            workspace = Workspace(repository, consumer, scratch / output_root)
            return stack.enter_context(running(workspace))

        def build(workspace: Workspace, disk_cache: str) -> list[Spawn]:
            return workspace.build("--jobs=1", f"--disk_cache={disk_cache}", ALL_OUTPUTS, SET)

        first, second = clone("one", "out"), clone("another/and/deeper", "another_out")
        disk_cache = scratch / "disk_cache"
        with ThreadPoolExecutor() as pool:
            cached = pool.submit(build, first, str(disk_cache))
            uncached = pool.submit(build, second, "")
            compiled = cached.result(), uncached.result()
        yield Clones(first, second, disk_cache, compiled)


def compiles(spawns: list[Spawn]) -> list[Spawn]:
    return [spawn for spawn in spawns if spawn.mnemonic == "CkCompile"]


def contents(workspace: Workspace) -> dict[str, bytes]:
    """Everything that the set is made of, by file name."""
    files = workspace.files(SET) | workspace.files(SET, ALL_OUTPUTS)
    return {name: path.read_bytes() for name, path in files.items()}


def test_two_folders_give_identical_bytes(clones: Clones) -> None:
    for spawns in clones.compiled:
        assert [spawn.cache_hit for spawn in compiles(spawns)] == [False, False]
    first, second = contents(clones.first), contents(clones.second)
    of_each = ("{}.cpp", "{}.gfx942.co", "{}.json", "lib{}.so")
    files = [pattern.format(name) for name in NAMES for pattern in of_each]
    assert sorted(first) == sorted([*files, "my_gemms.manifest.json"])
    assert [name for name in first if first[name] != second[name]] == []


def test_a_consumer_gets_the_libraries_that_the_repository_builds(clones: Clones) -> None:
    built = contents(clones.first)
    for name in (pattern.format(name) for name in NAMES for pattern in ("lib{}.so", "{}.json")):
        assert built[name] == own_libraries()[name].read_bytes(), name


def test_no_file_names_the_folder_that_it_was_built_in(clones: Clones) -> None:
    places = [
        str(clones.first.repository).encode(),
        str(clones.first.output_root).encode(),
        b"/execroot/",
    ]
    found = [
        (name, place)
        for name, data in contents(clones.first).items()
        for place in places
        if place in data
    ]
    assert found == []


def test_a_second_clone_compiles_nothing(clones: Clones) -> None:
    before = contents(clones.second)
    clones.second.bazel("clean")
    spawns = clones.second.build(f"--disk_cache={clones.disk_cache}", ALL_OUTPUTS, SET)
    ours = [spawn for spawn in spawns if spawn.mnemonic.startswith("Ck")]
    assert len(compiles(ours)) == 2
    assert [spawn for spawn in ours if not spawn.cache_hit] == []
    assert contents(clones.second) == before
