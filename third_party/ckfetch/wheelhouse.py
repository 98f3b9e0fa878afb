# SPDX-License-Identifier: MIT
"""A folder of wheels in the user's cache, filled by pip and trusted only through the hashes of a
lock file.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath


class FetchError(Exception):
    """One sentence for the user."""


def cache_folder() -> Path:
    """The wheels' folder; CKDISPATCH_CACHE and XDG_CACHE_HOME move it as they
    move everything else.
    """
    base = os.environ.get("CKDISPATCH_CACHE")
    if not base:
        home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
        base = str(Path(home) / "ckdispatch")
    return Path(base) / "wheels"


def locked_hashes(lock: Path) -> frozenset[str]:
    return frozenset(re.findall(r"--hash=sha256:([0-9a-f]{64})", lock.read_text()))


def _pip(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def download(lock: Path, wheels: Path) -> None:
    """Download every wheel of the lock that this Python needs into the folder,
    whole or not at all.
    """
    wheels.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=wheels, prefix=".download-") as scratch:
        result = _pip(
            "download",
            "--require-hashes",
            "--no-deps",
            "--only-binary=:all:",
            "--dest",
            scratch,
            "--requirement",
            str(lock),
        )
        if result.returncode != 0:
            raise FetchError(
                f"pip could not download the packages of {lock.name}: {_last_error(result.stderr)} "
                "Check the network, the proxy and pip's own configuration, "
                "then run the command again."
            )
        for wheel in sorted(Path(scratch).iterdir()):
            os.replace(wheel, wheels / wheel.name)


def find(lock: Path, wheels: Path, prefix: str) -> Path | None:
    """The cached wheel with that name prefix whose content the lock knows, or None."""
    known = locked_hashes(lock)
    for wheel in sorted(wheels.glob(f"{prefix}*.whl")):
        if hashlib.sha256(wheel.read_bytes()).hexdigest() in known:
            return wheel
    return None


def obtain(lock: Path, prefix: str) -> Path:
    """The wheel with that name prefix, from the cache or from the network."""
    wheels = cache_folder()
    wheel = find(lock, wheels, prefix)
    if wheel is None:
        download(lock, wheels)
        wheel = find(lock, wheels, prefix)
    if wheel is None:
        raise FetchError(f"no wheel with a hash of {lock.name} arrived in {wheels}.")
    return wheel


def files_below(
    wheel: Path, folder: PurePosixPath, wanted: Callable[[str], bool]
) -> Iterator[tuple[str, bytes]]:
    """The files of a wheel's folder whose paths below it are wanted, with their contents."""
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            path = PurePosixPath(member)
            if member.endswith("/") or not path.is_relative_to(folder) or ".." in path.parts:
                continue
            below = str(path.relative_to(folder))
            if wanted(below):
                yield below, archive.read(member)


def write(file: Path, content: bytes) -> None:
    """Write a file, and the folders above it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)


def install(lock: Path, wheels: Path, site: Path) -> None:
    """Install the lock's packages into `site`, from the cache if it has them all and else from the
    network.
    """

    def attempt() -> subprocess.CompletedProcess[str]:
        shutil.rmtree(site, ignore_errors=True)
        return _pip("install", *_offline(lock, wheels), "--no-compile", "--target", str(site))

    _with_downloads(lock, wheels, attempt)


def collect(lock: Path, output: Path) -> None:
    """Copy the wheels of the lock that this Python needs below `output`, likewise."""
    wheels = cache_folder()
    _with_downloads(
        lock,
        wheels,
        lambda: _pip("download", *_offline(lock, wheels), "--dest", str(output / "wheels")),
    )


def _offline(lock: Path, wheels: Path) -> tuple[str, ...]:
    return (
        "--no-index",
        "--find-links",
        str(wheels),
        "--require-hashes",
        "--no-deps",
        "--only-binary=:all:",
        "--requirement",
        str(lock),
    )


def _with_downloads(
    lock: Path, wheels: Path, attempt: Callable[[], subprocess.CompletedProcess[str]]
) -> None:
    wheels.mkdir(parents=True, exist_ok=True)
    result = attempt()
    if result.returncode != 0:
        download(lock, wheels)
        result = attempt()
    if result.returncode != 0:
        raise FetchError(
            f"pip could not install the packages of {lock.name}: {_last_error(result.stderr)}"
        )


def _last_error(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")]
    return (errors or lines or ["pip said nothing."])[-1]
