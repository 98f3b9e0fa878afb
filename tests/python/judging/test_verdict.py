# SPDX-License-Identifier: MIT
"""What picks are worth, against what was computed by hand."""

from __future__ import annotations

import pytest
from ckdispatch.judging.cases import Case, Way, case_of
from ckdispatch.judging.verdict import best_single, judge, judge_random

A, B, C = ("a", 1), ("b", 1), ("c", 1)
FIRST = Case("first", {A: 10.0, B: 20.0, C: 40.0})
SECOND = Case("second", {A: 30.0, B: 15.0, C: 15.0})
CASES = (FIRST, SECOND)


def test_a_case_knows_what_its_ways_are_worth() -> None:
    assert [FIRST.efficiency(way) for way in (A, B, C)] == [100.0, 50.0, 25.0]
    assert [FIRST.faster(way) for way in (A, B, C)] == [0, 1, 2]
    assert FIRST.efficiency(("a", 2)) is None and SECOND.best == 15.0


def test_several_times_of_a_way_are_their_median() -> None:
    case = case_of("x", [(A, 10.0), (B, 7.0), (A, 30.0), (A, 12.0)])
    assert case.measured == {A: 12.0, B: 7.0}


def test_picks_are_judged_by_the_best_time() -> None:
    verdict = judge(CASES, [B, C])
    assert verdict.picks is not None
    efficiency = verdict.picks.efficiency
    assert (verdict.picks.cases, efficiency.mean, efficiency.min) == (2, 75.0, 50.0)
    assert (verdict.picks.top1, verdict.picks.top5) == (50.0, 100.0)
    assert (verdict.rank_correlation, verdict.error) == (None, None)


def test_the_five_fastest_are_counted() -> None:
    ways: list[Way] = [(name, 1) for name in "abcdefgh"]
    case = Case("many", {way: 1.0 + place for place, way in enumerate(ways)})
    shares = []
    for way in ways:
        picks = judge([case], [way]).picks
        assert picks is not None
        shares.append(picks.top5)
    assert shares == [100.0] * 5 + [0.0] * 3


def test_what_has_no_time_is_counted_and_not_judged() -> None:
    verdict = judge(CASES, [("a", 4), None])
    assert (verdict.picks, verdict.unmeasured, verdict.unpicked) == (None, 1, 1)


def test_predictions_are_judged_by_order_and_by_size() -> None:
    predicted = [{A: 5.0, B: 10.0, C: 20.0, ("d", 1): 1.0}, {A: 15.0, B: 7.5}]
    verdict = judge(CASES, [A, A], predicted)
    assert (
        verdict.rank_correlation == verdict.median_rank_correlation == pytest.approx(1.0)
    )  # of the first; the second has too few
    assert verdict.error is not None
    assert verdict.error.times == 5
    assert (verdict.error.median, verdict.error.ratio) == pytest.approx((50.0, 0.5))


def test_the_order_of_times_is_judged_by_its_mean_and_its_median() -> None:
    cases = [Case(name, {A: 1.0, B: 2.0, C: 3.0}) for name in "xyz"]
    right, wrong = {A: 1.0, B: 2.0, C: 3.0}, {A: 3.0, B: 2.0, C: 1.0}
    verdict = judge(cases, [A, A, A], [right, wrong, right])
    assert (verdict.rank_correlation, verdict.median_rank_correlation) == pytest.approx(
        (1 / 3, 1.0)
    )


def test_of_a_case_that_is_not_complete_only_predictions_are_judged() -> None:
    some = Case("some", {A: 10.0, B: 20.0, C: 30.0}, complete=False)
    verdict = judge([some], [A], [{A: 11.0, B: 22.0, C: 33.0}])
    assert (verdict.picks, verdict.unmeasured) == (None, 0)
    assert verdict.error is not None and verdict.error.median == pytest.approx(10.0)
    assert judge_random([some]).picks is None and best_single([some]) is None


def test_chance_is_worth_its_expected_value() -> None:
    verdict = judge_random(CASES)
    assert verdict.picks is not None
    # (100 + 50 + 25) / 3 and (50 + 100 + 100) / 3.
    assert verdict.picks.efficiency.mean == pytest.approx((175 / 3 + 250 / 3) / 2)
    assert verdict.picks.top1 == pytest.approx((100 / 3 + 200 / 3) / 2)
    assert verdict.picks.top5 == pytest.approx(100.0)


def test_the_best_single_way_has_the_best_mean() -> None:
    # a: 100 and 50; b: 50 and 100; c: 25 and 100.
    assert best_single([*CASES, Case("third", {A: 1.0, B: 1.1, C: 9.0})]) == A
    assert best_single([*CASES, Case("third", {A: 1.1, B: 1.0, C: 9.0})]) == B


def test_a_way_that_was_hardly_measured_is_not_the_best_single_one() -> None:
    cases = [Case(str(place), {A: 10.0, B: 11.0}) for place in range(9)]
    assert best_single([*cases, Case("one", {C: 1.0, A: 2.0, B: 2.0})]) == A
