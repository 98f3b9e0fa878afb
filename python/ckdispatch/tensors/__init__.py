# SPDX-License-Identifier: MIT
"""Arrays of the host, memory of the device, and what other libraries hand over."""
