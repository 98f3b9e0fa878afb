# SPDX-License-Identifier: MIT
"""Hands kernels to a worker process, and survives whatever happens to it."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import IO

from ckgen.core.spec import KernelSpec

from cksupport.family import support_of
from cksupport.verdicts import Outcome, Verdict

_PIECE = 65536
_ONE_MULTIPROCESSOR = {"GFXSIM_MULTIPROCESSORS": "1"}


class Runner(AbstractContextManager["Runner"]):
    """Runs kernels on one simulated GPU; a context, at whose end the worker is gone."""

    def __init__(self, gpu: str, threads: int, timeout: float) -> None:
        self._gpu = gpu
        self._timeout = timeout
        self._environment = {
            **os.environ,
            "GFXSIM_THREADS": str(threads),
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        }
        self._worker: subprocess.Popen[bytes] | None = None
        self._small = False
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - `__exit__` closes it

    def run(self, spec: KernelSpec, library: Path) -> Outcome:
        """What became of the kernel; the next one gets a new worker if this one was lost."""
        # On all of the GPU, every workgroup of a persistent kernel would have one tile at most.
        small = support_of(spec).wants_one_multiprocessor(spec)
        if self._small is not small:
            self._end()
            self._small = small
        worker = self._worker or self._start()
        request = (
            json.dumps({"family": spec.family, "kernel": spec.name, "library": str(library)}) + "\n"
        )
        assert worker.stdin is not None
        with suppress(BrokenPipeError):
            worker.stdin.write(request.encode())
            worker.stdin.flush()
        answer = self._answer(worker)
        if answer is not None and answer.endswith(b"\n"):
            return Outcome.from_json(json.loads(answer))
        self._stop()
        if answer is None:
            return Outcome(Verdict.HUNG, f"it did not end within {self._timeout:g} seconds")
        return Outcome(Verdict.CRASHED, self._last_words(worker.returncode))

    def _start(self) -> subprocess.Popen[bytes]:
        self._errors.seek(0)
        self._errors.truncate()
        self._worker = subprocess.Popen(
            [sys.executable, "-m", "cksupport.worker", self._gpu],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**self._environment, **(_ONE_MULTIPROCESSOR if self._small else {})},
            # An interruption is for the sweep, which then ends this process.
            start_new_session=True,
        )
        return self._worker

    def _answer(self, worker: subprocess.Popen[bytes]) -> bytes | None:
        """A line, less than a line if the worker ended, None if time is up."""
        assert worker.stdout is not None
        out, line = worker.stdout.fileno(), b""
        end = time.monotonic() + self._timeout
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([out], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                return None
            piece = os.read(out, _PIECE)
            if not piece:
                break
            line += piece
        return line

    def _last_words(self, code: int) -> str:
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip().splitlines()
        try:
            how = f"by {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
        except ValueError:
            how = f"by signal {-code}"
        return f"the process that ran it ended {how}{': ' + said[-1] if said else ''}"

    def _end(self) -> None:
        """Nothing more is asked of the worker."""
        if self._worker is not None and self._worker.stdin is not None:
            with suppress(BrokenPipeError):
                self._worker.stdin.close()
        self._stop()

    def _stop(self) -> None:
        worker, self._worker = self._worker, None
        if worker is None:
            return
        # One that has closed its output is about to end by itself, and how it does is of interest.
        try:
            worker.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            worker.kill()
            worker.wait()
        for pipe in (worker.stdin, worker.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()

    def __exit__(self, *error: object) -> None:
        self._end()
        self._errors.close()
