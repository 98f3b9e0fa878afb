# SPDX-License-Identifier: MIT
"""``python3 -m ckgen``."""

import sys

from ckgen.cli.main import main


def program() -> int:
    """What the command ``ckgen`` of an installed package calls."""
    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(program())
