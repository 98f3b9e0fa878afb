# SPDX-License-Identifier: MIT
"""How far results of shipped kernels are from exact ones: measured on the simulator, kept as
evidence, shown on a page.
"""

from __future__ import annotations
