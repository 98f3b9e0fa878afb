# SPDX-License-Identifier: MIT
"""From a declaration to specs: wildcards become every legal choice, in a fixed order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from ckarch import ArchSpecs

from ckgen.core.declaration import Declaration, Entry
from ckgen.core.family import Family
from ckgen.core.limits import FEW_CHOICES, LISTED_ERRORS, MOST_CHOICES, MOST_KERNELS
from ckgen.core.nearest import refusal
from ckgen.core.rules import Finding, first_violation
from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target
from ckgen.core.wildcards import Walk, count_choices


@dataclass(frozen=True)
class ExpandedKernel:
    """One kernel of a set: where it is legal, and for every other GPU the sentence why not.

    These sentences name no nearest choice: hundreds of kernels have some, and hardly one is read.
    """

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

    Of many errors the first ones are listed, and the last says how many there are besides.
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
    unlisted: int = 0

    def refuse(self, sentence: Callable[[], str]) -> None:
        """Something is wrong; ``sentence``, which may take long to make,
        is not if there are many.
        """
        if len(self.errors) < LISTED_ERRORS:
            self.errors.append(sentence())
        else:
            self.unlisted += 1

    def add(self, kernel: ExpandedKernel, explicit: bool) -> None:
        other = self.kernels.get(kernel.spec)
        if other is not None and (explicit or kernel.spec in self.explicit):
            first = other.entry
            self.refuse(
                lambda: (
                    f"{kernel.entry}: declares {kernel.name}, which {first} already declares; "
                    "remove one of them"
                )
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
    """Sentences about kernels that no GPU takes, with the nearest legal choice, each made once."""

    def __init__(self) -> None:
        self._known: dict[tuple[KernelSpec, str], str] = {}

    def sentence(self, family: Family, finding: Finding, spec: KernelSpec, target: Target) -> str:
        """The sentence of ``finding``, whose nearest choice takes a tenth of a second to find."""
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
    collector = _Collector(arch.gpus)
    for error in declaration.errors:
        collector.refuse(partial(str, error))
    dropped: Counter[str] = Counter()
    family = declaration.family
    meant = [
        [Target.of(arch, name) for name in entry.gpus or arch.gpus] for entry in declaration.entries
    ]
    numbers = [
        1 if entry.explicit else count_choices(family, entry, targets)
        for entry, targets in zip(declaration.entries, meant, strict=False)
    ]
    together = sum(numbers)
    if together > MOST_CHOICES:
        number, widest = max(
            zip(numbers, declaration.entries, strict=False), key=lambda pair: pair[0]
        )
        collector.refuse(lambda: _too_many(family, widest, number, together))
    else:
        for entry, targets, number in zip(declaration.entries, meant, numbers, strict=False):
            if entry.explicit:
                _expand_explicit(family, entry, targets, arch, collector, known)
            else:
                walk = Walk(family, entry, targets, arch, cuts=together > FEW_CHOICES)
                dropped += _expand_wildcards(walk, number, collector)
    kernels = tuple(collector.kernels.values())
    errors = collector.errors
    if collector.unlisted:
        errors.append(
            f"{declaration.source}: {collector.unlisted:,} more errors were found; mend these first"
        )
    return Expansion(kernels, tuple(errors), dict(sorted(dropped.items())))


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
    findings = {target.name: first_violation(family.rules, spec, target) for target in targets}
    violations = {name: finding for name, finding in findings.items() if finding is not None}
    if len(violations) < len(findings):
        collector.add(_judged(entry, spec, findings, targets, arch), explicit=True)
        return

    def sentence() -> str:
        # Of many GPUs the one with the fewest violations says most about what the author meant.
        closest = min(targets, key=lambda target: len(family.judge(spec, target).violations))
        why = known.sentence(family, violations[closest.name], spec, closest)
        return f"{entry.label}: {spec.name} is not legal on {_any_of(targets)}: {why}"

    collector.refuse(sentence)


def _expand_wildcards(walk: Walk, number: int, collector: _Collector) -> Counter[str]:
    """Adds the legal ones of ``number`` choices;
    returns how many of the others each rule refuses.
    """
    family, entry, targets, arch = walk.family, walk.entry, walk.targets, walk.arch
    judged: dict[KernelSpec, dict[str, Finding | None]] = {}
    legal: set[KernelSpec] = set()
    for target in targets:
        for spec in walk.on(target):
            finding = first_violation(family.rules, spec, target)
            judged.setdefault(spec, {})[target.name] = finding
            if finding is None:
                legal.add(spec)
            if len(legal) > MOST_KERNELS:
                collector.refuse(
                    lambda: (
                        f"{entry.label}: more than {MOST_KERNELS:,} of its {number:,} choices are "
                        f"legal kernels, and {MOST_KERNELS:,} are the most that an entry may stand "
                        "for; "
                        "name fewer choices"
                    )
                )
                return Counter()
    dropped = walk.cut
    for spec, findings in judged.items():
        if spec in legal:
            # GPUs whose own choices do not include it are judged now.
            for target in targets:
                if target.name not in findings:
                    findings[target.name] = first_violation(family.rules, spec, target)
            collector.add(_judged(entry, spec, findings, targets, arch), explicit=False)
        else:
            violations = [finding for finding in findings.values() if finding is not None]
            dropped[violations[0].rule.id] += 1
    if not legal:
        why = ", ".join(f"{rule} refuses {number}" for rule, number in sorted(dropped.items()))
        collector.refuse(
            lambda: (
                f"{entry.label}: none of its {sum(dropped.values())} choices is legal on "
                f"{_any_of(targets)} ({why or 'there is nothing to choose from'}); "
                "allow more choices for the fields that these rules name"
            )
        )
    return dropped


def _too_many(family: Family, entry: Entry, number: int, together: int) -> str:
    """Says how many choices there are, how many there may be, and which fields make them."""
    open_fields = [f.name for f in family.entry_fields if not entry.options[f.name].single]
    others = "" if number == together else f" of the {together:,} of all entries"
    return (
        f"{entry.label}: has {number:,} choices{others} on all GPUs together, and a declaration "
        f"may have {MOST_CHOICES:,}; say which ones are meant in some of {', '.join(open_fields)}"
    )


def _judged(
    entry: Entry,
    spec: KernelSpec,
    findings: Mapping[str, Finding | None],
    targets: Sequence[Target],
    arch: ArchSpecs,
) -> ExpandedKernel:
    """The kernel, with the GPUs that have no finding about it, and a sentence for all others."""
    meant = [target.name for target in targets]
    only = f"the declaration means this kernel for {', '.join(meant)} only"
    refused = {name: only for name in arch.gpus if name not in meant}
    for target in targets:
        finding = findings[target.name]
        if finding is not None:
            refused[target.name] = str(finding)
    gpus = tuple(name for name in meant if findings[name] is None)
    return ExpandedKernel(spec, gpus, refused, entry.label)


def _any_of(targets: Sequence[Target]) -> str:
    names = [target.name for target in targets]
    return names[0] if len(names) == 1 else f"any of {', '.join(names)}"
