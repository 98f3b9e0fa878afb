# SPDX-License-Identifier: MIT
"""Bazel, called from a program that Bazel itself started."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ckbench.process import run

# What `bazel run` and its Python launcher add; a nested Bazel is to see what the user's sees.
_ADDED_PREFIXES = ("BUILD_", "RUNFILES_")
_ADDED = ("JAVA_RUNFILES", "PYTHON_RUNFILES", "PYTHONPATH", "PYTHONSAFEPATH")


def users_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """``environment`` without what `bazel run` put into it."""
    return {
        name: value
        for name, value in environment.items()
        if not name.startswith(_ADDED_PREFIXES) and name not in _ADDED
    }


@dataclass(frozen=True)
class Workspace:
    """A clone of this repository; without an ``output_base`` it is built as its user does."""

    root: Path
    gpu: str
    output_base: Path | None = None

    def build(self, target: str, *flags: str) -> None:
        """Build ``target``; what Bazel says appears on standard error."""
        # Without the list of what was built, which is long for a set of kernels.
        self._run("build", "--show_result=0", *flags, self._gpu_flag, target, show=True)

    def build_quietly(self, target: str, *flags: str) -> None:
        """Build ``target``; what Bazel says is shown only if it fails."""
        self._run("build", *flags, self._gpu_flag, target)

    def actions(self, expression: str) -> str:
        """The actions that match an aquery ``expression``, as JSON."""
        return self._run(
            "aquery", "--output=jsonproto", "--include_artifacts=false", self._gpu_flag, expression
        )

    def files_of(self, target: str) -> list[Path]:
        """The files that ``target`` stands for."""
        lines = self._run("cquery", "--output=files", self._gpu_flag, target).splitlines()
        return [self._in_execution_root(line) for line in lines if line]

    @cached_property
    def external(self) -> Path:
        """The folder of the external repositories."""
        return (self.output_base or Path(self._run("info", "output_base").strip())) / "external"

    def shut_down(self) -> None:
        """End the server."""
        self._run("shutdown")

    @property
    def _gpu_flag(self) -> str:
        return f"--//arch:gpus={self.gpu}"

    @cached_property
    def _execution_root(self) -> Path:
        return Path(self._run("info", "execution_root").strip())

    def _in_execution_root(self, path: str) -> Path:
        # The execution root shows only the repositories of the last build.
        first, _, rest = path.partition("/")
        return self.external / rest if first == "external" else self._execution_root / path

    def _run(self, command: str, *arguments: str, show: bool = False) -> str:
        startup = [str(self.root / "bazelw")]
        if self.output_base is not None:
            # Should this program be killed, the server ends by itself.
            startup += [f"--output_base={self.output_base}", "--max_idle_secs=60"]
        what = f"`bazelw {command} {arguments[-1]}`" if arguments else f"`bazelw {command}`"
        return run(
            [*startup, command, *arguments],
            self.root,
            users_environment(os.environ),
            f"{what} in {self.root}",
            sys.stderr if show else subprocess.PIPE,
            sys.stderr if show else subprocess.PIPE,
        )
