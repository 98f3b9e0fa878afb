# SPDX-License-Identifier: MIT
"""The figures of a page: what changed, what is supported, who wins."""

from __future__ import annotations

from pathlib import Path

import pytest
from ckarch import load_specs
from ckdispatch.report.comparison import compare, figures
from ckdispatch.report.document import compose
from ckdispatch.report.manifests import read
from ckdispatch.report.roofs import roofs
from ckdispatch.report.support import NOT_THERE, POSSIBLE, support
from made_up import content, write_set
from report_support import SETS, SPECS


def test_a_comparison_has_each_kernel_of_both_builds_once(tmp_path: Path) -> None:
    before = read(write_set(tmp_path / "then", "few", SPECS[:6])).kernels
    after = read(write_set(tmp_path / "now", "few", SPECS[2:8], salt="new")).kernels
    found = compare(before, after)
    both = {(one.name, gpu) for one in after for gpu in one.uses} & {
        (one.name, gpu) for one in before for gpu in one.uses
    }
    assert len(found.changed) + found.same == len(both)
    assert found.changed
    assert {name for name, _ in found.added} == {one.name for one in after[4:]}
    assert {name for name, _ in found.gone} == {one.name for one in before[:2]}
    old, new = ({one.name: one for one in some} for some in (before, after))
    for one in found.changed:
        was, now = figures(old[one.kernel].uses[one.gpu]), figures(new[one.kernel].uses[one.gpu])
        assert {name: (value, one.after[name]) for name, value in one.before.items()} == {
            name: (was[name], now[name]) for name in was if was[name] != now[name]
        }


def test_the_same_build_has_changed_nothing(tmp_path: Path) -> None:
    kernels = read(write_set(tmp_path, "few", SPECS[:6])).kernels
    found = compare(kernels, kernels)
    assert (found.changed, found.added, found.gone) == ((), (), ())
    assert found.same == found.same_code == sum(len(one.uses) for one in kernels)


def test_support_counts_kernels_and_says_what_a_gpu_has_nothing_for(tmp_path: Path) -> None:
    kernels = read(
        write_set(
            tmp_path, "few", [(spec, ("gfx942",)) for spec, gpus in SPECS if "gfx942" in gpus]
        )
    ).kernels
    found = support(kernels)
    rows = {
        row["name"]: dict(zip(found["gpus"], row["counts"], strict=True))
        for row in (*found["dtypes"], *found["pipelines"])
    }
    assert rows["fp16 x fp16"]["gfx942"] == len(kernels)
    assert rows["fp16 x fp16"]["gfx950"] == POSSIBLE
    known = load_specs()
    without = [
        gpu
        for gpu in known.gpus
        if not known.gpu(gpu).warp_tiles.get("fp8_fp8_fp32")
        and not known.gpu(gpu).preshuffle_warp_tiles.get("fp8_fp8_fp32")
    ]
    assert without
    assert {rows["fp8 x fp8"][gpu] for gpu in without} == {NOT_THERE}
    assert sum(rows[name]["gfx942"] for name in ("mem", "compv3", "compv4")) == len(kernels)


def test_a_roof_is_of_the_figures_of_arch() -> None:
    gpu = load_specs().gpu("gfx942")
    found = roofs(["gfx942", "gfx000"])
    assert list(found) == ["gfx942"]
    assert found["gfx942"]["tflops"] == pytest.approx(
        gpu.matrix_flops_per_cycle * gpu.compute_units * gpu.max_clock_mhz / 1e6
    )


def test_the_winner_of_a_cell_and_its_time_are_those_of_the_pick(tmp_path: Path) -> None:
    made = content([write_set(tmp_path, "few", SPECS[:8])])
    document = compose(made)
    for one, written in zip(made.maps, document["maps"], strict=True):
        each, down, across = (len(values) for _, values in written["axes"])
        assert len(written["picks"]) == each * down * across
        for picked, line in zip(one.picks, written["picks"], strict=True):
            if picked is None:
                assert line is None
            else:
                assert document["kernels"][line[2][0]]["name"] == picked.first.kernel
                assert line[2][1] == pytest.approx(picked.first.microseconds, abs=1e-3)
                assert line[2][3] == "cost_model"


def test_kernels_of_several_sets_are_there_once(tmp_path: Path) -> None:
    paths = [
        write_set(tmp_path, name, SETS[name])
        for name in ("gemm_fp16_rcr_all", "gemm_fp16_rcr_essential")
    ]
    document = compose(content(paths))
    names = [one["name"] for one in document["kernels"]]
    assert len(names) == len(set(names)) == len(SPECS)
    assert [one["name"] for one in document["sets"]] == [
        "gemm_fp16_rcr_all",
        "gemm_fp16_rcr_essential",
    ]
