# SPDX-License-Identifier: MIT
"""The command line ``ckdispatch``: docs/command-line.md.

A command takes its options and returns a ``Report``; what is printed and how the program ends is
decided in one place. Modules import what they need when a command runs, so that help is quick.
"""
