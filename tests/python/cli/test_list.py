# SPDX-License-Identifier: MIT
"""``list`` shows kernels and what their code uses, and finds them wherever they are said to be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ckdispatch import Registry
from cli_support import ESSENTIAL, PADDED, VARIANTS, ckdispatch, manifest

TITLES = "kernel GPU variant tile waves warp_tile pipeline pads VGPRs LDS spills waves/SIMD".split()


def names(*words: str | Path) -> list[str]:
    return [kernel["name"] for kernel in ckdispatch("list", *words, "--json").document["kernels"]]


def test_the_table_has_a_row_for_each_kernel() -> None:
    ended = ckdispatch("list", *ESSENTIAL)
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert lines[0].replace("warp tile", "warp_tile").split() == TITLES
    (row,) = (line.split() for line in lines if line.startswith(PADDED))
    assert row[1:8] == ["gfx942", "standard", "64x64x64", "2x2x1", "32x32x16", "compv3", "mnk"]
    assert all(figure.isdigit() for figure in row[8:])


def test_columns_are_aligned() -> None:
    lines = ckdispatch("list", *ESSENTIAL).out.split("\n\n")[0].splitlines()
    ends = {len(line) for line in lines}
    assert len(ends) == 1, "the last column is of numbers and ends at one place"
    assert len({line.index("gfx942") for line in lines[1:]}) == 1


def test_the_figures_are_those_of_the_manifest() -> None:
    recorded = {
        kernel["name"]: kernel["summary"]["gfx942"]
        for kernel in json.loads(manifest("test_gemm_variants").read_text())["kernels"]
    }
    listed = ckdispatch("list", *VARIANTS, "--json").document["kernels"]
    assert {kernel["name"] for kernel in listed} == set(recorded)
    for kernel in listed:
        used, said = kernel["resources"]["gfx942"], recorded[kernel["name"]]
        for name in ("vgprs", "lds_bytes", "vgpr_spills", "waves_per_simd"):
            assert used[name] == said[name], (kernel["name"], name)


def test_statistics_count_kinds() -> None:
    ended = ckdispatch("list", *VARIANTS)
    assert ended.columns["kernels"] == "6"
    assert ended.columns["by layout"] == "1 ccr, 1 crr, 2 rcr, 2 rrr"
    assert ended.columns["by pipeline"] == "4 compv3, 1 compv4, 1 compv6"
    assert ended.columns["by GPU"] == "6 gfx942"
    counted = ckdispatch("list", *VARIANTS, "--json").document["statistics"]
    assert counted["kernels"] == 6 and counted["fields"]["layout"]["rrr"] == 2


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (("--layout", "rrr"), 2),
        (("--pipeline", "compv6"), 1),
        (("--pipeline", "compv3", "--layout", "ccr"), 1),
        (("--dtype", "fp16"), 6),
        (("--gpu", "gfx942"), 6),
    ],
)
def test_filters_choose(words: tuple[str, ...], count: int) -> None:
    assert len(names(*VARIANTS, *words)) == count


def test_nothing_that_matches_is_an_exit_code_and_says_what_there_is() -> None:
    ended = ckdispatch("list", *VARIANTS, "--pipeline", "compv9", "--gpu", "gfx950")
    assert (ended.code, ended.out) == (3, "")
    assert ended.err == (
        "ckdispatch: none of the 6 kernels has pipeline compv9 and gpu gfx950; they have pipeline "
        "compv3 or compv4 or compv6, gpu gfx942.\n"
    )


def test_several_sources_are_taken_together_and_each_kernel_once() -> None:
    path = manifest("gemm_fp16_rcr_essential")
    both = names(*ESSENTIAL, *VARIANTS)
    assert len(both) == len(names(*ESSENTIAL)) + 6
    assert names(*ESSENTIAL, "--kernels", path) == names(*ESSENTIAL)


def test_a_manifest_is_found_from_the_callers_folder() -> None:
    path = manifest("test_gemm_variants")
    ended = ckdispatch("list", "--kernels", path.name, "--json", cwd=path.parent)
    assert len(ended.document["kernels"]) == 6


def test_a_single_library_will_do() -> None:
    library = manifest("gemm_fp16_rcr_essential").with_name(f"lib{PADDED}.so")
    (kernel,) = ckdispatch("list", "--kernels", library, "--json").document["kernels"]
    assert kernel["name"] == PADDED
    assert kernel["resources"]["gfx942"]["workgroup_size"] == 256


def test_an_empty_list_is_nothing_found(tmp_path: Path) -> None:
    document = json.dumps(Registry(name="empty").to_json())
    (tmp_path / "empty.json").write_text(document)
    ended = ckdispatch("list", "--kernels", tmp_path / "empty.json")
    assert (ended.code, ended.out) == (3, "")
    assert ended.err == "ckdispatch: there is no kernel in empty.json.\n"
