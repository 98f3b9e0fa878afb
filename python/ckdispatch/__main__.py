# SPDX-License-Identifier: MIT
"""``python -m ckdispatch``."""

import sys

from ckdispatch.cli.main import program

if __name__ == "__main__":
    program(sys.argv[1:])
