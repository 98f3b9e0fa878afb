# SPDX-License-Identifier: MIT
"""The page of what was built: one HTML file with every kernel, who wins where, and what another
build changed.
"""
