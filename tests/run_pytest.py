# SPDX-License-Identifier: MIT
"""The main program of every ck_pytest: runs pytest on the files it is given and writes Bazel's XML report."""

import os
import sys

import pytest


def main() -> int:
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
