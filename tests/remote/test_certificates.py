# SPDX-License-Identifier: MIT
"""A cache with the certificates that docs/remote.md makes: everyone reads,
and who has one writes.
"""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from tests.remote.certificates import entries, make_certificates, reads, writes
from tests.remote.project import Project, project
from tests.remote.servers import Server, needs_sealed_root, running

pytestmark = needs_sealed_root

WANTED = ["//:first", "//:second"]


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_certificates(tmp_path_factory.mktemp("ours") / "certificates")


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    with project(tmp_path_factory.mktemp("one")) as made:
        yield made


@pytest.fixture
def server(tmp_path: Path, ours: Path) -> Iterator[Server]:
    with running("cache", tmp_path / "server", "--certificates", str(ours)) as made:
        yield made


def build(one: Project, flags: list[str]) -> str:
    """What Bazel said when it built anew."""
    one.try_bazel("clean")
    outcome = one.try_bazel("build", "--disk_cache=", *flags, *WANTED)
    assert outcome.code == 0, outcome.said
    return outcome.said


def test_who_has_a_certificate_writes_and_a_guest_reads(
    server: Server, ours: Path, one: Project
) -> None:
    assert "WARNING" not in build(one, writes(server, ours, ours))
    filled = entries(server)
    assert len(filled) > 4
    found = one.build_anew(*reads(server, ours), "--remote_upload_local_results=false", *WANTED)
    assert [spawn.runner for spawn in found] == ["remote cache hit"] * 2
    assert entries(server) == filled


def put(server: Server, ca: Path, own: Path | None) -> int:
    """The answer to one who writes an entry."""
    context = ssl.create_default_context(cafile=str(ca / "ca.crt"))
    if own:
        context.load_cert_chain(own / "writer.crt", own / "writer.key")
    connection = http.client.HTTPSConnection("localhost", server.port, context=context)
    connection.request("PUT", f"/cas/{sha256(b'entry').hexdigest()}", b"entry")
    return connection.getresponse().status


def test_a_guest_who_writes_is_refused_and_its_build_succeeds(
    server: Server, ours: Path, one: Project
) -> None:
    build(one, reads(server, ours))
    assert put(server, ours, None) == 403
    assert entries(server) == []
    assert put(server, ours, ours) == 201
    assert entries(server) == [sha256(b"entry").hexdigest()]


def test_a_certificate_of_someone_else_is_refused_and_the_build_succeeds(
    tmp_path: Path, server: Server, ours: Path, one: Project
) -> None:
    theirs = make_certificates(tmp_path / "theirs")
    assert "WARNING: Remote Cache: 400 Bad Request" in build(one, writes(server, ours, theirs))
    assert entries(server) == []


def test_a_server_that_someone_else_vouches_for_is_not_believed(
    tmp_path: Path, server: Server, one: Project
) -> None:
    theirs = make_certificates(tmp_path / "theirs")
    assert "WARNING: Remote Cache: " in build(one, writes(server, theirs, theirs))
    assert entries(server) == []
