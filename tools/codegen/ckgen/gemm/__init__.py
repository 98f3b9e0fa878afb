# SPDX-License-Identifier: MIT
"""The GEMM family: its spec, names, rules, pipelines and template."""
