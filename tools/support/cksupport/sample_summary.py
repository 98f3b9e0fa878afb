# SPDX-License-Identifier: MIT
"""What kernels drawn at random have shown about the rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ckarch import ArchSpecs, UnknownNameError
from ckgen.core.errors import SpecError
from ckgen.core.rules import Rule

from cksupport.digests import Digests
from cksupport.errors import SupportError
from cksupport.family import AnyFamily
from cksupport.markdown import heading, row
from cksupport.results import Results
from cksupport.samples import Sample
from cksupport.verdicts import Outcome, Verdict

_HEAD = """\
# What random kernels showed

Kernels drawn at random over variants, dtypes, layouts, pipelines, tiles and GPUs, compiled and run
on the simulator as those of the [support matrix]({name}.md) are. Legal ones must be right. Illegal
ones, a field away from legal ones and refused by a single rule, show what the rule is for; what
none of them breaks can be tried by name. Which is which is what the rules say now, the outcomes
are in [samples.json](../../evidence/{name}/samples.json), and nobody writes in this page:

    ./bazelw run //tools/support -- {name} samples --count 200            # legal ones
    ./bazelw run //tools/support -- {name} samples --count 200 --border   # illegal ones
    ./bazelw run //tools/support -- {name} samples --kernel GPU:NAME      # a certain one
    ./bazelw run //tools/support -- {name} render                         # writes this page
"""


@dataclass(frozen=True)
class SampleSummary:
    """How samples ended, and those that ended as they should not."""

    legal: Counter[Verdict]
    illegal: dict[str, Counter[Verdict]]
    bad: dict[str, str]
    untested: int

    @classmethod
    def of(cls, samples: Iterable[Sample], results: Results) -> SampleSummary:
        """Count."""
        legal: Counter[Verdict] = Counter()
        illegal: dict[str, Counter[Verdict]] = {}
        bad, untested = {}, 0
        for sample in samples:
            result = results.known.get(sample.key)
            if result is None:
                untested += 1
                continue
            outcome = result.outcome
            if not sample.rules:
                legal[outcome.verdict] += 1
            for rule in sample.rules:
                illegal.setdefault(rule, Counter())[outcome.verdict] += 1
            if not sample.may_be(right=outcome.verdict is Verdict.RIGHT):
                bad[str(sample)] = _how(outcome)
        return cls(legal, illegal, bad, untested)

    @property
    def complete(self) -> bool:
        """Whether all were tried and none ended as it should not."""
        return not self.bad and not self.untested

    def to_json(self) -> dict[str, Any]:
        return {
            "complete": self.complete,
            "legal": {verdict.value: count for verdict, count in self.legal.items()},
            "illegal": {
                rule: {verdict.value: count for verdict, count in counts.items()}
                for rule, counts in self.illegal.items()
            },
            "bad": self.bad,
            "untested": self.untested,
        }

    def __str__(self) -> str:
        lines = [f"{self.legal.total()} legal kernels: {_counts(self.legal)}"]
        lines += [f"against {rule}: {_counts(tried)}" for rule, tried in self.illegal.items()]
        lines.append(f"{self.untested} untested")
        return "\n".join(lines + [f"  {kernel}: {why}" for kernel, why in self.bad.items()])


@dataclass(frozen=True)
class _Tried:
    """A sample with its outcome; stale if it was made of other sources than those of now."""

    sample: Sample
    outcome: Outcome
    stale: bool

    def __str__(self) -> str:
        where = f"`{self.sample.spec.name}` on {self.sample.gpu}"
        return f"- {where} {'was' if self.stale else 'is'} {_how(self.outcome)}"

    def told_of(self, rule: Rule) -> str:
        """With the other rules that refuse it."""
        others = " and ".join(f"`{other}`" for other in self.sample.rules if other != rule.id)
        return f"{self} (against {others} too)" if others else str(self)


def known_samples(family: AnyFamily, results: Results, arch: ArchSpecs) -> tuple[Sample, ...]:
    """The samples of a file, as the rules of now see them."""
    try:
        return tuple(
            Sample.judged(gpu, family.kernels.parse_name(name), arch)
            for gpu, name in sorted(results.known)
        )
    except (SpecError, UnknownNameError) as error:
        raise SupportError(
            f"the results {results.path} have a kernel that cannot be: {error}; remove its line"
        ) from error


def samples_page(family: AnyFamily, results: Results, digests: Digests, arch: ArchSpecs) -> str:
    """The page of all samples of a file, as Markdown."""
    tried = []
    for sample in known_samples(family, results, arch):
        known = results.known[sample.key]
        stale = known.digest != digests.of(sample.spec, sample.gpu)
        tried.append(_Tried(sample, known.outcome, stale))
    legal = [one for one in tried if not one.sample.rules]
    head = f"{_HEAD.format(name=family.name)}\n{_staleness(tried)}"
    sections = (_rule_section(rule, tried) for rule in family.kernels.rules)
    return "\n".join([head, _legal_table(family, legal, arch), *sections])


def _staleness(tried: Sequence[_Tried]) -> str:
    stale = sum(one.stale for one in tried)
    return (
        f"{len(tried)} kernels were tried, {stale} of them with other sources, headers or flags "
        "than those of now; of these it says what they were.\n"
    )


def _counts(counted: Counter[Verdict]) -> str:
    return ", ".join(f"{count} {verdict.value}" for verdict, count in counted.items()) or "none"


def _legal_table(family: AnyFamily, tried: Sequence[_Tried], arch: ArchSpecs) -> str:
    right = sum(one.outcome.verdict is Verdict.RIGHT for one in tried)
    lines = [f"## Legal kernels\n\n{len(tried)} were tried, {right} were right.\n"]
    lines += heading(("variant", *arch.gpus))
    counted = Counter((family.variant(one.sample.spec), one.sample.gpu) for one in tried)
    for variant in dict.fromkeys(variant for variant, _ in sorted(counted)):
        lines.append(row((variant, *(counted[variant, gpu] for gpu in arch.gpus))))
    bad = [str(one) for one in tried if one.outcome.verdict is not Verdict.RIGHT]
    return "\n".join([*lines, "", *bad, *([""] if bad else [])])


def _rule_section(rule: Rule, tried: Sequence[_Tried]) -> str:
    # What it refuses alone says most about it.
    own = [one for one in tried if rule.id in one.sample.rules]
    own.sort(key=lambda one: len(one.sample.rules))
    counted = Counter(one.outcome.verdict for one in own)
    text = f"## {rule.id}\n\n{rule.sentence} Without it: {rule.purpose.value}.\n"
    text += f"\nTried against it: {_counts(counted)}.\n"
    shown: dict[Verdict, str] = {}
    for one in own:
        shown.setdefault(one.outcome.verdict, one.told_of(rule))
    return "\n".join([text, *shown.values(), *([""] if shown else [])])


def _how(outcome: Outcome) -> str:
    return outcome.verdict.value + (f": {outcome.why}" if outcome.why else "")
