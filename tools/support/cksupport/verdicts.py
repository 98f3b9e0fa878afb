# SPDX-License-Identifier: MIT
"""What can become of a kernel that was tried."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class Verdict(str, Enum):
    """How a trial ended; only ``RIGHT`` is support. ``COMPILED`` is where it ends if only that was
    asked for, which tells the resources.
    """

    RIGHT = "right"
    COMPILED = "compiled"
    WRONG = "wrong"
    NOT_GENERATED = "not generated"
    NOT_COMPILED = "not compiled"
    UNSUPPORTED = "unsupported"
    NO_PROBLEM = "no such problem"
    FINDINGS = "findings"
    FAILED = "failed"
    CRASHED = "crashed"
    HUNG = "hung"

    @property
    def ends_a_trial(self) -> bool:
        """Whether a cell of the matrix can have it: it is what becomes of a kernel that is run."""
        return self is not Verdict.COMPILED

    @property
    def meaning(self) -> str:
        """For the legend of the page."""
        return _MEANINGS[self]


_MEANINGS = {
    Verdict.RIGHT: "compiled, run on the simulator in checking mode, equal to the reference",
    Verdict.COMPILED: "compiled, and not run",
    Verdict.WRONG: "gives other values than the reference, or writes beside its results",
    Verdict.NOT_GENERATED: "the generator has no source for it",
    Verdict.NOT_COMPILED: "the compiler refuses it",
    Verdict.UNSUPPORTED: "its library refuses a problem that it should take",
    Verdict.NO_PROBLEM: "what it would compute cannot be asked for",
    Verdict.FINDINGS: "the simulator's checking mode finds a bug in it",
    Verdict.FAILED: "the simulator cannot run it to its end",
    Verdict.CRASHED: "the process that ran it ended",
    Verdict.HUNG: "it did not end in time",
}


_FOLDERS = re.compile(r"(?<![\w.])/(?:[^\s/()'\"]+/)+")


@dataclass(frozen=True)
class Outcome:
    """What became of one kernel: ``why`` is a sentence unless it is right.

    It has no folders, which are those of the machine that tried the kernel. ``resources`` are what
    its code uses, if it was compiled; results of before they were recorded have none.
    """

    verdict: Verdict
    why: str = ""
    problems: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    resources: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "why", _FOLDERS.sub("", self.why))

    def to_json(self) -> dict[str, Any]:
        """As JSON values, without what is empty."""
        document: dict[str, Any] = {"verdict": self.verdict.value}
        for name in ("why", "problems", "functions", "resources"):
            value = getattr(self, name)
            if value:
                document[name] = list(value) if isinstance(value, tuple) else value
        return document

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Outcome:
        """The inverse of ``to_json``."""
        return cls(
            Verdict(document["verdict"]),
            document.get("why", ""),
            tuple(document.get("problems", ())),
            tuple(document.get("functions", ())),
            document.get("resources", {}),
        )
