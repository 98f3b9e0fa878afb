# SPDX-License-Identifier: MIT
"""A small project that Bazel builds in the blink of an eye, and what became of its actions."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.remote.servers import BAZELW, environment

_RULE = "genrule(name = {0!r}, srcs = {1!r}, outs = [{0!r} + '.txt'], cmd = {2!r})\n"
# What each target writes, in the order in which they need each other.
TARGETS = {
    "first": ([], "seq 1000 > $@"),
    "second": (["first"], "sha256sum < $< > $@"),
    # What an action can see and do.
    "surroundings": (
        [],
        (
            '(echo $$(ls -A /); grep -c : /proc/net/dev; echo $$PWD; echo "$${HOME-}"; '
            "touch /usr/x /x 2>&1) > $@ || true"
        ),
    ),
    "large": ([], "head -c 12000000 /dev/zero > $@"),
}


@dataclass(frozen=True)
class Outcome:
    """How a command of Bazel ended."""

    code: int
    said: str


@dataclass(frozen=True)
class Spawn:
    """An action: the target that it is of, and where its outputs came from, as Bazel calls it."""

    target: str
    runner: str


@dataclass(frozen=True)
class Project:
    """A copy of the project, whose Bazel shares nothing with others. `before` is what its command
    begins with.
    """

    folder: Path
    before: Sequence[str] = ()
    running: list[subprocess.Popen[str]] = field(default_factory=list)

    def try_bazel(self, command: str, *arguments: str) -> Outcome:
        started = subprocess.Popen(
            [
                *self.before,
                str(BAZELW),
                "--host_jvm_args=-Xmx512m",
                "--max_idle_secs=60",
                command,
                *arguments,
            ],
            cwd=self.folder / "workspace",
            env=environment(self.folder / "cache"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.running.append(started)
        try:
            said = started.communicate()[1]
        finally:
            self.running.remove(started)
        return Outcome(started.returncode, said)

    @contextmanager
    def interrupted_at_the_end(self) -> Iterator[None]:
        """Ends a command that another thread still waits for, as Ctrl-C does."""
        try:
            yield
        finally:
            for started in self.running:
                started.send_signal(signal.SIGINT)

    def build(self, *arguments: str) -> list[Spawn]:
        """Builds what must be buildable; the actions that were not up to date, by target."""
        log = self.folder / "execution_log.json"
        outcome = self.try_bazel(
            "build", "--disk_cache=", f"--execution_log_json_file={log}", *arguments
        )
        assert outcome.code == 0, outcome.said
        spawns = [
            Spawn(entry["targetLabel"], entry["runner"]) for entry in _json_stream(log.read_text())
        ]
        return sorted(spawns, key=lambda spawn: spawn.target)

    def build_anew(self, *arguments: str) -> list[Spawn]:
        """The same without what was built before."""
        self.try_bazel("clean")
        return self.build(*arguments)

    def output(self, name: str) -> str:
        return (self.folder / "workspace/bazel-bin" / f"{name}.txt").read_text()


def _json_stream(text: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder()
    text = text.strip()
    while text:
        value, end = decoder.raw_decode(text)
        yield value
        text = text[end:].lstrip()


@contextmanager
def project(folder: Path, before: Sequence[str] = ()) -> Iterator[Project]:
    """A project in a new folder, whose Bazel server is gone at the end. Starting it takes longer
    than all builds.
    """
    workspace = folder / "workspace"
    workspace.mkdir(parents=True)
    (workspace / "MODULE.bazel").write_text("module(name = 'small')\n")
    (workspace / ".bazelrc").write_text(
        "common --enable_bzlmod --noenable_workspace\nbuild --incompatible_strict_action_env\n"
    )
    (workspace / "BUILD.bazel").write_text(
        "".join(_RULE.format(name, *rest) for name, rest in TARGETS.items())
    )
    made = Project(folder, before)
    try:
        yield made
    finally:
        made.try_bazel("shutdown")
        # Bazel write-protects what it built.
        subprocess.run(
            ["chmod", "-R", "u+rwX", str(folder)], check=False, stderr=subprocess.DEVNULL
        )
