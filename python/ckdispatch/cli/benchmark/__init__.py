# SPDX-License-Identifier: MIT
"""What ``bench`` does: with the kernel that is selected for each problem, or with every kernel."""
