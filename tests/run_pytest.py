# SPDX-License-Identifier: MIT
"""The main program of every ck_pytest: runs pytest on the files it is given and writes Bazel's XML report."""

import os
import subprocess
import sys

import pytest


def preload(library: str) -> None:
    """Begins anew with a library of the C++ compiler before all others, where a sanitizer's must be, also in the processes that this one starts."""
    found = subprocess.run(["g++", f"-print-file-name={library}"], capture_output=True, text=True, check=True).stdout.strip()
    os.environ["LD_PRELOAD"] = found
    del os.environ["CK_PRELOAD"]
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def main() -> int:
    if library := os.environ.get("CK_PRELOAD"):
        preload(library)
    # Tells hypothesis to draw the same examples every time: what passes today must not fail tomorrow.
    os.environ.setdefault("CI", "true")
    arguments = ["-p", "no:cacheprovider", "--import-mode=importlib", "-q", "-ra", *sys.argv[1:]]
    if report := os.environ.get("XML_OUTPUT_FILE"):
        arguments.append(f"--junitxml={report}")
    if wanted := os.environ.get("TESTBRIDGE_TEST_ONLY"):
        arguments.append(f"-k={wanted}")
    return int(pytest.main(arguments))


if __name__ == "__main__":
    sys.exit(main())
