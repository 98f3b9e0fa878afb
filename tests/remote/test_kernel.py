# SPDX-License-Identifier: MIT
"""A kernel through ./bazelw --remote-worker and ./bazelw --remote-cache: where its actions ran, and
that its bytes are the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.consumers.nested_bazel import (
    Spawn,
    Workspace,
    copy_repository,
    own_libraries,
    scratch_folder,
)
from tests.consumers.nested_bazel import running as running_bazel
from tests.remote.certificates import entries, make_certificates, reads, writes
from tests.remote.servers import needs_sealed_root, running

pytestmark = needs_sealed_root

NAME = "gemm_fp16_rcr_compv3_cshuffle_intrawave_False_False_False_False_64x64x64_2x2x1_32x32x16"
KERNEL = f"//kernels:{NAME}"
STEPS = {"CkBundle", "CkCompile", "CkGenerate", "CkHost", "CkInspect", "CkLink", "CkPrecompile"}
# What is made anew where the symbols that a library exports have changed: no code of the GPU.
AFTER_A_CHANGE = {"CkHost", "CkLink"}
# As the kernels of this test's own build. Without a disk cache what is found was found on a server.
FLAGS = ("--config=gfx942", "--disk_cache=", "--jobs=2", "--verbose_failures")
EVERYTHING = "--output_groups=+code_objects,+source"

# Where the root keeps compilers and their headers and device libraries. The programs' shared
# libraries are beside those of the root: they are no inputs, and part of every key as a digest.
COMPILERS = [
    "/usr/include",
    *map(str, Path("/usr/lib").glob("llvm-*")),
    "/usr/lib/clang",
    "/usr/lib/gcc",
]
# A target of the first copy, which says what an action sees of them.
SEEN = 'genrule(name = "seen", outs = ["seen.txt"], cmd = "find {} > $@")\n'


def without_compilers() -> list[str]:
    """What a command begins with for which these folders are empty."""
    assert len(COMPILERS) >= 4 and all(any(Path(folder).iterdir()) for folder in COMPILERS)
    return [
        "bwrap",
        "--dev-bind",
        "/",
        "/",
        *(word for folder in COMPILERS for word in ("--tmpfs", folder)),
        "--",
    ]


@dataclass(frozen=True)
class Copies:
    """Two copies of the repository after the first was built by the worker and the second by what
    the worker had.
    """

    first: Workspace
    second: Workspace
    built: list[Spawn]
    found: list[Spawn]


@pytest.fixture(scope="module")
def copies() -> Iterator[Copies]:
    with ExitStack() as stack:
        scratch = stack.enter_context(scratch_folder())

        def copy(folder: str, output_root: str) -> Workspace:
            repository = copy_repository(scratch / folder)
            return stack.enter_context(
                running_bazel(Workspace(repository, repository, scratch / output_root))
            )

        first, second = copy("one", "out"), copy("another/and/deeper", "another_out")
        seen = first.folder / "seen"
        seen.mkdir()
        (seen / "BUILD.bazel").write_text(SEEN.format(" ".join(COMPILERS)))
        with running("worker", scratch / "worker", before=without_compilers()) as server:
            remote = [
                "--config=remote-exec",
                f"--remote_executor=grpc://127.0.0.1:{server.port}",
                *FLAGS,
                EVERYTHING,
            ]
            built = first.build(*remote, KERNEL, "//seen")
            found = second.build(*remote, KERNEL)
        yield Copies(first, second, built, found)


def runners(spawns: list[Spawn]) -> set[str]:
    return {spawn.runner for spawn in spawns}


def contents(workspace: Workspace) -> dict[str, bytes]:
    """Everything that the kernel is made of, by file name."""
    found = workspace.files(KERNEL, *FLAGS) | workspace.files(KERNEL, *FLAGS, EVERYTHING)
    return {name: path.read_bytes() for name, path in found.items()}


def test_all_actions_ran_on_the_worker(copies: Copies) -> None:
    assert {spawn.mnemonic for spawn in copies.built if spawn.target == KERNEL} | {
        "CkPrecompile"
    } == STEPS
    assert {spawn.mnemonic for spawn in copies.built} >= STEPS
    assert runners(copies.built) == {"remote"}


def test_the_worker_had_no_compiler_but_the_declared_one(copies: Copies) -> None:
    (seen,) = copies.first.files("//seen", *FLAGS).values()
    assert seen.read_text().split() == COMPILERS


def test_the_bytes_are_those_of_a_local_build(copies: Copies) -> None:
    remote = contents(copies.first)
    for name in (f"lib{NAME}.so", f"{NAME}.json"):
        assert remote[name] == own_libraries()[name].read_bytes(), name


def test_a_second_copy_finds_every_action(copies: Copies) -> None:
    assert {spawn.mnemonic for spawn in copies.found} >= STEPS
    assert runners(copies.found) == {"remote cache hit"}
    assert contents(copies.second) == contents(copies.first)


def test_through_a_cache_a_guest_compiles_nothing_and_writes_nothing(
    tmp_path: Path, copies: Copies
) -> None:
    ours = make_certificates(tmp_path / "certificates")
    with running("cache", tmp_path / "server", "--certificates", str(ours)) as server:
        copies.first.bazel("clean")
        filled = copies.first.build(*writes(server, ours, ours), *FLAGS, EVERYTHING, KERNEL)
        assert {spawn.mnemonic for spawn in filled} >= STEPS
        assert runners(filled).isdisjoint({"remote", "remote cache hit", "disk cache hit"})
        kept = entries(server)

        before = contents(copies.second)
        copies.second.bazel("clean")
        found = copies.second.build(*reads(server, ours), *FLAGS, EVERYTHING, KERNEL)
        assert {spawn.mnemonic for spawn in found} >= STEPS
        assert runners(found) == {"remote cache hit"}
        assert contents(copies.second) == before

        for copy in (copies.first, copies.second):
            exports = copy.folder / "kernel_library/include/ck_kernel/host/exports.map"
            exports.write_text(exports.read_text() + "# changed\n")
        flags = [*FLAGS, KERNEL]
        linked = copies.second.build(*reads(server, ours), *flags)
        assert {spawn.mnemonic for spawn in linked} == AFTER_A_CHANGE
        assert "remote cache hit" not in runners(linked)
        assert entries(server) == kept
        # What the guest made was not taken; what the writer makes of the same is.
        linked = copies.first.build(*writes(server, ours, ours), *flags)
        assert {spawn.mnemonic for spawn in linked} == AFTER_A_CHANGE
        assert len(entries(server)) > len(kept)
