# SPDX-License-Identifier: MIT
"""Runs Bazel in copies of this repository, each with an output base of its own, and ends it again.

Only what Bazel stores below the test's own folder is private. The user's disk cache and wheels are
shared, through HOME and CKDISPATCH_CACHE, unless a command says otherwise.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path("MODULE.bazel").resolve().parent
SOURCES = Path(os.environ["CK_SOURCES"])

QUICK = Path(__file__).absolute().with_name("quick.bazelrc")

_STARTUP = ("--host_jvm_args=-Xmx1g", "--max_idle_secs=60")
# What describes the outer test would tell the inner Bazel that it is one.
_OUTER_PREFIXES = (
    "TEST_",
    "RUNFILES_",
    "JAVA_RUNFILES",
    "PYTHON_RUNFILES",
    "BAZEL_TEST",
    "PYTHONPATH",
    "CK_",
)


@dataclass(frozen=True)
class Result:
    """How a command ended; `output` is what it wrote for people, `stdout` the rest."""

    code: int
    stdout: str
    output: str


@dataclass(frozen=True)
class Spawn:
    """One action that was run, or whose result came from a cache; `runner` is what Bazel calls the
    place.
    """

    mnemonic: str
    target: str
    cache_hit: bool
    runner: str


@dataclass(frozen=True)
class Workspace:
    """A folder to run Bazel in, of a copy of this repository.

    With `rc` its Bazel has the settings of that file.
    """

    repository: Path
    folder: Path
    output_root: Path
    rc: Path | None = None

    def try_bazel(self, command: str, *arguments: str) -> Result:
        """Run a command, which may fail."""
        done = subprocess.run(
            [
                self.repository / "bazelw",
                f"--output_user_root={self.output_root}",
                *_STARTUP,
                *([f"--bazelrc={self.rc}"] if self.rc else []),
                command,
                *arguments,
            ],
            cwd=self.folder,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    def bazel(self, command: str, *arguments: str) -> Result:
        """Run a command that must succeed."""
        result = self.try_bazel(command, *arguments)
        assert result.code == 0, f"bazel {command} {' '.join(arguments)}:\n{result.output}"
        return result

    def build(self, *arguments: str) -> list[Spawn]:
        """Build, and return the actions that Bazel did not find up to date."""
        log = self.output_root / "execution_log.json"
        self.bazel("build", f"--execution_log_json_file={log}", *arguments)
        return [
            Spawn(entry["mnemonic"], entry["targetLabel"], entry["cacheHit"], entry["runner"])
            for entry in _json_stream(log.read_text())
        ]

    def files(self, target: str, *arguments: str) -> dict[str, Path]:
        """The files of a built target, by name."""
        listed = self.bazel("cquery", "--output=files", *arguments, target).stdout.split()
        root = Path(self.bazel("info", "execution_root").stdout.strip())
        return {Path(path).name: root / path for path in listed}


def _environment() -> dict[str, str]:
    return {
        name: value for name, value in os.environ.items() if not name.startswith(_OUTER_PREFIXES)
    }


def _json_stream(text: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder()
    text = text.strip()
    while text:
        value, end = decoder.raw_decode(text)
        yield value
        text = text[end:].lstrip()


def source_names() -> list[str]:
    """The files that a copy of the repository is made of."""
    lines = SOURCES.read_text().splitlines()
    return [line.split(maxsplit=1)[1].lstrip("*").removeprefix("./") for line in lines]


def copy_repository(destination: Path) -> Path:
    """Copy the files that the repository is made of, and return the destination."""
    for name in source_names():
        target = destination / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / name, target, follow_symlinks=False)
    return destination


def own_libraries() -> dict[str, Path]:
    """What the outer build made of the kernels of this repository, by file name."""
    return {Path(path).name: Path(path) for path in os.environ["CK_OWN_LIBRARIES"].split()}


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder for copies and output bases, removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="nested-", dir=os.environ.get("TEST_TMPDIR")))
    try:
        yield folder
    finally:
        # Bazel write-protects some of its folders, which only root removes as they are.
        if subprocess.run(["rm", "-rf", folder], stderr=subprocess.DEVNULL).returncode != 0:
            subprocess.run(["chmod", "-R", "u+rwX", folder], check=True)
            subprocess.run(["rm", "-rf", folder], check=True)


@contextmanager
def running(workspace: Workspace) -> Iterator[Workspace]:
    """The workspace, whose Bazel server is gone at the end."""
    try:
        yield workspace
    finally:
        workspace.try_bazel("shutdown")
