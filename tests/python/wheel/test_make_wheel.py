# SPDX-License-Identifier: MIT
"""A wheel is named after what its libraries need."""

from __future__ import annotations

import pytest
from make_wheel import platform_tag


def library(machine: int, *versions: str) -> bytes:
    """The beginning of an ELF file, and the strings by which the loader knows what it needs."""
    strings = b"\0".join(version.encode() for version in versions)
    return b"\x7fELF\2\1\1" + bytes(11) + machine.to_bytes(2, "little") + b"\0" + strings + b"\0"


@pytest.mark.parametrize(
    ("files", "tag"),
    [
        ({"a.py": b"GLIBC_2.99"}, "any"),
        ({"a.so": library(62, "GLIBC_2.9", "GLIBC_2.34", "GLIBC_2.2.5")}, "manylinux_2_34_x86_64"),
        ({"a.so": library(183, "GLIBC_2.17"), "b.py": b""}, "manylinux_2_17_aarch64"),
        (
            {"a.so": library(62, "GLIBC_2.4"), "b": library(62, "GLIBC_2.38", "GLIBCXX_3.4.30")},
            "manylinux_2_38_x86_64",
        ),
        (
            {"a.so": library(62, "GLIBC_2.34", "GLIBCXX_3.4", "GLIBCXX_3.4.32")},
            "manylinux_2_38_x86_64",
        ),
    ],
    ids=[
        "no library",
        "the newest counts",
        "another machine",
        "of all libraries",
        "of the time of a C++ library",
    ],
)
def test_the_tag_is_the_newest_version_that_any_library_needs(
    files: dict[str, bytes], tag: str
) -> None:
    assert platform_tag(files) == tag


def test_libraries_of_two_machines_are_refused() -> None:
    with pytest.raises(SystemExit, match="the libraries are for aarch64 and x86_64"):
        platform_tag({"a.so": library(62), "b.so": library(183)})


def test_a_cxx_library_of_an_unknown_time_is_refused() -> None:
    with pytest.raises(SystemExit, match=r"GLIBCXX_3\.4\.99"):
        platform_tag({"a.so": library(62, "GLIBC_2.34", "GLIBCXX_3.4.99")})


def test_an_unknown_machine_is_refused() -> None:
    with pytest.raises(SystemExit, match="the machine 243 of ELF"):
        platform_tag({"a.so": library(243)})
