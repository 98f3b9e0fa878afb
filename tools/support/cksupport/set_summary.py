# SPDX-License-Identifier: MIT
"""The kernels of the sets that ship: whether they are right,
and what registers and LDS they take.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ckarch import ArchSpecs
from ckgen.cli.selection import preselected_sets
from ckgen.core.expand import expand
from ckgen.core.family import Family

from cksupport.digests import Digests
from cksupport.family import AnyFamily
from cksupport.kernels import Kernel
from cksupport.markdown import heading, row
from cksupport.results import Results
from cksupport.set_pairs import all_pairs
from cksupport.summary import SPILLS, STALE, UNTESTED, kernel_state, spills
from cksupport.verdicts import Verdict

_HEAD = """\
# The sets that ship

The kernels of a [set](../declaring-kernels.md#sets-that-ship) are compiled for each GPU that they
are legal on, and run on the simulator as those of the [support matrix]({name}.md) are, or compiled
and not run; what says untested is neither. None may spill vector registers to memory: the build of
a set fails where one does. Scalar registers that are kept in a vector register for a while are
counted. The first to be tried are few kernels that have every two choices which any of them has
together; pairs are met by kernels that are right and do not spill. The sets come from their
declarations, the state of their kernels from
[sets.json](../../evidence/{name}/sets.json) and that of the matrix, which have the registers, the
LDS and the scratch memory of each too, and this page from all three. Nobody writes in it:

    ./bazelw run //tools/support -- {name} sets                   # tries what was not tried yet
    ./bazelw run //tools/support -- {name} sets --only-compile    # only tells which spill
    ./bazelw run //tools/support -- {name} render                 # writes this page
"""

Sets = Mapping[str, tuple[Kernel, ...]]
"""Kernels by the name of their set; most are in more than one."""

_FINE = "✓"
_RIGHT, _COMPILED = Verdict.RIGHT.value, Verdict.COMPILED.value


def shipped_sets(family: AnyFamily, arch: ArchSpecs) -> Sets:
    """The sets of ``//kernels``, in the order of their declarations."""
    return _sets(family.kernels, arch)


def shipped_kernels(family: Family, arch: ArchSpecs) -> tuple[Kernel, ...]:
    """Each kernel of these sets once."""
    return tuple(dict.fromkeys(kernel for own in _sets(family, arch).values() for kernel in own))


@cache
def _sets(family: Family, arch: ArchSpecs) -> Sets:
    return {
        name: tuple(
            Kernel(gpu, kernel.spec)
            for kernel in expand(declaration, arch).kernels
            for gpu in kernel.gpus
        )
        for name, declaration in preselected_sets(family, arch).items()
    }


def set_state(kernel: Kernel, results: Results, digests: Digests) -> str:
    """As that of any kernel; ``spills`` if it is right, or only compiled, and does."""
    found = kernel_state(kernel, results, digests)
    return SPILLS if found in (_RIGHT, _COMPILED) and spills(kernel, results) else found


@dataclass(frozen=True)
class SetSummary:
    """Kernels by their state, and every one that is not right, or spills, with a sentence."""

    states: Mapping[str, int]
    bad: Mapping[str, str]
    enough: Verdict = Verdict.RIGHT

    @classmethod
    def of(
        cls,
        kernels: Iterable[Kernel],
        results: Results,
        digests: Digests,
        enough: Verdict = Verdict.RIGHT,
    ) -> SetSummary:
        """Count each kernel for each GPU once."""
        states = _states(kernels, results, digests)
        return cls(Counter(states.values()), _bad(states, results), enough)

    @property
    def complete(self) -> bool:
        """Whether every kernel has come as far as is ``enough``, and none spills."""
        return set(self.states) <= {_RIGHT, self.enough.value}

    def to_json(self) -> dict[str, Any]:
        return {"complete": self.complete, "kernels": dict(self.states), "bad": dict(self.bad)}

    def __str__(self) -> str:
        counts = ", ".join(f"{number} {name}" for name, number in sorted(self.states.items()))
        lines = [f"{sum(self.states.values())} kernels, each once for each GPU: {counts}."]
        return "\n".join(lines + [f"  {kernel}: {why}" for kernel, why in self.bad.items()])


def _states(kernels: Iterable[Kernel], results: Results, digests: Digests) -> dict[Kernel, str]:
    """Of each kernel once, however many sets it is in."""
    return {kernel: set_state(kernel, results, digests) for kernel in dict.fromkeys(kernels)}


def _bad(states: Mapping[Kernel, str], results: Results) -> dict[str, str]:
    fine = (_RIGHT, _COMPILED, UNTESTED, STALE)
    return {
        str(kernel): f"{state}: {_why(kernel, state, results)}"
        for kernel, state in states.items()
        if state not in fine
    }


def _why(kernel: Kernel, state: str, results: Results) -> str | None:
    return spills(kernel, results) if state == SPILLS else results.known[kernel.key].outcome.why


def told_of(page: str, sets: Sets) -> Sets:
    """The sets that a page has a row for: what was declared since makes none of its rows wrong."""
    return {name: own for name, own in sets.items() if f"\n| `{name}` |" in page}


def sets_page(
    family: AnyFamily, sets: Sets, results: Results, digests: Digests, arch: ArchSpecs
) -> str:
    """The whole page as Markdown."""
    states = _states((kernel for own in sets.values() for kernel in own), results, digests)
    parts = [
        _HEAD.format(name=family.name),
        _usage(states, results, arch),
        _table(sets, states, arch),
    ]
    if bad := _bad(states, results):
        lines = [f"- {kernel}: {why}" for kernel, why in bad.items()]
        parts.append("\n".join(["## Not right, or spilling", "", *lines, ""]))
    return "\n".join(parts)


def _usage(states: Mapping[Kernel, str], results: Results, arch: ArchSpecs) -> str:
    head = (
        "GPU",
        "kernels",
        _RIGHT,
        _COMPILED,
        SPILLS,
        "not right",
        STALE,
        UNTESTED,
        "most VGPRs",
        "most LDS in bytes",
        "keep SGPRs in VGPRs",
        "pairs met",
    )
    lines = [*heading(head)]
    for gpu in arch.gpus:
        own = {kernel: state for kernel, state in states.items() if kernel.gpu == gpu}
        counted = Counter(own.values())
        named = (_RIGHT, _COMPILED, SPILLS, STALE, UNTESTED)
        counts = (len(own), *(counted[name] for name in named[:3]))
        stale, untested = (counted[name] for name in named[3:])
        other = len(own) - sum(counted[name] for name in named)
        used = [results.known[k.key].outcome.resources for k in own if k.key in results.known]
        most = (
            max((one.get(name, 0) for one in used), default=0) for name in ("vgprs", "lds_bytes")
        )
        keeping = sum(bool(one.get("sgpr_spills")) for one in used)
        met = all_pairs(kernel for kernel, state in own.items() if state == _RIGHT)
        pairs = f"{len(met)} of {len(all_pairs(own))}"
        lines.append(row((gpu, *counts, other, stale, untested, *most, keeping, pairs)))
    return "\n".join([*lines, ""])


def _table(sets: Sets, states: Mapping[Kernel, str], arch: ArchSpecs) -> str:
    lines = [
        "## Sets",
        "",
        f"How many kernels a set has for a GPU: {_FINE} if they are right and do not spill, – if "
        "the rules refuse them all there.",
        "",
        *heading(("set", *arch.gpus)),
    ]
    for name, kernels in sets.items():
        cells = (
            _cell([states[kernel] for kernel in kernels if kernel.gpu == gpu]) for gpu in arch.gpus
        )
        lines.append(row((f"`{name}`", *cells)))
    return "\n".join([*lines, ""])


def _cell(states: Sequence[str]) -> str:
    if not states:
        return "–"
    counted = Counter(states)
    fine = counted.pop(_RIGHT, 0)
    others = [
        f"{number} {name}" if name in (_COMPILED, STALE, UNTESTED) else f"**{number} {name}**"
        for name, number in sorted(counted.items())
    ]
    return ", ".join(([f"{fine} {_FINE}"] if fine else []) + others)
