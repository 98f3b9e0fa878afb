# SPDX-License-Identifier: MIT
"""The main program of every ck_pytest: runs pytest on the files it is given and writes Bazel's XML
report.
"""

import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack

import pytest


def preload(libraries: list[str]) -> None:
    """Begins anew with libraries of the C++ compiler before all others, also in the processes that
    this one starts.

    A sanitizer must be first, and sees exceptions only if the library that throws them is there
    when it begins.
    """
    found = [
        subprocess.run(
            ["g++", f"-print-file-name={name}"], capture_output=True, text=True, check=True
        ).stdout.strip()
        for name in libraries
    ]
    os.environ["LD_PRELOAD"] = ":".join(found)
    del os.environ["CK_PRELOAD"]
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


MEMORY = "/dev/shm"
ENOUGH = 1 << 30
"""Bytes; of what the tests that ask for memory write, some hundred MB are there at once at most."""


def memory_is_usable() -> bool:
    """Whether there is a file system in memory that programs can be put into and run from."""
    try:
        state = os.statvfs(MEMORY)
    except OSError:
        return False
    room = state.f_bavail * state.f_frsize
    return os.access(MEMORY, os.W_OK) and not state.f_flag & os.ST_NOEXEC and room >= ENOUGH


def main() -> int:
    with ExitStack() as end:
        # A test that syncs thousands of files would wait for the disk more than for anything else.
        if os.environ.get("CK_TEMPORARY") == "memory" and memory_is_usable():
            folder = tempfile.TemporaryDirectory(prefix="ck-test-", dir=MEMORY)
            os.environ["TMPDIR"] = tempfile.tempdir = end.enter_context(folder)
        return run()


def run() -> int:
    """Runs pytest; returns its exit code."""
    if libraries := os.environ.get("CK_PRELOAD"):
        preload(libraries.split(":"))
    # Tells hypothesis to draw the same examples every time: what passes today must not fail
    # tomorrow.
    os.environ.setdefault("CI", "true")
    arguments = ["-p", "no:cacheprovider", "--import-mode=importlib", "-q", "-ra", *sys.argv[1:]]
    if report := os.environ.get("XML_OUTPUT_FILE"):
        arguments.append(f"--junitxml={report}")
    if wanted := os.environ.get("TESTBRIDGE_TEST_ONLY"):
        arguments.append(f"-k={wanted}")
    return int(pytest.main(arguments))


if __name__ == "__main__":
    sys.exit(main())
