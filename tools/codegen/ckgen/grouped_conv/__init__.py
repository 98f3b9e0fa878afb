# SPDX-License-Identifier: MIT
"""Grouped convolution: its specs, rules, names and template."""
