# SPDX-License-Identifier: MIT
"""Runs the command line: python3 -m ckinspect."""

import sys

from ckinspect.cli import main

if __name__ == "__main__":
    sys.exit(main())
