# SPDX-License-Identifier: MIT
"""The layer of families that compute matrix products: dtypes, layouts, pipelines, rules and macros
of templates.
"""
