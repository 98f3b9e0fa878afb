"""Brings what the build downloads: pinned by hash, kept in the user's cache, unpacked for Bazel.
Standard library only.
"""
