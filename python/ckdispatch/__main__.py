# SPDX-License-Identifier: MIT
"""``python -m ckdispatch``."""

import sys
from typing import NoReturn

from ckdispatch.cli.main import program


def main() -> NoReturn:
    """What the command ``ckdispatch`` of an installed package calls."""
    program(sys.argv[1:])


if __name__ == "__main__":
    main()
