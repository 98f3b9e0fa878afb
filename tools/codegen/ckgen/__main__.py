# SPDX-License-Identifier: MIT
"""``python3 -m ckgen``."""

import sys

from ckgen.cli.main import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
