# SPDX-License-Identifier: MIT
"""Every rule of attention, on both sides of what it allows."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ckarch import GpuSpec
from ckgen.core.rules import Rule
from ckgen.core.target import Target
from ckgen.fmha.rules import FMHA_RULES
from codegen_support import ARCH
from fmha_support import FMHA, fmha
from rule_cases_fmha import CASES, FmhaCase

RULES: dict[str, Rule] = {rule.id: rule for rule in FMHA_RULES}


def case_id(case: FmhaCase) -> str:
    return f"{case.rule}-{case.where.name}-{CASES.index(case)}"


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_a_spec_on_the_allowed_side_is_legal_altogether(case: FmhaCase) -> None:
    verdict = FMHA.judge(case.accepts, case.where)
    assert [str(finding) for finding in verdict.violations] == []


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_a_rule_refuses_what_it_forbids_and_names_the_values(case: FmhaCase) -> None:
    complaint = RULES[case.rule].complaint(case.refuses, case.where)
    assert complaint is not None and case.says in complaint


@pytest.mark.parametrize("case", [case for case in CASES if case.alone], ids=case_id)
def test_no_other_rule_would_have_caught_it(case: FmhaCase) -> None:
    violated = [finding.rule.id for finding in FMHA.judge(case.refuses, case.where).violations]
    assert violated == [case.rule]


def test_every_rule_has_a_case_of_both_sides() -> None:
    assert {case.rule for case in CASES} == set(RULES)


def test_there_are_enough_rules_and_each_has_its_own_id() -> None:
    assert len(RULES) == len(FMHA_RULES) >= 45
    assert all(rule.id.startswith("fmha.") for rule in FMHA_RULES)


@pytest.mark.parametrize("rule", FMHA_RULES, ids=lambda rule: rule.id)
def test_a_rule_is_one_sentence_and_names_fields_of_the_spec(rule: Rule) -> None:
    assert rule.sentence.endswith(".")
    assert rule.fields and all(hasattr(fmha(), field) for field in rule.fields)


@pytest.mark.parametrize("gpu", ARCH.architectures.values(), ids=lambda gpu: gpu.name)
def test_no_rule_knows_a_gpu_by_its_name(gpu: GpuSpec) -> None:
    """A GPU under another name is judged the same."""
    renamed = Target(ARCH, replace(gpu, name="gfx9999"))
    for case in CASES:
        known = [f.rule.id for f in FMHA.judge(case.refuses, Target(ARCH, gpu)).violations]
        assert [f.rule.id for f in FMHA.judge(case.refuses, renamed).violations] == known
