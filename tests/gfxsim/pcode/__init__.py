# SPDX-License-Identifier: MIT
"""AMD's pseudocode of its instructions, read and run: an account of them that knows nothing of the
simulator.
"""
