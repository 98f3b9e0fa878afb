# SPDX-License-Identifier: MIT
"""From declarations to kernels, for any family."""

from __future__ import annotations

from typing import Any

from ckgen.core.declaration import parse_declaration
from ckgen.core.expand import Expansion, expand
from ckgen.families import FAMILIES
from codegen_support import ARCH, ENTRY, TOYS, declaration

WAVE_64 = ("gfx908", "gfx90a", "gfx942", "gfx950")
WAVE_32 = ("gfx1100", "gfx1200", "gfx1201")


def expand_toys(*entries: dict[str, Any]) -> Expansion:
    data = {"family": "toy", "kernels": list(entries)}
    return expand(parse_declaration(data, TOYS, ARCH.gpus, "toys.json"), ARCH)


def expand_gemm(*entries: dict[str, Any], **fields: Any) -> Expansion:
    data = declaration(*entries, **fields)
    return expand(parse_declaration(data, FAMILIES, ARCH.gpus, "x.json"), ARCH)


def names(expansion: Expansion) -> list[str]:
    return [kernel.name for kernel in expansion.kernels]


def test_an_explicit_entry_gives_its_kernel_for_the_gpus_it_is_legal_on() -> None:
    (kernel,) = expand_toys({"color": "red", "size": 64}).kernels
    assert kernel.name == "toy_red_64"
    assert kernel.gpus == WAVE_64
    assert kernel.entry == "toys.json, entry 1"


def test_every_other_gpu_has_a_sentence() -> None:
    (kernel,) = expand_toys({"color": "red", "size": 64}).kernels
    assert tuple(kernel.refused) == WAVE_32
    assert set(kernel.refused.values()) == {"toy.small: size 64 is more than 32"}


def test_an_entry_for_some_gpus_is_refused_elsewhere_because_it_says_so() -> None:
    (kernel,) = expand_toys({"color": "red", "gpus": ["gfx942"]}).kernels
    assert kernel.gpus == ("gfx942",)
    assert kernel.refused["gfx950"] == "the declaration means this kernel for gfx942 only"


def test_wildcards_give_every_legal_choice_in_a_fixed_order() -> None:
    expansion = expand_toys({"color": "*", "size": [64, 16]})
    assert names(expansion) == ["toy_red_64", "toy_red_16", "toy_green_64", "toy_green_16"]
    assert expansion.errors == ()
    assert [kernel.gpus == WAVE_64 for kernel in expansion.kernels] == [True, False, True, False]


def test_what_is_dropped_is_counted_by_rule() -> None:
    assert expand_toys({"color": "*", "size": [16, 100]}).dropped == {
        "toy.not_blue": 1,
        "toy.small": 3,
    }


def test_explicit_entries_that_are_legal_nowhere_are_errors() -> None:
    expansion = expand_toys({"color": "blue"}, {"color": "red"}, {"color": "red", "size": 99})
    assert expansion.errors == (
        "toys.json, entry 1: toy_blue_16 is not legal on any of "
        "gfx908, gfx90a, gfx942, gfx950, gfx1100, gfx1200, gfx1201: "
        "toy.not_blue: blue is not allowed; the nearest legal choice is color green",
        "toys.json, entry 3: toy_red_99 is not legal on any of "
        "gfx908, gfx90a, gfx942, gfx950, gfx1100, gfx1200, gfx1201: "
        "toy.small: size 99 is more than 64; the nearest legal choice is size 64",
    )
    assert names(expansion) == ["toy_red_16"]


def test_an_explicit_entry_is_an_error_if_it_is_legal_only_where_it_is_not_meant() -> None:
    (error,) = expand_toys({"color": "red", "size": 64, "gpus": ["gfx1100"]}).errors
    assert error.startswith("toys.json, entry 1: toy_red_64 is not legal on gfx1100: toy.small")


def test_a_wildcard_that_expands_to_nothing_is_an_error() -> None:
    (error,) = expand_toys({"color": ["blue"], "size": "*"}).errors
    assert error == (
        "toys.json, entry 1: none of its 3 choices is legal on any of gfx908, gfx90a, gfx942, "
        "gfx950, gfx1100, gfx1200, gfx1201 (toy.not_blue refuses 3); "
        "allow more choices for the fields that these rules name"
    )


def test_a_kernel_declared_twice_is_an_error_that_names_both_entries() -> None:
    expansion = expand_toys({"color": "red"}, {"color": "green"}, {"color": "red"})
    assert expansion.errors == (
        "toys.json, entry 3: declares toy_red_16, which toys.json, entry 1 already declares; "
        "remove one of them",
    )
    assert names(expansion) == ["toy_red_16", "toy_green_16"]


def test_a_kernel_that_a_wildcard_repeats_is_an_error_too() -> None:
    (error,) = expand_toys({"color": "red"}, {"color": "*"}).errors
    assert error.startswith("toys.json, entry 2: declares toy_red_16, which toys.json, entry 1")


def test_wildcards_that_overlap_are_merged() -> None:
    expansion = expand_toys(
        {"color": ["red"], "gpus": ["gfx950"]}, {"color": "*", "gpus": ["gfx942", "gfx1100"]}
    )
    assert names(expansion) == ["toy_red_16", "toy_green_16"]
    assert expansion.kernels[0].gpus == ("gfx942", "gfx950", "gfx1100")
    assert "gfx942" not in expansion.kernels[0].refused
    assert set(expansion.kernels[0].gpus) | set(expansion.kernels[0].refused) == set(ARCH.gpus)


def test_errors_in_entries_are_passed_on() -> None:
    expansion = expand_toys({"color": "pink"}, {"color": "red"})
    assert expansion.errors == (
        "toys.json, entry 1, field 'color': expected one of red, green, blue, not \"pink\"",
    )
    assert names(expansion) == ["toy_red_16"]


def test_gemm_wildcards_follow_the_dtype_of_the_entry() -> None:
    expansion = expand_gemm({**ENTRY, "warp_tile": "*", "gpus": ["gfx942"]}, dtype="int8")
    ends = {kernel.name.rsplit("_", 1)[1] for kernel in expansion.kernels}
    assert ends == {"32x32x16", "16x16x32"}


def test_expanding_twice_gives_the_same_kernels_in_the_same_order() -> None:
    entry = {**ENTRY, "tile": "*", "warp_tile": "*", "pipeline": "*"}
    assert expand_gemm(entry) == expand_gemm(entry)
