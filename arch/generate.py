# SPDX-License-Identifier: MIT
"""Writes what Python, C++ and Bazel's command line read from ``arch_specs.json``."""

import sys

from archgen.cli import main

sys.exit(main())
