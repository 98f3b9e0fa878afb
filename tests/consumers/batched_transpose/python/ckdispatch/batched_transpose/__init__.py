# SPDX-License-Identifier: MIT
"""Transposes of many matrices of one size."""
