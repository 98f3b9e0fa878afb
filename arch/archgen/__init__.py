# SPDX-License-Identifier: MIT
"""Writers of what other languages read: each turns a valid document into the text of one file."""
