# SPDX-License-Identifier: MIT
import struct

import pytest
from ckinspect import msgpack
from ckinspect.errors import MalformedError
from ckinspect.msgpack import Extension
from hypothesis import given, settings
from hypothesis import strategies as st

EVERY_TYPE: list[tuple[bytes, object]] = [
    (b"\x00", 0),
    (b"\x7f", 127),
    (b"\xff", -1),
    (b"\xe0", -32),
    (b"\xc0", None),
    (b"\xc2", False),
    (b"\xc3", True),
    (b"\xcc\xff", 255),
    (b"\xcd\x01\x00", 256),
    (b"\xce\x00\x01\x00\x00", 65536),
    (b"\xcf\xff\xff\xff\xff\xff\xff\xff\xff", 2**64 - 1),
    (b"\xd0\x80", -128),
    (b"\xd1\x80\x00", -32768),
    (b"\xd2\x80\x00\x00\x00", -(2**31)),
    (b"\xd3\x80\x00\x00\x00\x00\x00\x00\x00", -(2**63)),
    (b"\xca" + struct.pack(">f", 0.5), 0.5),
    (b"\xcb" + struct.pack(">d", -0.1), -0.1),
    (b"\xa0", ""),
    (b"\xa3abc", "abc"),
    (b"\xa2\xc3\xa9", "é"),
    (b"\xd9\x20" + b"x" * 32, "x" * 32),
    (b"\xda\x01\x00" + b"y" * 256, "y" * 256),
    (b"\xdb\x00\x01\x00\x00" + b"z" * 65536, "z" * 65536),
    (b"\xc4\x02\x00\xff", b"\x00\xff"),
    (b"\xc5\x01\x00" + bytes(256), bytes(256)),
    (b"\xc6\x00\x01\x00\x00" + bytes(65536), bytes(65536)),
    (b"\x90", []),
    (b"\x92\x01\xa1a", [1, "a"]),
    (b"\xdc\x00\x10" + b"\x05" * 16, [5] * 16),
    (b"\xdd\x00\x00\x00\x02\xc0\xc3", [None, True]),
    (b"\x80", {}),
    (b"\x81\xa1k\x91\x07", {"k": [7]}),
    (b"\xde\x00\x01\x01\x02", {1: 2}),
    (b"\xdf\x00\x00\x00\x01\xa1a\x80", {"a": {}}),
    (b"\xd4\x05\x01", Extension(5, b"\x01")),
    (b"\xd5\xff\x01\x02", Extension(-1, b"\x01\x02")),
    (b"\xd6\x05" + b"1234", Extension(5, b"1234")),
    (b"\xd7\x05" + b"12345678", Extension(5, b"12345678")),
    (b"\xd8\x05" + b"x" * 16, Extension(5, b"x" * 16)),
    (b"\xc7\x03\x05abc", Extension(5, b"abc")),
    (b"\xc8\x00\x01\x05a", Extension(5, b"a")),
    (b"\xc9\x00\x00\x00\x00\x05", Extension(5, b"")),
]


@pytest.mark.parametrize(("encoded", "value"), EVERY_TYPE, ids=lambda v: repr(v)[:24])
def test_every_type_decodes_to_its_value(encoded: bytes, value: object) -> None:
    decoded = msgpack.decode(encoded)
    assert decoded == value
    assert type(decoded) is type(value)


@pytest.mark.parametrize("encoded", [e for e, _ in EVERY_TYPE], ids=lambda v: repr(v)[:24])
def test_every_type_cut_short_is_refused(encoded: bytes) -> None:
    lengths = range(min(len(encoded), 32))
    for length in lengths:
        with pytest.raises(MalformedError, match="ends after"):
            msgpack.decode(encoded[:length])


@pytest.mark.parametrize(
    ("encoded", "reason"),
    [
        (b"\xc1", "0xc1 begins no"),
        (b"\x01\x02", "1 bytes follow"),
        (b"\xa1\xff", "not UTF-8"),
        (b"\x81\x90\x01", "not a scalar"),
        (b"\x82\x01\x01\x01\x02", "key 1 twice"),
        (b"\x91" * 100 + b"\x01", "nest deeper"),
    ],
)
def test_nonsense_is_refused_with_its_reason(encoded: bytes, reason: str) -> None:
    with pytest.raises(MalformedError, match=reason):
        msgpack.decode(encoded)


@settings(deadline=None, database=None)
@given(st.binary(max_size=200))
def test_arbitrary_bytes_decode_or_are_refused(data: bytes) -> None:
    try:
        msgpack.decode(data)
    except MalformedError as error:
        sentence = str(error)
    else:
        return
    assert sentence


def _encode(value: object) -> bytes:
    if value is None:
        return b"\xc0"
    if isinstance(value, bool):
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        return b"\xd3" + struct.pack(">q", value)
    if isinstance(value, float):
        return b"\xcb" + struct.pack(">d", value)
    if isinstance(value, str):
        data = value.encode()
        return b"\xdb" + struct.pack(">I", len(data)) + data
    if isinstance(value, list):
        return b"\xdd" + struct.pack(">I", len(value)) + b"".join(map(_encode, value))
    assert isinstance(value, dict)
    pairs = b"".join(_encode(key) + _encode(item) for key, item in value.items())
    return b"\xdf" + struct.pack(">I", len(value)) + pairs


SCALARS = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False)
DOCUMENTS = st.recursive(
    SCALARS | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@settings(deadline=None, database=None)
@given(DOCUMENTS)
def test_what_was_encoded_comes_back(document: object) -> None:
    assert msgpack.decode(_encode(document)) == document
