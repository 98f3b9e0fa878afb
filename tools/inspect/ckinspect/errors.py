# SPDX-License-Identifier: MIT
"""The two failures of this package."""


class InspectError(Exception):
    """A whole sentence for the user: what was asked, what is wrong, what would work."""


class MalformedError(Exception):
    """A clause that says what is wrong with some bytes; who knows the file makes it a sentence."""
