# SPDX-License-Identifier: MIT
"""Validation, correction and expansion are the generator's rules, and nothing is silent."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from ckdispatch.errors import Code, IllegalConfig, InvalidArgument
from ckdispatch.gemm.config import GemmConfig
from ckgen.core.nearest import nearest_legal
from ckgen.core.target import Target
from ckgen.families import FAMILIES
from config_support import BASE_NAME, SPECS, explicit_configs, gemm, gpus, small_configs
from hypothesis import given, settings

settings.register_profile("config", max_examples=60, deadline=None, database=None)
settings.load_profile("config")

GEMM = FAMILIES["gemm"]


def test_a_legal_config_is_reported_legal() -> None:
    report = gemm().validate("gfx942")
    assert report and report.legal and report.violations == () and report.nearest is None
    assert str(report) == f"{BASE_NAME} is legal on gfx942"


def test_every_violated_rule_is_reported_with_its_values_and_a_way_out() -> None:
    config = gemm(tile=[100, 128, 32], scheduler="interwave")
    report = config.validate("gfx942")
    assert not report
    rules = {violation.rule: violation for violation in report.violations}
    assert {"gemm.interwave_only_mem", "gemm.tile_divisible"} <= rules.keys()
    divisible = rules["gemm.tile_divisible"]
    assert divisible.values["tile"] == [100, 128, 32]
    assert divisible.sentence.startswith("The tile must be a multiple")
    assert divisible.complaint.startswith("tile 100x128x32 is not a multiple of 64x64x16")
    assert report.nearest is not None and report.nearest.validate("gfx942")
    assert divisible.nearest["tile"] == list(report.nearest.tile)
    assert str(report).startswith(f"{config.name} is not legal on gfx942: gemm.")
    assert str(report).endswith("tile 128x128x32 and scheduler intrawave")


def test_a_config_far_from_anything_legal_is_told_so() -> None:
    report = gemm(dtype="fp8").validate("gfx1100")
    assert report.nearest is None
    assert str(report).endswith("; no similar kernel is legal on gfx1100")


def test_choices_are_legal_if_one_of_them_is() -> None:
    report = gemm(tile="*", pipeline=["mem", "compv5"]).validate("gfx942")
    assert report and report.kernel_count == 8
    assert report.dropped["gemm.wave_k"] == 12
    assert str(report).startswith("8 kernels are legal on gfx942; gemm.tile_divisible refuses 4")
    one = gemm(pipeline=["compv4", "compv5"]).validate("gfx942")
    assert str(one) == "1 kernel is legal on gfx942; gemm.wave_k refuses 1"
    assert not gemm(pipeline=["compv5"]).validate("gfx942")


def test_a_report_is_json() -> None:
    data = json.loads(json.dumps(gemm(tile=[100, 128, 32]).validate("gfx942").to_json()))
    assert data["legal"] is False and data["nearest"]["tile"] == [128, 128, 32]
    violation = data["violations"][0]
    assert violation.keys() == {"rule", "sentence", "complaint", "values", "nearest"}


@given(explicit_configs, gpus)
def test_a_report_is_the_verdict_of_the_generators_rules(config: GemmConfig, gpu: str) -> None:
    verdict = GEMM.judge(config.spec, Target.of(SPECS, gpu))
    report = config.validate(gpu)
    assert report.legal == verdict.legal
    assert [v.rule for v in report.violations] == [f.rule.id for f in verdict.violations]
    json.dumps(report.to_json())


def test_a_legal_config_needs_no_correction() -> None:
    correction = gemm().autocorrect("gfx942")
    assert correction.config == gemm() and correction.changes == ()
    assert str(correction) == "nothing had to be changed"


def test_a_correction_names_every_change_and_why() -> None:
    correction = gemm(tile=[100, 128, 32], scheduler="interwave").autocorrect("gfx942")
    assert correction.config == gemm()
    tile, scheduler = correction.changes
    assert tuple(tile) == (
        "tile",
        [100, 128, 32],
        [128, 128, 32],
        "gemm.tile_divisible: tile 100x128x32 is not a multiple of 64x64x16, which waves 2x2x1 "
        "with warp tile 32x32x16 cover",
    )
    assert (scheduler.field, scheduler.before, scheduler.after) == (
        "scheduler",
        "interwave",
        "intrawave",
    )
    assert scheduler.why.startswith("gemm.interwave_only_mem: ")
    assert str(correction).startswith(
        "changed tile from [100, 128, 32] to [128, 128, 32], because of gemm.tile_divisible: "
    )
    data = json.loads(json.dumps(correction.to_json()))
    assert data["changes"][1]["after"] == "intrawave" and data["config"]["tile"] == [128, 128, 32]


def test_a_change_of_two_padded_axes_is_one_change_of_a_field() -> None:
    corrections = [
        gemm(layout=layout, tile=[64, 48, 64], pad=pad).autocorrect("gfx942")
        for layout in ("rcr", "crr")
        for pad in ([False] * 3, [True] * 3)
    ]
    for correction in corrections:
        names = [change.field for change in correction.changes]
        assert len(names) == len(set(names)) and set(names) <= set(GemmConfig.field_names())


@given(explicit_configs, gpus)
def test_a_correction_is_the_nearest_legal_choice_and_its_changes_lead_there(
    config: GemmConfig, gpu: str
) -> None:
    nearest = nearest_legal(GEMM, config.spec, Target.of(SPECS, gpu))
    if nearest is None:
        with pytest.raises(IllegalConfig, match=f"no similar kernel is legal on {gpu}$"):
            config.autocorrect(gpu)
        return
    correction = config.autocorrect(gpu)
    assert correction.config.spec == nearest and correction.config.validate(gpu)
    assert bool(correction.changes) == (nearest != config.spec)
    changed = config.replace(
        dtype_a=None, **{change.field: change.after for change in correction.changes}
    )
    assert changed == correction.config
    assert all(change.why.startswith("gemm.") for change in correction.changes)


def test_choices_need_no_correction_while_one_is_legal() -> None:
    config = gemm(pipeline=["compv4", "compv5"])
    assert config.autocorrect("gfx942").config is config


def test_choices_of_which_none_is_legal_cannot_be_corrected() -> None:
    with pytest.raises(
        IllegalConfig, match=r"^GemmConfig: none of its 1 choices is legal on gfx94"
    ):
        gemm(pipeline=["compv5"]).autocorrect("gfx942")


def test_an_explicit_config_expands_to_itself() -> None:
    assert gemm().expand("gfx942") == [gemm()]


def test_wildcards_expand_to_explicit_legal_configs() -> None:
    config = gemm(tile="*", pipeline=["mem", "compv3"], pad="*")
    expanded = config.expand("gfx942")
    assert len(expanded) == len(set(expanded)) > 10
    assert all(each.is_explicit and each.validate("gfx942") for each in expanded)
    assert {each.pipeline for each in expanded} == {"mem", "compv3"}


def test_what_expands_depends_on_the_gpu() -> None:
    config = gemm(waves="*", warp_tile="*")
    for gpu in ("gfx942", "gfx1100"):
        layouts = {tuple(waves) for waves in SPECS.gpu(gpu).wave_layouts}
        assert {tuple(each.waves) for each in config.expand(gpu)} <= layouts


@given(small_configs, gpus)
def test_a_config_expands_exactly_if_it_is_legal(config: GemmConfig, gpu: str) -> None:
    report = config.validate(gpu)
    if report:
        assert len(config.expand(gpu)) == report.kernel_count
    else:
        with pytest.raises(IllegalConfig):
            config.expand(gpu)


def test_an_illegal_config_does_not_expand_and_says_why() -> None:
    with pytest.raises(IllegalConfig) as caught:
        gemm(tile=[100, 128, 32]).expand("gfx942")
    message = str(caught.value)
    assert "is not legal on gfx942: gemm.tile_divisible: tile 100x128x32 is not a mul" in message
    assert message.endswith("; the nearest legal choice is tile 128x128x32")
    assert caught.value.code == Code.INVALID_ARGUMENT


CALLS: list[Callable[[Any], Any]] = [
    lambda arch: gemm().validate(arch),
    lambda arch: gemm().autocorrect(arch),
    lambda arch: gemm().expand(arch),
]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("arch", ["gfx9000", "", None])
def test_an_unknown_gpu_is_refused_with_the_known_ones(
    call: Callable[[Any], Any], arch: Any
) -> None:
    with pytest.raises(
        InvalidArgument, match=f"^there is no GPU {arch!r}; known ones are .*gfx942"
    ):
        call(arch)
