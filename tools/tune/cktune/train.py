# SPDX-License-Identifier: MIT
"""``ckdispatch train`` with LightGBM at hand."""

import sys

from ckdispatch.cli.main import program

if __name__ == "__main__":
    program(["train", *sys.argv[1:]])
