# SPDX-License-Identifier: MIT
"""The C ABI of ``ckdispatch.h`` through ctypes; loaded when it is first needed."""
