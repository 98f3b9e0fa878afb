# SPDX-License-Identifier: MIT
"""Grouped convolution: its matrix, in which every pair of choices is met."""
