# SPDX-License-Identifier: MIT
"""./bazelw --remote-cache: who finds what, and what becomes of entries that are wrong, too many or
do not fit on the disk.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from tests.remote.project import Project, Spawn, project
from tests.remote.servers import (
    Server,
    free_port,
    in_another_root,
    needs_sealed_root,
    on_small_disk,
    running,
)

pytestmark = needs_sealed_root

WANTED = ["//:first", "//:second"]
FIRST = "".join(f"{number}\n" for number in range(1, 1001))
SECOND = sha256(FIRST.encode()).hexdigest() + "  -\n"


@pytest.fixture(scope="module")
def writer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    with project(tmp_path_factory.mktemp("writer")) as made:
        yield made


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    with project(tmp_path_factory.mktemp("reader")) as made:
        yield made


def cache_flags(port: int) -> list[str]:
    return [f"--remote_cache=http://127.0.0.1:{port}", "--remote_download_outputs=all"]


def runners(spawns: list[Spawn]) -> list[str]:
    return [spawn.runner for spawn in spawns]


def assert_right(built: Project) -> None:
    assert (built.output("first"), built.output("second")) == (FIRST, SECOND)


def entry_of(server: Server, content: str) -> Path:
    return server.data / "entries/cas" / sha256(content.encode()).hexdigest()


def fill(server: Server, writer: Project) -> None:
    found = runners(writer.build_anew(*cache_flags(server.port), *WANTED))
    assert len(found) == 2 and "remote cache hit" not in found


def test_what_one_writes_another_finds(tmp_path: Path, writer: Project, reader: Project) -> None:
    with running("cache", tmp_path / "server") as server:
        fill(server, writer)
        assert (
            runners(reader.build_anew(*cache_flags(server.port), *WANTED))
            == ["remote cache hit"] * 2
        )
        assert_right(reader)
        assert server.stop() == 0
        assert server.said.read_text().endswith("bazelw: stopped\n")


def test_a_poisoned_entry_is_found_by_its_digest_and_made_again(
    tmp_path: Path, writer: Project, reader: Project
) -> None:
    with running("cache", tmp_path / "server") as server:
        fill(server, writer)
        flags = cache_flags(server.port)
        poisoned = entry_of(server, FIRST)
        poisoned.write_text(FIRST.replace("500\n", "666\n"))
        made = reader.build_anew(*flags, *WANTED)
        assert [spawn.target for spawn in made if spawn.runner != "remote cache hit"] == [
            "//:first"
        ]
        assert_right(reader)
        assert poisoned.read_text() == FIRST

        for damaged in (server.data / "entries/ac").iterdir():
            damaged.write_bytes(b"\xff" + damaged.read_bytes()[: damaged.stat().st_size // 2])
        assert "remote cache hit" not in runners(reader.build_anew(*flags, *WANTED))
        assert_right(reader)


def test_roots_that_differ_in_one_version_share_nothing(tmp_path: Path, writer: Project) -> None:
    with running("cache", tmp_path / "server") as server:
        fill(server, writer)
        with project(tmp_path / "other", in_another_root(tmp_path)) as other:
            found = runners(other.build(*cache_flags(server.port), *WANTED))
            assert len(found) == 2 and "remote cache hit" not in found
            assert_right(other)


def test_beyond_the_limit_what_was_not_read_for_longest_is_removed(
    tmp_path: Path, writer: Project, reader: Project
) -> None:
    with running("cache", tmp_path / "server") as server:
        fill(server, writer)
    entries = server.data / "entries/cas"
    for number in range(8):
        old = entries / sha256(str(number).encode()).hexdigest()
        old.write_bytes(bytes(256 << 10))
        os.utime(old, (number + 1, number + 1))
    with running("cache", tmp_path / "server", "--limit", "1M") as server:
        while (entries / sha256(b"0").hexdigest()).exists():
            time.sleep(0.1)
        assert (
            runners(reader.build_anew(*cache_flags(server.port), *WANTED))
            == ["remote cache hit"] * 2
        )
        assert server.stop() == 0
    assert (
        sum(path.stat().st_size for path in entries.parent.rglob("*") if path.is_file()) < 1 << 20
    )
    assert (entries / sha256(b"7").hexdigest()).exists()


def test_on_a_full_disk_a_build_goes_on_without_writing(tmp_path: Path, writer: Project) -> None:
    before = on_small_disk(tmp_path / "server", 8)
    with running("cache", tmp_path / "server", before=before) as server:
        writer.try_bazel("clean")
        outcome = writer.try_bazel(
            "build", "--disk_cache=", *cache_flags(server.port), "//:large", "//:first"
        )
        assert outcome.code == 0, outcome.said
        assert "WARNING: Remote Cache: 50" in outcome.said
        assert writer.output("first") == FIRST


def test_without_a_server_a_build_goes_on(writer: Project) -> None:
    writer.try_bazel("clean")
    outcome = writer.try_bazel("build", "--disk_cache=", *cache_flags(free_port()), *WANTED)
    assert outcome.code == 0, outcome.said
    assert "Connection refused" in outcome.said
    assert_right(writer)


@pytest.mark.parametrize("kind", ["cache", "worker"])
def test_whatever_ends_it_leaves_no_server_behind(tmp_path: Path, kind: str) -> None:
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGKILL):
        with running(kind, tmp_path / "server") as server:
            assert server.stop(number) == (-signal.SIGKILL if number == signal.SIGKILL else 0)
        # The next one gets the folder and may listen anew.
    with running(kind, tmp_path / "server") as server:
        assert server.stop() == 0
