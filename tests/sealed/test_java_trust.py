# SPDX-License-Identifier: MIT
"""The host's certificates reach Java in a store that Java can read."""

from __future__ import annotations

import base64
import hashlib
import struct
from pathlib import Path

import java_trust
import pytest
from made_up_machine import Machine


def _pem(der: bytes) -> str:
    return (
        f"-----BEGIN CERTIFICATE-----\n{base64.encodebytes(der).decode()}-----END "
        "CERTIFICATE-----\n"
    )


def _read_store(store: bytes) -> list[bytes]:
    """Reads a JKS store the way that Java does, after checking its digest."""
    body, digest = store[:-20], store[-20:]
    assert (
        hashlib.sha1("changeit".encode("utf-16-be") + b"Mighty Aphrodite" + body).digest() == digest
    )
    magic, version, count = struct.unpack_from(">III", body)
    assert (magic, version) == (0xFEEDFEED, 2)
    position, found, aliases = 12, [], set()
    for _ in range(count):
        (tag,) = struct.unpack_from(">I", body, position)
        assert tag == 2
        alias, position = _read_text(body, position + 4)
        aliases.add(alias)
        kind, position = _read_text(body, position + 8)
        assert kind == "X.509"
        (length,) = struct.unpack_from(">I", body, position)
        found.append(body[position + 4 : position + 4 + length])
        position += 4 + length
    assert position == len(body)
    assert len(aliases) == count
    return found


def _read_text(data: bytes, position: int) -> tuple[str, int]:
    (length,) = struct.unpack_from(">H", data, position)
    end = position + 2 + length
    return data[position + 2 : end].decode(), end


def test_every_certificate_of_a_bundle_is_in_the_store_once(tmp_path: Path) -> None:
    bundle, store = tmp_path / "bundle.pem", tmp_path / "store.jks"
    bundle.write_text(f"# a comment\n{_pem(b'one')}\n{_pem(b'two')}{_pem(b'one')}")
    assert java_trust.main([str(bundle), str(store)]) == 0
    assert _read_store(store.read_bytes()) == [b"one", b"two"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bundle.pem", "store.jks"]


def test_a_bundle_without_certificates_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle, store = tmp_path / "bundle.pem", tmp_path / "store.jks"
    bundle.write_text("nothing\n")
    assert java_trust.main([str(bundle), str(store)]) == 1
    assert capsys.readouterr().err == f"java_trust.py: {bundle} holds no certificate in PEM form.\n"
    assert not store.exists()


def test_bazels_server_is_told_to_trust_the_hosts_certificates(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    certificates = machine.etc / "ssl" / "certs"
    certificates.mkdir(parents=True)
    (certificates / "ca-certificates.crt").write_text(_pem(b"private authority"))
    machine.run("info")
    prefix = "--host_jvm_args=-Djavax.net.ssl.trustStore="
    (option,) = (word for word in machine.calls("bazel")[-1] if word.startswith(prefix))
    assert _read_store(Path(option.removeprefix(prefix)).read_bytes()) == [b"private authority"]


def test_a_changed_bundle_changes_the_store_that_the_server_is_told_of(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    bundle = tmp_path / "bundle.pem"
    options = []
    for content in (b"one", b"two"):
        bundle.write_text(_pem(content))
        machine.run("info", env={"SSL_CERT_FILE": str(bundle)})
        options.append([word for word in machine.calls("bazel")[-1] if "trustStore" in word])
    assert [len(option) for option in options] == [1, 1]
    assert options[0] != options[1]
