# SPDX-License-Identifier: MIT
"""Models that are learned from measurements: training them with LightGBM, and the files that the
dispatcher reads.

docs/models.md explains both. Only ``training`` needs LightGBM, and only once something is trained.
"""
