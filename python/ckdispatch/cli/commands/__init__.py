# SPDX-License-Identifier: MIT
"""One module for each command: ``add_to`` adds its parser, ``run`` makes its report."""
