# SPDX-License-Identifier: MIT
"""Grouped convolutions and their gradients."""
