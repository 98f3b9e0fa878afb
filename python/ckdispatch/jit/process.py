# SPDX-License-Identifier: MIT
"""Running compilers: no shell, a clean environment, and all of them killed at once if need be."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

# A library path may be how a compiler finds its own libraries; all else that clang reads from the
# environment (CPATH and its like) would change the output without changing the key.
_KEPT = ("PATH", "LD_LIBRARY_PATH")


class Cancelled(Exception):
    """The build is being stopped; what was running has been killed."""


def clean_environment() -> dict[str, str]:
    """The environment of every compiler."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {"PATH": os.defpath, **kept, "LC_ALL": "C"}


def ask(
    arguments: Sequence[str], environment: Mapping[str, str] | None = None
) -> tuple[int, str, str]:
    """Run a program that only tells something; its exit code and what it wrote."""
    try:
        done = subprocess.run(
            list(arguments),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=dict(clean_environment() if environment is None else environment),
            text=True,
            errors="replace",
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return 127, "", str(error)
    return done.returncode, done.stdout, done.stderr


class Processes:
    """The compilers of one build, each the leader of a process group of its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._stopped = False

    @property
    def stopped(self) -> bool:
        """Whether ``stop`` was called."""
        return self._stopped

    def run(self, arguments: Sequence[str], folder: Path, log: IO[bytes]) -> int:
        """Run a program in ``folder``, with its output in ``log``; returns its exit code.

        Raises ``Cancelled`` if the build is or gets stopped.
        """
        environment = {
            **clean_environment(),
            # clang makes absolute paths from PWD. With this one, a precompiled header that is made
            # in one work folder fits in every other.
            "PWD": "/proc/self/cwd",
            "TMPDIR": str(folder),
        }
        with self._lock:
            if self._stopped:
                raise Cancelled
            process = subprocess.Popen(
                list(arguments),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env=environment,
                start_new_session=True,
                umask=0o077,
            )
            self._running.add(process)
        # As long as the process is not reaped, no other can get its number and be killed for it.
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        with self._lock:
            self._running.discard(process)
            stopped = self._stopped
        code = process.wait()
        if stopped:
            raise Cancelled
        return code

    def stop(self) -> None:
        """Kill everything that runs, with its children, and start nothing more."""
        with self._lock:
            self._stopped = True
            for process in self._running:
                with suppress(OSError):
                    os.killpg(process.pid, signal.SIGKILL)
