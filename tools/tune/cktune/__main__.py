# SPDX-License-Identifier: MIT
"""The program that fits constants."""

import sys

from cktune.fit import main

sys.exit(main(sys.argv[1:]))
