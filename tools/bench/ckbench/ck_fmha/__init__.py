# SPDX-License-Identifier: MIT
"""CK's own example of attention (example/ck_tile/01_fmha): the generator of its kernels, and what
their names say.
"""
