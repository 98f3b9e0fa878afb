# SPDX-License-Identifier: MIT
"""What kernels drawn at random have shown about the rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, cast

from ckarch import ArchSpecs
from ckgen.core.rules import Rule
from ckgen.core.target import Target
from ckgen.families import FAMILIES
from ckgen.gemm.rules import GEMM_RULES
from ckgen.gemm.spec import GemmSpec

from cksupport.results import Results
from cksupport.samples import Sample, broken_rules
from cksupport.verdicts import Outcome, Verdict

_HEAD = """\
# What random kernels showed

Kernels drawn at random over variants, dtypes, layouts, pipelines, tiles and GPUs, compiled and run
on the simulator as those of the [support matrix](gemm.md) are. Legal ones must be right. Illegal
ones, a field away from legal ones and refused by a single rule, show what the rule is for. Which
is which is what the rules say now, the outcomes are in [gemm_samples.json](gemm_samples.json), and
nobody writes in this page:

    ./bazelw run //tools/support:gemm -- samples --count 200            # legal ones
    ./bazelw run //tools/support:gemm -- samples --count 200 --border   # illegal ones
    ./bazelw run //tools/support:gemm -- render                         # writes this page
"""


@dataclass(frozen=True)
class SampleSummary:
    """How samples ended, and those that ended as they should not."""

    legal: Counter[Verdict] = field(default_factory=Counter)
    illegal: dict[str, Counter[Verdict]] = field(default_factory=dict)
    bad: dict[str, str] = field(default_factory=dict)
    untested: int = 0

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
            counted = illegal.setdefault(sample.rule, Counter()) if sample.rule else legal
            counted[outcome.verdict] += 1
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
        refused = sum(self.illegal.values(), Counter())
        lines = [
            f"{self.legal.total()} legal kernels: {_counts(self.legal)}",
            f"{refused.total()} illegal kernels, of {len(self.illegal)} rules: {_counts(refused)}",
            f"{self.untested} untested",
        ]
        return "\n".join(lines + [f"  {kernel}: {why}" for kernel, why in self.bad.items()])


def samples_page(results: Results, arch: ArchSpecs) -> str:
    """The page of all samples of a file, as Markdown."""
    tried = [(sample, results.known[sample.key].outcome) for sample in _known(results, arch)]
    legal = [(sample, outcome) for sample, outcome in tried if not sample.rule]
    return "\n".join(
        [_HEAD, _legal_table(legal, arch), *(_rule_section(rule, tried) for rule in GEMM_RULES)]
    )


def _known(results: Results, arch: ArchSpecs) -> Iterable[Sample]:
    """The samples of a file, with the first rule that refuses each."""
    for gpu, name in sorted(results.known):
        spec = cast(GemmSpec, FAMILIES["gemm"].parse_name(name))
        broken = broken_rules(spec, Target.of(arch, gpu))
        yield Sample(gpu, spec, broken[0] if broken else "")


def _counts(counted: Counter[Verdict]) -> str:
    return ", ".join(f"{count} {verdict.value}" for verdict, count in counted.items()) or "none"


def _legal_table(tried: list[tuple[Sample, Outcome]], arch: ArchSpecs) -> str:
    right = sum(outcome.verdict is Verdict.RIGHT for _, outcome in tried)
    lines = [f"## Legal kernels\n\n{len(tried)} were tried, {right} were right.\n"]
    lines.append(f"| variant | {' | '.join(arch.gpus)} |")
    lines.append("| --- " * (len(arch.gpus) + 1) + "|")
    counted = Counter((str(sample.spec.variant), sample.gpu) for sample, _ in tried)
    for variant in dict.fromkeys(variant for variant, _ in sorted(counted)):
        cells = (str(counted[variant, gpu]) for gpu in arch.gpus)
        lines.append(f"| {variant} | {' | '.join(cells)} |")
    bad = [_line(*one) for one in tried if one[1].verdict is not Verdict.RIGHT]
    return "\n".join([*lines, "", *bad, *([""] if bad else [])])


def _rule_section(rule: Rule, tried: list[tuple[Sample, Outcome]]) -> str:
    own = [(sample, outcome) for sample, outcome in tried if sample.rule == rule.id]
    counted = Counter(outcome.verdict for _, outcome in own)
    text = f"## {rule.id}\n\n{rule.sentence} Without it: {rule.purpose.value}.\n"
    text += f"\nTried against it: {_counts(counted)}.\n"
    shown: dict[Verdict, str] = {}
    for sample, outcome in own:
        shown.setdefault(outcome.verdict, _line(sample, outcome))
    return "\n".join([text, *shown.values(), *([""] if shown else [])])


def _line(sample: Sample, outcome: Outcome) -> str:
    return f"- `{sample.spec.name}` on {sample.gpu} is {_how(outcome)}"


def _how(outcome: Outcome) -> str:
    return outcome.verdict.value + (f": {outcome.why}" if outcome.why else "")
