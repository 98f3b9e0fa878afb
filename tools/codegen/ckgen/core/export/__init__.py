# SPDX-License-Identifier: MIT
"""Build files for people without Bazel."""
