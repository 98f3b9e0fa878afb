# SPDX-License-Identifier: MIT
"""Writes a wheel: the same bytes wherever it is made, and named after what its libraries need."""

from __future__ import annotations

import argparse
import base64
import hashlib
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

_NAME = "ckdispatch"
_ELF = b"\x7fELF"
_MACHINES = {62: "x86_64", 183: "aarch64"}
"""By the number that ELF files have for them."""

_AMD_GPU = 224
"""That of code for GPUs, which is the same beside every processor."""

_OF_THE_TIME = {29: 34, 30: 36, 31: 38, 32: 38, 33: 40, 34: 42}
"""For the last number of GLIBCXX_3.4.x that of the first GLIBC_2.x that was published after it.

pip knows systems by their C library alone; one that has it has the C++ library of its time.
"""

_NEEDED = re.compile(rb"\0(GLIBC|GLIBCXX)_([0-9]+(?:\.[0-9]+)+)(?=\0)")
"""A version of the C or C++ library, as the dynamic loader finds it in a file."""


def needed_versions(content: bytes, library: str) -> list[tuple[int, ...]]:
    """The versions of a library, GLIBC or GLIBCXX, that an ELF file names, in order."""
    named = (found[2] for found in _NEEDED.finditer(content) if found[1].decode() == library)
    return sorted({tuple(map(int, version.split(b"."))) for version in named})


def machine_of(content: bytes) -> str | None:
    """The processor that an ELF file is for; None for any other file, and for code of GPUs."""
    if not content.startswith(_ELF):
        return None
    number = int.from_bytes(content[18:20], "little")
    if number == _AMD_GPU:
        return None
    if number not in _MACHINES:
        raise SystemExit(
            f"a library is for the machine {number} of ELF, which no wheel is made for."
        )
    return _MACHINES[number]


def platform_tag(files: Mapping[str, bytes]) -> str:
    """The machines that a wheel with these files is for, as pip knows them."""
    libraries = {name: content for name, content in files.items() if machine_of(content)}
    if not libraries:
        return "any"
    machines = sorted({str(machine_of(content)) for content in libraries.values()})
    if len(machines) > 1:
        raise SystemExit(f"the libraries are for {' and '.join(machines)}; build all for one.")
    major, minor = max(map(oldest_glibc, libraries.values()))
    return f"manylinux_{major}_{minor}_{machines[0]}"


def oldest_glibc(content: bytes) -> tuple[int, int]:
    """The oldest C library of a system that an ELF file runs on."""
    major, minor, *_ = max(needed_versions(content, "GLIBC"), default=(2, 17))
    for version in needed_versions(content, "GLIBCXX"):
        number = version[2] if len(version) > 2 else 0
        if number > max(_OF_THE_TIME):
            raise SystemExit(
                f"a library needs GLIBCXX_3.4.{number}, which make_wheel.py has no C library for."
            )
        minor = max(minor, _OF_THE_TIME.get(number, 0))
    return major, minor


def hash_in_record(content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
    return f"sha256={digest.decode().rstrip('=')}"


def metadata(options: argparse.Namespace) -> Iterator[str]:
    """The lines of METADATA."""
    yield "Metadata-Version: 2.1"
    yield f"Name: {_NAME}"
    yield f"Version: {options.version}"
    yield f"Summary: {options.summary}"
    yield "License: MIT"
    yield f"Requires-Python: {options.python_requires}"
    yield from (f"License-File: {path.name}" for path in options.license)
    yield from (f"Requires-Dist: {requirement}" for requirement in options.requires)


def information(options: argparse.Namespace, tag: str) -> dict[str, bytes]:
    """The files about the wheel, by their names in its folder for them."""
    commands = (" = ".join(command.split("=", 1)) for command in sorted(options.command))
    wheel = ("Wheel-Version: 1.0", f"Generator: {_NAME}", "Root-Is-Purelib: false", f"Tag: {tag}")
    texts = {
        "METADATA": metadata(options),
        "WHEEL": wheel,
        "entry_points.txt": ("[console_scripts]", *commands),
    }
    found = {name: "".join(f"{line}\n" for line in lines).encode() for name, lines in texts.items()}
    return found | {path.name: path.read_bytes() for path in options.license}


def write(output: Path, files: Mapping[str, bytes], executable: Iterable[str]) -> None:
    """Write an archive: sorted by name, and as old as an archive can be."""
    runs = frozenset(executable)
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, content in files.items():
            member = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = (0o100755 if name in runs else 0o100644) << 16
            archive.writestr(member, content)


def main() -> None:
    parser = argparse.ArgumentParser(fromfile_prefix_chars="@", description=__doc__)
    parser.add_argument("--output", required=True, type=Path)
    for name in ("version", "summary", "python-requires"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--requires", action="append", default=[])
    parser.add_argument("--command", action="append", default=[])
    parser.add_argument("--license", action="append", default=[], type=Path)
    parser.add_argument("--file", action="append", default=[])
    options = parser.parse_args()

    places = dict(pair.split("=", 1) for pair in options.file)
    files = {name: Path(path).read_bytes() for name, path in sorted(places.items())}
    # A shared library is not run by its name; every other ELF file is a program.
    programs = [name for name, data in files.items() if machine_of(data) and ".so" not in name]
    tag = f"py3-none-{platform_tag(files)}"
    folder = f"{_NAME}-{options.version}.dist-info"
    files |= {f"{folder}/{name}": content for name, content in information(options, tag).items()}
    record = [f"{name},{hash_in_record(data)},{len(data)}\n" for name, data in files.items()]
    files[f"{folder}/RECORD"] = f"{''.join(record)}{folder}/RECORD,,\n".encode()
    write(options.output / f"{_NAME}-{options.version}-{tag}.whl", files, programs)


if __name__ == "__main__":
    main()
