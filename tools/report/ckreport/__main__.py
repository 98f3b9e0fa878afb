# SPDX-License-Identifier: MIT
"""``ckdispatch report`` as a program of its own."""

import sys

from ckdispatch.cli.main import program

if __name__ == "__main__":
    program(["report", *sys.argv[1:]])
