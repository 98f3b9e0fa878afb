# SPDX-License-Identifier: MIT
"""./bazelw --remote-worker: what executes there and what an action sees, and whom it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.remote.project import Project, project
from tests.remote.servers import (
    BAZELW,
    free_port,
    in_another_root,
    needs_sealed_root,
    on_small_disk,
    running,
)

pytestmark = needs_sealed_root

ERROR = "ERROR: Failed to query remote execution capabilities: "


def worker_flags(port: int) -> list[str]:
    settings = (BAZELW.parent / ".bazelrc").read_text().splitlines()
    (retries,) = (
        line.split()[1]
        for line in settings
        if line.startswith("build:remote-exec --experimental_remote_cache")
    )
    return [
        f"--remote_executor=grpc://127.0.0.1:{port}",
        "--remote_upload_local_results=false",
        retries,
    ]


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    with project(tmp_path_factory.mktemp("one")) as made:
        yield made


def test_all_actions_are_remote_and_a_second_copy_finds_them(tmp_path: Path, one: Project) -> None:
    wanted = ["//:first", "//:second", "//:surroundings"]
    with running("worker", tmp_path / "server") as server:
        flags = worker_flags(server.port)
        assert [spawn.runner for spawn in one.build_anew(*flags, *wanted)] == ["remote"] * 3
        with project(tmp_path / "two") as two:
            assert [spawn.runner for spawn in two.build(*flags, *wanted)] == [
                "remote cache hit"
            ] * 3
            assert two.output("first") == one.output("first")


def test_an_action_sees_the_root_its_own_folder_and_no_network(
    tmp_path: Path, one: Project
) -> None:
    with running("worker", tmp_path / "server") as server:
        one.build_anew(*worker_flags(server.port), "//:surroundings")
    folders, devices, *rest = one.output("surroundings").splitlines()
    assert {name for name in folders.split() if not name.startswith("lib")} == set(
        "bin build dev etc opt proc run sbin tmp usr var".split()
    )
    # The loopback device.
    assert devices == "1"
    assert rest == [
        "/build",
        "",
        "touch: cannot touch '/usr/x': Read-only file system",
        "touch: cannot touch '/x': Read-only file system",
    ]


def test_a_build_survives_that_the_worker_has_forgotten_its_inputs(
    tmp_path: Path, one: Project
) -> None:
    one.try_bazel("clean")
    with running("worker", tmp_path / "server") as server:
        one.build(*worker_flags(server.port), "//:first")
    with running("worker", tmp_path / "another") as server:
        assert "remote" in {
            spawn.runner for spawn in one.build(*worker_flags(server.port), "//:second")
        }


def test_work_for_another_root_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with (
        running("worker", tmp_path / "server") as server,
        project(tmp_path / "other", in_another_root(tmp_path)) as other,
    ):
        outcome = other.try_bazel("build", *worker_flags(server.port), "//:first")
    assert outcome.code == 34
    assert f"{ERROR}FAILED_PRECONDITION: This worker has the sealed root " in outcome.said
    assert (
        "; run it and Bazel by ./bazelw with the same root, as docs/remote.md says." in outcome.said
    )


def test_a_worker_whose_disk_is_nearly_full_refuses_in_a_sentence(
    tmp_path: Path, one: Project
) -> None:
    before = on_small_disk(tmp_path / "server", 32)
    with running("worker", tmp_path / "server", "--limit", "500M", before=before) as server:
        one.try_bazel("clean")
        # It may be refused itself: the full disk can be seen before its file has come back.
        one.try_bazel("build", "--disk_cache=", *worker_flags(server.port), "//:large")
        server.wait_for("is nearly full (")
        one.try_bazel("clean")
        outcome = one.try_bazel("build", "--disk_cache=", *worker_flags(server.port), "//:first")
    assert outcome.code == 34
    assert (
        f"{ERROR}RESOURCE_EXHAUSTED: The worker's disk is full; free some of it, and it goes on."
        in outcome.said
    )


def test_what_was_not_used_lately_is_dropped_at_the_limit(tmp_path: Path, one: Project) -> None:
    with running("worker", tmp_path / "server") as server:
        one.build_anew(*worker_flags(server.port), "//:large")
    kept = server.data / "build"
    assert sum(path.stat().st_size for path in kept.rglob("*") if path.is_file()) >= 12_000_000
    with running("worker", tmp_path / "server", "--limit", "8M") as server:
        assert sum(path.stat().st_size for path in kept.rglob("*") if path.is_file()) < 8 << 20
        assert {
            spawn.runner for spawn in one.build_anew(*worker_flags(server.port), "//:first")
        } == {"remote"}


def test_without_a_worker_a_build_ends_with_a_sentence(one: Project) -> None:
    port = free_port()
    outcome = one.try_bazel("build", *worker_flags(port), "//:first")
    assert (outcome.code, outcome.said) == (
        36,
        f"bazelw: the build is to run on a worker at 127.0.0.1:{port}, where nothing answers; "
        "start one there with"
        " ./bazelw --remote-worker, or build without it.\n",
    )
