# SPDX-License-Identifier: MIT
"""Starts the cache and the worker of ./bazelw, each with a cache folder of its own, and ends them
again.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

BAZELW = Path("bazelw").resolve()
MARKER = Path("/etc/ckdispatch-sealed")

# The programs of the servers are those of the sealed root, and Bazel is to find no other.
needs_sealed_root = pytest.mark.skipif(
    not MARKER.exists(), reason="justbuild and nginx are in the sealed root"
)


def free_port() -> int:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return int(made.getsockname()[1])


def environment(cache: Path) -> dict[str, str]:
    """What bazelw sees of this test: its cache folder,
    and nothing that says that it is in a test.
    """
    return {"CKDISPATCH_CACHE": str(cache), "HOME": str(cache), "PATH": os.environ["PATH"]}


@dataclass(frozen=True)
class Server:
    """A server that answers on a port of this machine."""

    process: subprocess.Popen[str]
    port: int
    data: Path
    said: Path

    def wait_for(self, text: str) -> None:
        """Returns when it has said this."""
        while text not in self.said.read_text():
            assert self.process.poll() is None, self.said.read_text()
            time.sleep(0.1)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(timeout=60)


@contextmanager
def running(kind: str, cache: Path, *options: str, before: Sequence[str] = ()) -> Iterator[Server]:
    """`./bazelw --remote-<kind>`, whose data are in the folder `cache`; `before` is what its
    command begins with.
    """
    cache.mkdir(parents=True, exist_ok=True)
    port, said = free_port(), cache.parent / f"{cache.name}.said"
    with said.open("w") as stderr:
        process = subprocess.Popen(
            [*before, str(BAZELW), f"--remote-{kind}", str(port), *options],
            env=environment(cache),
            stdin=subprocess.DEVNULL,
            stderr=stderr,
            text=True,
        )
    server = Server(process, port, cache / f"remote-{kind}", said)
    try:
        server.wait_for("answers on")
        yield server
    finally:
        if process.poll() is None:
            server.stop()


def on_small_disk(folder: Path, mebibytes: int) -> list[str]:
    """What a command begins with for which `folder` is an empty disk of that size."""
    folder.mkdir(parents=True, exist_ok=True)
    return [
        "bwrap",
        "--dev-bind",
        "/",
        "/",
        "--size",
        str(mebibytes << 20),
        "--tmpfs",
        str(folder),
        "--",
    ]


def in_another_root(folder: Path) -> list[str]:
    """What a command begins with that runs in a sealed root of which one package has another
    version.
    """
    lines = MARKER.read_text().splitlines()
    (index,) = (number for number, line in enumerate(lines) if line.startswith("hipcc "))
    lines[index] += "~next"
    marker = folder / "another_marker"
    marker.write_text("\n".join(lines) + "\n")
    return [
        "bwrap",
        "--die-with-parent",
        "--dev-bind",
        "/",
        "/",
        "--ro-bind",
        str(marker),
        str(MARKER),
        "--",
    ]
