# SPDX-License-Identifier: MIT
"""What was tried says nothing against the rules, and something for each of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from ckarch import load_specs
from ckgen.core.rules import Purpose
from ckgen.core.target import Target
from ckgen.families import FAMILIES
from ckgen.gemm.rules import GEMM_RULES
from ckgen.gemm.spec import GemmSpec
from ckgen.product.geometry import lds_bytes
from ckgen.product.spec import Pipeline
from cksupport.digests import Digests
from cksupport.gemm.family import FAMILY
from cksupport.gemm.tables import all_tables
from cksupport.results import Results
from cksupport.sample_summary import SampleSummary, known_samples
from cksupport.set_summary import SetSummary, shipped_sets
from cksupport.summary import Summary
from cksupport.verdicts import Verdict

ARCH = load_specs()
EVIDENCE = Path("evidence") / "gemm"
CELLS, SAMPLES, SETS = (
    Results.read(EVIDENCE / f"{name}.json") for name in ("results", "samples", "sets")
)
TRIED = known_samples(FAMILY, SAMPLES, ARCH)
NEEDED = [rule.id for rule in GEMM_RULES if rule.purpose is Purpose.RESULTS]


@pytest.fixture(scope="module")
def digests() -> Digests:
    return Digests(ARCH)


def test_no_kernel_of_the_matrix_is_bad(digests: Digests) -> None:
    assert Summary.of(FAMILY.cells(all_tables(ARCH), ARCH), CELLS, digests).bad == {}


def test_no_kernel_of_a_set_is_bad(digests: Digests) -> None:
    kernels = (kernel for own in shipped_sets(FAMILY, ARCH).values() for kernel in own)
    assert SetSummary.of(kernels, SETS, digests).bad == {}


def test_no_sample_is_bad() -> None:
    summary = SampleSummary.of(TRIED, SAMPLES)
    assert summary.bad == {} and summary.legal[Verdict.RIGHT] > 200


@pytest.mark.parametrize("rule", NEEDED)
def test_a_rule_has_a_case_that_shows_why_it_is_there(rule: str) -> None:
    # That nobody can ask for what a kernel would compute says nothing about what it would be.
    against = [SAMPLES.known[one.key].outcome.verdict for one in TRIED if rule in one.rules]
    assert {*against} - {Verdict.RIGHT, Verdict.NO_PROBLEM}


def test_the_rules_count_the_lds_that_the_compiler_gives() -> None:
    """Of every legal kernel whose use of it was recorded.

    Of arrays that are in no registers the compiler puts some into LDS that is left, which makes
    them faster, and the others into scratch memory.
    """
    counted, given, pipelines = {}, {}, set()
    for results in (CELLS, SAMPLES, SETS):
        for (gpu, name), result in results.known.items():
            spec, target = FAMILIES["gemm"].parse_name(name), Target.of(ARCH, gpu)
            found = result.outcome.resources.get("lds_bytes")
            if found and isinstance(spec, GemmSpec) and FAMILIES["gemm"].is_legal(spec, target):
                needed = lds_bytes(spec, target)
                if result.outcome.resources["scratch_bytes"]:
                    found = min(found, needed)
                counted[gpu, name], given[gpu, name] = needed, found
                pipelines.add(spec.pipeline)
    assert counted == given
    assert pipelines == set(Pipeline)
