# SPDX-License-Identifier: MIT
"""Verdicts over any family's rules."""

from __future__ import annotations

from ckgen.core.rules import Purpose, Rule, Rules, first_violation
from ckgen.core.target import Target
from codegen_support import TOY, Color, ToySpec, target


def test_a_verdict_lists_every_rule_in_order() -> None:
    verdict = TOY.judge(ToySpec(Color.BLUE, 100), target())
    assert [str(finding) for finding in verdict.findings] == [
        "toy.small: size 100 is more than 64",
        "toy.not_blue: blue is not allowed",
    ]
    assert verdict.violations == verdict.findings
    assert not verdict.legal


def test_a_spec_that_satisfies_every_rule_is_legal() -> None:
    verdict = TOY.judge(ToySpec(Color.RED, 64), target())
    assert verdict.legal
    assert [str(finding) for finding in verdict.findings] == [
        "toy.small: satisfied",
        "toy.not_blue: satisfied",
    ]


def test_the_first_violation_comes_in_the_order_of_the_rules() -> None:
    finding = first_violation(TOY.rules, ToySpec(Color.BLUE, 100), target())
    assert finding is not None and finding.rule.id == "toy.small"
    assert first_violation(TOY.rules, ToySpec(Color.RED, 1), target()) is None


def test_the_same_spec_is_judged_for_each_gpu_on_its_own() -> None:
    spec = ToySpec(Color.RED, 64)
    assert TOY.is_legal(spec, target("gfx942"))
    assert not TOY.is_legal(spec, target("gfx1100"))


def test_what_the_arch_table_does_not_know_is_a_complaint_not_a_crash() -> None:
    def asks_for_nonsense(spec: ToySpec, where: Target) -> str | None:
        return where.arch.dtype("fp1024").name

    rule = Rule("toy.nonsense", "Asks for nonsense.", (), asks_for_nonsense)
    complaint = rule.complaint(ToySpec(Color.RED, 1), target())
    assert complaint is not None and complaint.startswith("unknown dtype 'fp1024'")


def test_rules_are_listed_in_the_order_of_their_checks_and_called_after_them() -> None:
    rules = Rules("toy")

    @rules.rule("A toy must be red.", ("color",), Purpose.SPEED)
    def red(spec: ToySpec, where: Target) -> str | None:
        return None if spec.color is Color.RED else f"{spec.color} was asked for"

    @rules.rule("A toy must have a size.", ("size",))
    def sized(spec: ToySpec, where: Target) -> str | None:
        return None if spec.size else "it has none"

    assert rules == [
        Rule("toy.red", "A toy must be red.", ("color",), red, Purpose.SPEED),
        Rule("toy.sized", "A toy must have a size.", ("size",), sized),
    ]
    assert (
        str(first_violation(rules, ToySpec(Color.BLUE, 0), target()))
        == "toy.red: blue was asked for"
    )
