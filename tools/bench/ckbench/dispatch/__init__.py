# SPDX-License-Identifier: MIT
"""Measures what dispatch costs around a kernel."""
