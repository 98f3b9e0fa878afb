# SPDX-License-Identifier: MIT
"""Kernels as a caller describes them: one config class per family over one shared base.

The rules and the expansion are the generator's own; nothing here decides what is legal.
"""
