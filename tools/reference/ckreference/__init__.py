# SPDX-License-Identifier: MIT
"""The reference page of the public Starlark files, from their docstrings."""
