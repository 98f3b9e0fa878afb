# SPDX-License-Identifier: MIT
"""Problems that people care about, as data with their source: layers of networks, and ones drawn at
random.
"""
