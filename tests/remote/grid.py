# SPDX-License-Identifier: MIT
"""Starts BuildGrid and workers for it, as docs/remote.md does, asks its database, and ends them
again.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.remote.servers import BAZELW, environment, free_port

SERVER = Path("tools/buildgrid/server.sh").resolve()
PSQL = ("psql", "-X", "-q", "-A", "-t", "-U", "buildgrid", "-d", "postgres")
# What pip makes of BuildGrid's entry point.
BGD = "#!{}\nfrom buildgrid.server.app import cli\ncli()\n"


@dataclass(frozen=True)
class Program:
    """A script that runs, and what it has said."""

    process: subprocess.Popen[bytes]
    said: Path

    def check(self) -> None:
        assert self.process.poll() is None, self.said.read_text()

    def kill(self) -> None:
        """Without a chance to say goodbye."""
        self.process.kill()
        self.process.wait(timeout=60)

    def runs(self, name: str) -> bool:
        """Whether a process of that name is among those that it started, or that those started."""
        return any(_name(pid) == name for pid in _below(self.process.pid))


def _below(pid: int) -> Iterator[int]:
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found = [int(word) for word in children.read_text().split()]
        except OSError:
            # It has ended meanwhile.
            continue
        for child in found:
            yield child
            yield from _below(child)


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


@dataclass(frozen=True)
class Grid:
    """BuildGrid on a port of this machine."""

    folder: Path
    port: int
    server: Program
    stack: ExitStack

    def worker(self, name: str, *options: str) -> Program:
        """A worker of this root, which BuildGrid knows when this returns."""
        before = self.workers()
        command = [
            str(BAZELW),
            "--remote-worker",
            "--server",
            f"http://127.0.0.1:{self.port}",
            *options,
        ]
        program = self.stack.enter_context(
            _started(command, self.folder / name, environment(self.folder / name))
        )
        while self.workers() == before:
            program.check()
            time.sleep(0.2)
        return program

    def ask(self, question: str) -> str:
        """The answer of the database. Its socket has too long a path, but for one who is there."""
        done = subprocess.run(
            [*PSQL, "-h", "/proc/self/cwd", "-c", question],
            cwd=self.folder / "server/database",
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    def cancel(self, job: str) -> None:
        """Tells BuildGrid that nobody waits for it any more."""
        name = self.ask(f"SELECT name FROM operations WHERE job_name = '{job}'")
        remote = f"--remote=http://127.0.0.1:{self.port}"
        subprocess.run(
            ["bgd", "operation", remote, "cancel", name],
            env=_environment(self.folder),
            check=True,
            capture_output=True,
        )

    def workers(self) -> int:
        return int(self.ask("SELECT count(*) FROM bots"))


def _environment(folder: Path) -> dict[str, str]:
    """That of servers.environment, with BuildGrid's program on the PATH."""
    programs = folder / "programs"
    if not programs.exists():
        programs.mkdir()
        (programs / "bgd").write_text(BGD.format(sys.executable))
        (programs / "bgd").chmod(0o755)
    return {
        **environment(folder / "cache"),
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }


@contextmanager
def _started(command: list[str], folder: Path, variables: dict[str, str]) -> Iterator[Program]:
    said = folder.with_name(f"{folder.name}.said")
    with said.open("wb") as output:
        process = subprocess.Popen(
            command, env=variables, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
    program = Program(process, said)
    try:
        yield program
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                program.kill()


@contextmanager
def running(folder: Path) -> Iterator[Grid]:
    """BuildGrid without workers, with its data below the folder; its workers end before it does."""
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    with ExitStack() as stack:
        command = [str(SERVER), str(folder / "server"), str(port)]
        server = stack.enter_context(_started(command, folder / "server", _environment(folder)))
        while not _answers(port):
            server.check()
            time.sleep(0.2)
        yield Grid(folder, port, server, stack)


def _answers(port: int) -> bool:
    with socket.socket() as made:
        return made.connect_ex(("127.0.0.1", port)) == 0
