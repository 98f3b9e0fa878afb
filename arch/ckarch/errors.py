# SPDX-License-Identifier: MIT
"""Errors of the arch package; each message is meant to be shown to a user as it is."""


class ArchError(Exception):
    """Base of every error that this package raises on purpose."""


class SpecError(ArchError):
    """``what`` does not satisfy its schema; one line per problem, each naming its field."""

    def __init__(self, origin: str, problems: tuple[str, ...], what: str = "the GPU specs") -> None:
        self.origin = origin
        self.problems = problems
        self.what = what
        count = f"{len(problems)} problem" + ("" if len(problems) == 1 else "s")
        super().__init__("\n".join((f"{origin}: {count} in {what}", *problems)))

    def __reduce__(self) -> tuple[type["SpecError"], tuple[str, tuple[str, ...], str]]:
        return (SpecError, (self.origin, self.problems, self.what))


class UnknownNameError(ArchError):
    """A GPU, dtype, pipeline or dtype pair was asked for that the specs do not list."""
