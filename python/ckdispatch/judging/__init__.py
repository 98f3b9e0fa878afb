# SPDX-License-Identifier: MIT
"""How good choices are, judged by times that were measured. Knows neither kernels nor dispatchers.

A ``Case`` has the measured time of each way to compute a problem. ``judge`` takes what was picked
for each, and what was predicted, and gives a ``Verdict``. docs/measurements.md says what its
figures mean.
"""

from __future__ import annotations
