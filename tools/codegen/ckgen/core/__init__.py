# SPDX-License-Identifier: MIT
"""What every kernel family shares; nothing in here knows one."""
