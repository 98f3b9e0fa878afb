# SPDX-License-Identifier: MIT
"""Every GEMM rule, on both sides of what it allows."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ckarch import GpuSpec
from ckgen.core.rules import Rule
from ckgen.core.target import Target
from ckgen.gemm.rules import GEMM_RULES
from codegen_support import ARCH, GEMM, gemm
from rule_case import Case
from rule_cases_product import PRODUCT_CASES
from rule_cases_variants import VARIANT_CASES

RULES: dict[str, Rule] = {rule.id: rule for rule in GEMM_RULES}
CASES = [*PRODUCT_CASES, *VARIANT_CASES]


def case_id(case: Case) -> str:
    return f"{case.rule}-{case.where.name}-{CASES.index(case)}"


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_a_rule_accepts_what_it_allows(case: Case) -> None:
    assert RULES[case.rule].complaint(case.accepts, case.where) is None


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_a_spec_on_the_allowed_side_is_legal_altogether(case: Case) -> None:
    verdict = GEMM.judge(case.accepts, case.where)
    assert [str(finding) for finding in verdict.violations] == []


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_a_rule_refuses_what_it_forbids_and_names_the_values(case: Case) -> None:
    complaint = RULES[case.rule].complaint(case.refuses, case.where)
    assert complaint is not None and case.says in complaint


@pytest.mark.parametrize("case", [case for case in CASES if case.alone], ids=case_id)
def test_no_other_rule_would_have_caught_it(case: Case) -> None:
    violated = [finding.rule.id for finding in GEMM.judge(case.refuses, case.where).violations]
    assert violated == [case.rule]


def test_every_rule_has_a_case_of_both_sides() -> None:
    assert {case.rule for case in CASES} == set(RULES)


def test_rule_ids_are_unique_and_belong_to_the_family() -> None:
    assert len(RULES) == len(GEMM_RULES)
    assert all(rule.id.startswith("gemm.") for rule in GEMM_RULES)


@pytest.mark.parametrize("rule", GEMM_RULES, ids=lambda rule: rule.id)
def test_a_rule_is_one_sentence_and_names_fields_of_the_spec(rule: Rule) -> None:
    assert rule.sentence.endswith(".") and rule.sentence[0].isupper()
    assert rule.fields and all(hasattr(gemm(), field) for field in rule.fields)


@pytest.mark.parametrize("gpu", ARCH.architectures.values(), ids=lambda gpu: gpu.name)
def test_no_rule_knows_a_gpu_by_its_name(gpu: GpuSpec) -> None:
    """A GPU under another name is judged the same."""
    renamed = Target(ARCH, replace(gpu, name="gfx9999"))
    for case in CASES:
        known = [f.rule.id for f in GEMM.judge(case.refuses, Target(ARCH, gpu)).violations]
        assert [f.rule.id for f in GEMM.judge(case.refuses, renamed).violations] == known
