# SPDX-License-Identifier: MIT
"""Simulated times of code objects that AMD wrote by hand, beside the times that the same wheel has
of them.
"""
