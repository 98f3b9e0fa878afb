# SPDX-License-Identifier: MIT
"""Constants of the cost model, from tables of measured times."""
