# SPDX-License-Identifier: MIT
"""A row of a table: the time that one kernel took for one problem, and where it is known from."""

from __future__ import annotations

from dataclasses import dataclass

VERSION = 1
"""Of the format that ``write`` writes."""

MEASURED, SIMULATED, IMPORTED = PROVENANCES = ("measured", "simulated", "imported")

RESOURCES = (
    "vgprs",
    "agprs",
    "sgprs",
    "lds_bytes",
    "scratch_bytes",
    "vgpr_spills",
    "sgpr_spills",
    "workgroup_size",
)
"""What a resource record says about a kernel's code on a GPU; columns have the same names."""


@dataclass(frozen=True, slots=True)
class Row:
    """What is not known is None, or empty if it is a word.

    A row without a ``kernel`` is a bound: the best time that is known for the problem, by whatever
    kernel.
    """

    family: str
    problem: str
    """In the words that commands take."""
    kernel: str
    """Its name, which has every field of its spec in it."""
    microseconds: float
    """The median of all repeats."""
    provenance: str
    case: str = ""
    """What the table calls the problem. A shape that was measured twice is two cases."""
    parts: int = 1
    minimum: float | None = None
    repeats: int | None = None
    of_kernels: int | None = None
    """How many kernels were timed for the case, if the table has but some of them."""
    weight: float = 1.0
    """Below 1 if several rows of the case are of the same kernel."""
    gpu: str = ""
    device: str = ""
    compute_units: int | None = None
    clock_mhz: float | None = None
    vgprs: int | None = None
    agprs: int | None = None
    sgprs: int | None = None
    lds_bytes: int | None = None
    scratch_bytes: int | None = None
    vgpr_spills: int | None = None
    sgpr_spills: int | None = None
    workgroup_size: int | None = None
    checked: bool | None = None
    """Whether the result was compared with a reference, and was right."""
    source: str = ""
    """Of an imported row: the file, by its hash."""
    note: str = ""

    @property
    def group(self) -> str:
        """Rows of one problem that were measured together have the same."""
        return self.case or self.problem
