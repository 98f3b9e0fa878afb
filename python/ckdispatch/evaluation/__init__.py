# SPDX-License-Identifier: MIT
"""What the dispatcher picks and predicts for the problems of a table of measurements."""

from __future__ import annotations
