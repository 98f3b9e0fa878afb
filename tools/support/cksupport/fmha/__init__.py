# SPDX-License-Identifier: MIT
"""Attention: its matrix, of kinds of kernels and head sizes on each GPU and of every pair of
choices.
"""
