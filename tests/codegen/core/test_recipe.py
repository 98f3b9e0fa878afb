# SPDX-License-Identifier: MIT
"""The recipe: its steps, what their placeholders stand for, and the flags of each GPU."""

from __future__ import annotations

from pathlib import Path

import pytest
from ckgen.core.recipe import Step, load_recipe, wave_sizes
from codegen_support import ARCH

RECIPE = load_recipe()
GPUS = [ARCH.gpu("gfx942"), ARCH.gpu("gfx1100")]


def arguments(*elements: object, **values: list[str]) -> tuple[str, ...]:
    return Step("clang++", (), (), elements).arguments(values)


def test_a_word_stands_once_for_each_value_of_its_placeholder() -> None:
    assert arguments("-c", "-I{dirs}=.", dirs=["a", "b c"]) == ("-c", "-Ia=.", "-Ib c=.")
    assert arguments("-I{dirs}", dirs=[]) == ()


def test_words_that_belong_together_are_repeated_together() -> None:
    assert arguments(["-Xclang", "-p", "{files}"], files=["a", "b"]) == (
        "-Xclang",
        "-p",
        "a",
        "-Xclang",
        "-p",
        "b",
    )
    assert arguments(["-Xclang", "-emit-pch"]) == ("-Xclang", "-emit-pch")


def test_joined_words_become_one() -> None:
    element = {"format": '-D="%s"', "joined": ["host-{triple}", "gpu--{gpus}"]}
    assert arguments(element, triple=["x"], gpus=["a", "b"]) == ('-D="host-x,gpu--a,gpu--b"',)


def test_a_placeholder_without_values_is_an_error() -> None:
    with pytest.raises(KeyError, match="sauce"):
        arguments("{sauce}", source=["x.cpp"])


def test_a_part_is_spliced_into_the_parts_and_steps_behind_it(tmp_path: Path) -> None:
    step = {"tool": "t", "inputs": [], "outputs": [], "arguments": ["@b", "-z"]}
    data = {
        "parts": {"a": ["-x"], "b": ["@a", "-y"]},
        "steps": {"s": step},
        "search": {},
        "by_gpu": {},
    }
    (tmp_path / "recipe.bzl").write_text(f'"""A recipe."""\n\n# A comment.\nRECIPE = {data!r}\n')
    assert load_recipe(tmp_path / "recipe.bzl").steps["s"].arguments({}) == ("-x", "-y", "-z")


def words(step: Step) -> list[str]:
    """Every word of a step, also of those that belong together or are joined."""
    found: list[str] = []
    for element in step.elements:
        found += (
            [element]
            if isinstance(element, str)
            else element["joined"]
            if isinstance(element, dict)
            else element
        )
    return found


@pytest.mark.parametrize("name", RECIPE.steps)
def test_a_step_names_its_files_in_its_arguments(name: str) -> None:
    step = RECIPE.steps[name]
    for file in (*step.inputs, *step.outputs):
        assert any(f"{{{file}}}" in word for word in words(step)), file


@pytest.mark.parametrize("name", RECIPE.steps)
def test_a_placeholder_stands_alone_and_in_the_last_word(name: str) -> None:
    for element in RECIPE.steps[name].elements:
        if isinstance(element, list):
            assert not any("{" in word for word in element[:-1])
    assert all(
        word.count("{") == word.count("}") <= 1 and "%" not in word
        for word in words(RECIPE.steps[name])
    )


def test_kernels_are_optimized_and_free_of_assertions() -> None:
    assert {"-O3", "-DNDEBUG"} <= set(RECIPE.parts["common"])


def test_code_objects_of_all_builds_have_the_same_flags() -> None:
    flags = (*RECIPE.parts["common"], *RECIPE.parts["device"])
    for name in ("precompile", "device", "kernel_of_many"):
        assert [word for word in words(RECIPE.steps[name]) if word in flags] == list(flags)
        assert {"-fuse-cuid=none", "-ffile-prefix-map={include_dirs}=.", "{gpu_flags}"} <= set(
            words(RECIPE.steps[name])
        )


def test_a_combined_library_is_linked_with_neither_the_hip_runtime_nor_what_it_does_not_use() -> (
    None
):
    assert {"-no-hip-rt", "-Wl,--as-needed"} <= set(words(RECIPE.steps["link_of_many"]))


def test_a_library_is_told_of_its_gpus_with_their_wave_sizes() -> None:
    assert wave_sizes(GPUS) == ["gfx942:64", "gfx1100:32"]


def test_the_flags_of_a_device_pass_are_those_of_all_and_of_its_gpu() -> None:
    old, new = ARCH.gpu("gfx90a"), ARCH.gpu("gfx942")
    shared, own = (*RECIPE.parts["common"], *RECIPE.parts["device"]), RECIPE.by_gpu["fp8_emulated"]
    assert RECIPE.for_device_pass(old) == (*shared, *own, "--offload-arch=gfx90a")
    assert RECIPE.for_device_pass(new) == (*shared, "--offload-arch=gfx942")


def test_several_gpus_have_the_flags_of_some_once() -> None:
    own = RECIPE.by_gpu["fp8_emulated"]
    gpus = [ARCH.gpu(name) for name in ("gfx908", "gfx90a", "gfx942")]
    assert RECIPE.gpu_flags(gpus) == list(own)
    assert RECIPE.gpu_flags(gpus[2:]) == []


@pytest.mark.parametrize(
    ("flag", "gpus"),
    [("-disable-machine-sink", ["gfx1100", "gfx1200", "gfx1201"]), ("-real-true16", ["gfx1100"])],
)
def test_flags_against_faults_of_the_compiler_are_for_the_gpus_that_have_them(
    flag: str, gpus: list[str]
) -> None:
    assert [
        gpu.name for gpu in ARCH.architectures.values() if flag in RECIPE.for_device_pass(gpu)
    ] == gpus
