# SPDX-License-Identifier: MIT
"""From a declaration to specs: wildcards become every legal choice, in a fixed order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ckarch import ArchSpecs

from ckgen.core.declaration import Declaration, Entry
from ckgen.core.family import EntryField, Family
from ckgen.core.nearest import refusal
from ckgen.core.rules import Finding, first_violation
from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target


@dataclass(frozen=True)
class ExpandedKernel:
    """One kernel of a set: where it is legal, and for every other GPU the sentence why not."""

    spec: KernelSpec
    gpus: tuple[str, ...]
    refused: Mapping[str, str]
    entry: str

    @property
    def name(self) -> str:
        """The name of the kernel."""
        return self.spec.name


@dataclass(frozen=True)
class Expansion:
    """The kernels of a set, the sentences about what is wrong with it, and what rules dropped.

    ``dropped`` counts, by rule id, the choices of wildcards and lists that are legal nowhere.
    """

    kernels: tuple[ExpandedKernel, ...]
    errors: tuple[str, ...]
    dropped: Mapping[str, int]


@dataclass
class _Collector:
    """Kernels gathered so far, by spec, and whether an explicit entry asked for them."""

    gpus: tuple[str, ...]
    kernels: dict[KernelSpec, ExpandedKernel] = field(default_factory=dict)
    explicit: set[KernelSpec] = field(default_factory=set)
    errors: list[str] = field(default_factory=list)

    def add(self, kernel: ExpandedKernel, explicit: bool) -> None:
        other = self.kernels.get(kernel.spec)
        if other is not None and (explicit or kernel.spec in self.explicit):
            self.errors.append(
                f"{kernel.entry}: declares {kernel.name}, which {other.entry} already declares; "
                "remove one of them"
            )
            return
        self.kernels[kernel.spec] = kernel if other is None else self._merge(other, kernel)
        if explicit:
            self.explicit.add(kernel.spec)

    def _merge(self, a: ExpandedKernel, b: ExpandedKernel) -> ExpandedKernel:
        gpus = tuple(name for name in self.gpus if name in a.gpus or name in b.gpus)
        refused = {**b.refused, **a.refused}
        return ExpandedKernel(
            a.spec, gpus, {name: refused[name] for name in self.gpus if name not in gpus}, a.entry
        )


class Refusals:
    """Sentences about kernels that a GPU refuses, each made once.

    Finding the nearest legal choice is most of the work of expanding: who reads no sentence of a
    kernel that is legal elsewhere says ``nearest=False``.
    """

    def __init__(self, *, nearest: bool = True) -> None:
        self._nearest = nearest
        self._known: dict[tuple[KernelSpec, str], str] = {}

    def elsewhere(self, family: Family, finding: Finding, spec: KernelSpec, target: Target) -> str:
        """The sentence about a kernel that another GPU takes."""
        return self.nowhere(family, finding, spec, target) if self._nearest else str(finding)

    def nowhere(self, family: Family, finding: Finding, spec: KernelSpec, target: Target) -> str:
        """The sentence about a kernel that no GPU takes, which always has the nearest choice."""
        key = spec, target.name
        if key not in self._known:
            self._known[key] = refusal(family, finding, spec, target)
        return self._known[key]


def expand(
    declaration: Declaration, arch: ArchSpecs, refusals: Refusals | None = None
) -> Expansion:
    """Every kernel that ``declaration`` asks for, judged for every GPU of ``arch``.

    Expansions that share kernels, such as the sets of one file, should share ``refusals``.
    """
    known = Refusals() if refusals is None else refusals
    collector = _Collector(arch.gpus, errors=list(declaration.errors))
    dropped: Counter[str] = Counter()
    for entry in declaration.entries:
        meant = entry.gpus or arch.gpus
        targets = [Target.of(arch, name) for name in meant]
        if entry.explicit:
            _expand_explicit(declaration.family, entry, targets, arch, collector, known)
        else:
            dropped += _expand_wildcards(declaration.family, entry, targets, arch, collector)
    kernels = tuple(collector.kernels.values())
    return Expansion(kernels, tuple(collector.errors), dict(sorted(dropped.items())))


def _expand_explicit(
    family: Family,
    entry: Entry,
    targets: Sequence[Target],
    arch: ArchSpecs,
    collector: _Collector,
    known: Refusals,
) -> None:
    choice = {name: option.values[0] for name, option in entry.options.items() if option.values}
    spec = family.build(choice, arch)
    legal: list[str] = []
    findings: dict[Target, Finding] = {}
    for target in targets:
        finding = first_violation(family.rules, spec, target)
        if finding is None:
            legal.append(target.name)
        else:
            findings[target] = finding
    if legal:
        refused = _not_meant(targets, arch)
        for target, finding in findings.items():
            refused[target.name] = known.elsewhere(family, finding, spec, target)
        collector.add(ExpandedKernel(spec, tuple(legal), refused, entry.label), explicit=True)
        return
    # Of many GPUs the one with the fewest violations says most about what the author meant.
    closest = min(targets, key=lambda target: len(family.judge(spec, target).violations))
    why = known.nowhere(family, findings[closest], spec, closest)
    collector.errors.append(f"{entry.label}: {spec.name} is not legal on {_any_of(targets)}: {why}")


def _expand_wildcards(
    family: Family,
    entry: Entry,
    targets: Sequence[Target],
    arch: ArchSpecs,
    collector: _Collector,
) -> Counter[str]:
    judged: dict[KernelSpec, dict[str, Finding | None]] = {}
    for target in targets:
        for spec in _product(family, entry, target, arch):
            finding = first_violation(family.rules, spec, target)
            judged.setdefault(spec, {})[target.name] = finding
    dropped: Counter[str] = Counter()
    for spec, findings in judged.items():
        violations = [finding for finding in findings.values() if finding is not None]
        if len(violations) == len(findings):
            dropped[violations[0].rule.id] += 1
        else:
            collector.add(_judge_everywhere(family, entry, spec, findings, targets, arch), False)
    if sum(dropped.values()) == len(judged):
        why = ", ".join(f"{rule} refuses {number}" for rule, number in sorted(dropped.items()))
        collector.errors.append(
            f"{entry.label}: none of its {sum(dropped.values())} choices is legal on "
            f"{_any_of(targets)} ({why or 'there is nothing to choose from'}); "
            "allow more choices for the fields that these rules name"
        )
    return dropped


def _judge_everywhere(
    family: Family,
    entry: Entry,
    spec: KernelSpec,
    findings: Mapping[str, Finding | None],
    targets: Sequence[Target],
    arch: ArchSpecs,
) -> ExpandedKernel:
    """The kernel of a wildcard; GPUs whose own choices do not include it are judged now."""
    gpus: list[str] = []
    refused = _not_meant(targets, arch)
    for target in targets:
        known = target.name in findings
        finding = findings[target.name] if known else first_violation(family.rules, spec, target)
        if finding is None:
            gpus.append(target.name)
        else:
            refused[target.name] = str(finding)
    return ExpandedKernel(spec, tuple(gpus), refused, entry.label)


def _product(family: Family, entry: Entry, target: Target, arch: ArchSpecs) -> Iterator[KernelSpec]:
    for choice in _choices(family.entry_fields, entry, target, {}):
        yield family.build(choice, arch)


def _choices(
    fields: Sequence[EntryField], entry: Entry, target: Target, chosen: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    if not fields:
        yield dict(chosen)
        return
    first, rest = fields[0], fields[1:]
    values = entry.options[first.name].values
    for value in first.choices(target, chosen) if values is None else values:
        chosen[first.name] = value
        yield from _choices(rest, entry, target, chosen)


def _not_meant(targets: Sequence[Target], arch: ArchSpecs) -> dict[str, str]:
    meant = [target.name for target in targets]
    return {
        name: f"the declaration means this kernel for {', '.join(meant)} only"
        for name in arch.gpus
        if name not in meant
    }


def _any_of(targets: Sequence[Target]) -> str:
    names = [target.name for target in targets]
    return names[0] if len(names) == 1 else f"any of {', '.join(names)}"
