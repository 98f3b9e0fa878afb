# SPDX-License-Identifier: MIT
"""Running compilers: no shell, a clean environment, and all of them killed at once if need be."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

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


@dataclass(frozen=True)
class Ended:
    """How a program ended and what it took: seconds by the clock, of processors, and the bytes of
    memory that it had at most.

    A process begins with the memory of the one that starts it, so ``memory`` is at least what this
    process has.
    """

    code: int
    seconds: float
    processor_seconds: float
    memory: int


class _Group:
    """A process group for compilers that ends with this process, however that ends.

    Its leader waits for the end of a pipe whose other end only this process has, and then kills the
    group: a compiler's own children too, which a signal for the death of a parent would not reach.
    """

    _LEADER = ("/bin/sh", "-c", "read -r _; kill -9 0")

    def __init__(self) -> None:
        end, self._held = os.pipe()
        _held.add(self)
        try:
            self.leader = subprocess.Popen(
                self._LEADER,
                stdin=end,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={},
                **_in_group(0),
            )
        except BaseException:
            self.let_go()
            raise
        finally:
            os.close(end)

    @property
    def is_alive(self) -> bool:
        return self.leader.poll() is None

    def kill(self) -> None:
        """Kill everything in it."""
        # Until the leader is waited for, no other group can have its number.
        if self.leader.returncode is None:
            with suppress(OSError):
                os.killpg(self.leader.pid, signal.SIGKILL)
            self.leader.wait()
        self.let_go()

    def let_go(self) -> None:
        """Close this process's end of the pipe."""
        held, self._held = self._held, -1
        if held >= 0:
            os.close(held)


_held: weakref.WeakSet[_Group] = weakref.WeakSet()


def _after_fork() -> None:
    # A forked child is not what the compilers work for, and must not keep them alive.
    for group in list(_held):
        group.let_go()


os.register_at_fork(after_in_child=_after_fork)


def _in_group(group: int) -> dict[str, Any]:
    """How a process is started as a member of a group; 0 is a new one."""
    if sys.version_info >= (3, 11):
        return {"process_group": group}
    return {"preexec_fn": lambda: os.setpgid(0, group)}


class Processes:
    """The compilers of one build, which end with it and with this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._groups: list[_Group] = []
        self._stopped = False

    @property
    def stopped(self) -> bool:
        """Whether ``stop`` was called."""
        return self._stopped

    def run(self, arguments: Sequence[str], folder: Path, log: IO[bytes]) -> Ended:
        """Run a program in ``folder``, with its output in ``log``.

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
            begin = time.monotonic()
            process = subprocess.Popen(
                list(arguments),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env=environment,
                umask=0o077,
                **_in_group(self._group()),
            )
        # Only wait4 tells what a single process has used; it is nobody else's to wait for.
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if self._stopped:
            raise Cancelled
        processor_seconds = usage.ru_utime + usage.ru_stime
        return Ended(
            process.returncode, time.monotonic() - begin, processor_seconds, usage.ru_maxrss * 1024
        )

    def _group(self) -> int:
        """The group that compilers are in; a new one if somebody killed its leader."""
        if not self._groups or not self._groups[-1].is_alive:
            self._groups.append(_Group())
        return self._groups[-1].leader.pid

    def stop(self) -> None:
        """Kill everything that runs, with its children, and start nothing more."""
        with self._lock:
            self._stopped = True
            for group in self._groups:
                group.kill()
