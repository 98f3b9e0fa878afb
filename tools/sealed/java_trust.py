"""Turns a PEM bundle of certificates into a trust store that Java reads.

Usage: java_trust.py BUNDLE STORE

Bazel downloads with Java, which knows nothing of the certificates in /etc/ssl/certs. Runs inside
the sealed root, whose Python has nothing but the standard library, and needs no Java to be started.
"""

from __future__ import annotations

import hashlib
import os
import re
import ssl
import struct
import sys
from pathlib import Path

_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)
_MAGIC = 0xFEEDFEED
_VERSION = 2
_TRUSTED_CERTIFICATE = 2
# Java's customary password. It guards nothing: the store holds public certificates.
_PASSWORD = "changeit"
_WHITENER = b"Mighty Aphrodite"


def _text(value: str) -> bytes:
    data = value.encode()
    return struct.pack(">H", len(data)) + data


def encode_store(certificates: list[bytes]) -> bytes:
    """Returns the bytes of a JKS store that trusts `certificates`, given in DER."""
    body = struct.pack(">III", _MAGIC, _VERSION, len(certificates))
    for certificate in certificates:
        alias = hashlib.sha256(certificate).hexdigest()
        body += struct.pack(">I", _TRUSTED_CERTIFICATE) + _text(alias) + struct.pack(">Q", 0)
        body += _text("X.509") + struct.pack(">I", len(certificate)) + certificate
    digest = hashlib.sha1(_PASSWORD.encode("utf-16-be") + _WHITENER + body).digest()
    return body + digest


def read_bundle(bundle: Path) -> list[bytes]:
    """Returns the distinct certificates of a PEM file, in DER, in the order of the file."""
    found = _CERTIFICATE.findall(bundle.read_text(encoding="utf-8", errors="replace"))
    return list(dict.fromkeys(ssl.PEM_cert_to_DER_cert(pem) for pem in found))


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        print("usage: java_trust.py BUNDLE STORE", file=sys.stderr)
        return 2
    bundle, store = map(Path, arguments)
    certificates = read_bundle(bundle)
    if not certificates:
        print(f"java_trust.py: {bundle} holds no certificate in PEM form.", file=sys.stderr)
        return 1
    partial = store.with_name(f"{store.name}.{os.getpid()}")
    partial.write_bytes(encode_store(certificates))
    partial.replace(store)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
