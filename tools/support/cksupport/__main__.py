# SPDX-License-Identifier: MIT
"""Runs the command line."""

import sys

from cksupport.cli import main

if __name__ == "__main__":
    sys.exit(main())
