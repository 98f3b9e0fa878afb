# SPDX-License-Identifier: MIT
"""Attention: softmax(q k') v with all that goes around it, and its gradients."""
