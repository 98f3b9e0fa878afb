# SPDX-License-Identifier: MIT
"""Packs headers into a tar file that is the same byte for byte wherever it is made."""

from __future__ import annotations

import argparse
import io
import tarfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath


def name_in_archive(path: PurePosixPath, root: str) -> str:
    """The part of ``path`` from the folder ``root`` on."""
    if root not in path.parts:
        raise SystemExit(f"{path} is not below a folder called {root}.")
    return str(PurePosixPath(*path.parts[path.parts.index(root) :]))


def pack(headers: Iterable[Path], root: str, output: Path) -> None:
    """Write ``output``: sorted by name, not compressed, owned by nobody, and as old as time."""
    named = {name_in_archive(PurePosixPath(path.as_posix()), root): path for path in headers}
    with tarfile.open(output, "w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(named):
            data = named[name].read_bytes()
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))


def main() -> None:
    parser = argparse.ArgumentParser(fromfile_prefix_chars="@", description=__doc__)
    parser.add_argument("--root", required=True)
    parser.add_argument("--output", required=True, type=Path)
    parser.add_argument("headers", nargs="+", type=Path)
    options = parser.parse_args()
    pack(options.headers, options.root, options.output)


if __name__ == "__main__":
    main()
