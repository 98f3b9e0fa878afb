# SPDX-License-Identifier: MIT
"""What the command line knows about grouped convolutions."""
