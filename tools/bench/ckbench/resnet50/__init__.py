# SPDX-License-Identifier: MIT
"""Which kernels the layers of ResNet-50 get, and why."""
