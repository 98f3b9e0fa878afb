# SPDX-License-Identifier: MIT
"""A user without Bazel: a new virtual environment, and pip with the wheels of the lock."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

PACKAGES = {"ckarch", "ckdispatch", "ckfamilies", "ckfetch", "ckgen"}
"""What the wheel puts into an environment."""


def built_wheel() -> Path:
    """The one that Bazel made."""
    (wheel,) = Path(os.environ["CK_WHEEL"]).absolute().glob("*.whl")
    return wheel


def wheel_files() -> dict[str, bytes]:
    """What is in it, by name."""
    with zipfile.ZipFile(built_wheel()) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@dataclass(frozen=True)
class Environment:
    """A virtual environment in a folder, whose programs see nothing of Bazel."""

    folder: Path

    @classmethod
    def new(cls, folder: Path) -> Environment:
        """An empty one, also without pip, which acts from outside.

        Debian has the copy for environments in a package that the sealed root lacks.
        """
        made = cls(folder)
        made._run([sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")])
        (folder / "work").mkdir()
        return made

    @property
    def programs(self) -> Path:
        """Where its programs are."""
        return self.folder / "venv" / "bin"

    @property
    def cache(self) -> Path:
        """What CKDISPATCH_CACHE names."""
        return self.folder / "cache"

    @cached_property
    def site(self) -> Path:
        """Where its packages are."""
        printed = self.python("import sysconfig\nprint(sysconfig.get_path('platlib'))")
        return Path(printed.strip())

    def pip(self, *words: str) -> str:
        """What pip prints when it does something to this environment, without a network."""
        wheels = self.folder / "wheels"
        if not wheels.is_dir():
            wheels.mkdir()
            for wheel in os.environ["CK_WHEELS"].split():
                (wheels / Path(wheel).name).symlink_to(Path(wheel).absolute())
        index = ("--no-index", "--find-links", str(wheels)) if words[0] == "install" else ()
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--isolated"]
        command.append(f"--python={self.programs / 'python'}")
        return self._run([*command, *words[:1], *index, *words[1:]])

    def python(self, program: str, **variables: str) -> str:
        """What a Python program prints that a user wrote to a file."""
        script = self.folder / "work" / "program.py"
        script.parent.mkdir(exist_ok=True)
        script.write_text(program)
        return self._run([str(self.programs / "python"), str(script)], variables)

    def command(self, *words: str) -> str:
        """What a command prints that is found on the user's PATH."""
        program = shutil.which(words[0], path=str(self.programs))
        assert program is not None, f"{words[0]} is not on PATH"
        return self._run([program, *words[1:]])

    def left(self) -> set[str]:
        """Everything in the environment that has the name of one of our packages."""
        found = (path for path in (self.folder / "venv").rglob("*") if path.is_file())
        inside = (str(path.relative_to(self.folder)) for path in found)
        return {name for name in inside if any(package in name for package in PACKAGES)}

    def _run(self, command: list[str], variables: Mapping[str, str] | None = None) -> str:
        environment = {
            "CKDISPATCH_CACHE": str(self.cache),
            "CKDISPATCH_DEVICE": "sim:gfx942",
            "HOME": str(self.folder / "home"),
            "PATH": os.pathsep.join([str(self.programs), os.defpath]),
            **(variables or {}),
        }
        work = self.folder / "work"
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            cwd=work if work.is_dir() else self.folder,
            env=environment,
        )
        assert done.returncode == 0, f"{command} printed\n{done.stdout}\n{done.stderr}"
        return done.stdout
