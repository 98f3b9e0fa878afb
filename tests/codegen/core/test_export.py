# SPDX-License-Identifier: MIT
"""The text of build files for people without Bazel."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from ckgen.core.errors import RenderError
from ckgen.core.export.plan import BuildPlan, make_plan, write_shared_files
from ckgen.core.export.systems import SYSTEMS, cmake_word, make_word, ninja_word
from codegen_support import ARCH, GEMM

NAMES = ("kernel_a", "kernel_b", "kernel_c")
HOSTILE = ("a b", "$(touch x)", "#", '"', "'", "\\", ";", "`id`", "${HOME}", "%", "é")


@pytest.fixture(name="plan")
def _plan() -> BuildPlan:
    both, one = ("gfx942", "gfx950"), ("gfx942",)
    return make_plan(list(zip(NAMES, (both, one, both), strict=False)), ARCH)


def test_kernels_for_the_same_gpus_share_their_flags(plan: BuildPlan) -> None:
    assert [unit.group for unit in plan.units] == [0, 1, 0]
    assert [group["gpus"] for group in plan.groups] == [("gfx942", "gfx950"), ("gfx942",)]


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_kernel_has_its_line_and_its_object(system: str, plan: BuildPlan) -> None:
    text = SYSTEMS[system].render(plan)
    for number, name in enumerate(NAMES, start=1):
        assert name in text
        assert f"{number}" in text
    assert "libck_kernels.so" in text
    assert "/3] Building kernel: " in text


def test_make_says_which_kernel_it_builds(plan: BuildPlan) -> None:
    text = SYSTEMS["makefile"].render(plan)
    assert re.findall(r'@echo "(\[.*)"', text) == [
        "[1/3] Building kernel: kernel_a",
        "[2/3] Building kernel: kernel_b",
        "[3/3] Building kernel: kernel_c",
    ]


def test_the_table_lists_every_kernel_once(plan: BuildPlan, tmp_path: Path) -> None:
    write_shared_files(plan, {}, tmp_path)
    text = (tmp_path / "all_kernels.cpp").read_text(encoding="utf-8")
    for name in NAMES:
        assert text.count(f"const ck_kernel_api* ck_kernel_get_api__{name}(void);") == 1
        assert text.count(f"    ck_kernel_get_api__{name}(),\n") == 1
    assert "const ck_kernel_api* const* ck_kernel_list(size_t* count)" in text


def test_headers_are_copied_so_that_the_folder_is_complete(plan: BuildPlan, tmp_path: Path) -> None:
    write_shared_files(plan, GEMM.headers, tmp_path)
    include = tmp_path / "include"
    copied = {path.relative_to(include).as_posix() for path in include.rglob("*.*")}
    assert copied == set(GEMM.headers)
    assert {"ck_kernel_abi.h", "ck_kernel/plan/gemm/product.hpp"} <= copied


def test_included_headers_of_the_project_are_all_copied() -> None:
    included = {
        name
        for path in GEMM.headers.values()
        for name in re.findall(r'#include "([^"]+)"', path.read_text(encoding="utf-8"))
        if not name.startswith("ck_tile/")
    }
    assert included <= set(GEMM.headers)


def test_make_passes_hostile_words_on_unchanged(tmp_path: Path) -> None:
    make = shutil.which("make")
    if make is None:
        pytest.skip("make is not installed")
    words = " ".join(map(make_word, HOSTILE))
    (tmp_path / "Makefile").write_text(
        f"WORDS := {words}\nall:\n\t@printf '%s\\n' $(WORDS)\n", encoding="utf-8"
    )
    done = subprocess.run([make, "-s"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == list(HOSTILE)


def test_ninja_passes_hostile_words_on_unchanged(tmp_path: Path) -> None:
    tool = shutil.which("ninja")
    if tool is None:
        pytest.skip("ninja is not installed")
    words = " ".join(map(ninja_word, HOSTILE))
    (tmp_path / "build.ninja").write_text(
        f"words = {words}\nrule r\n  command = printf '%s\\n' $words > $out\nbuild out: r\n",
        encoding="utf-8",
    )
    subprocess.run([tool], cwd=tmp_path, capture_output=True, check=True)
    assert (tmp_path / "out").read_text(encoding="utf-8").splitlines() == list(HOSTILE)


def test_cmake_passes_hostile_words_on_unchanged(tmp_path: Path) -> None:
    tool = shutil.which("cmake")
    if tool is None:
        pytest.skip("cmake is not installed")
    hostile = [word for word in HOSTILE if word not in ("\\", ";")]
    words = " ".join(map(cmake_word, hostile))
    (tmp_path / "x.cmake").write_text(
        f'set(WORDS {words})\nexecute_process(COMMAND printf "%s\\\\n" ${{WORDS}})\n',
        encoding="utf-8",
    )
    done = subprocess.run(
        [tool, "-P", "x.cmake"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == hostile


@pytest.mark.parametrize("word", ["a\\", "a;b"])
def test_words_that_a_cmake_list_would_change_are_refused(word: str) -> None:
    with pytest.raises(RenderError, match="cannot be an element of a CMake list"):
        cmake_word(word)


def test_shell_words_survive_the_shell() -> None:
    plain = " ".join(map(make_word, HOSTILE)).replace("$$", "$").replace("\\#", "#")
    assert tuple(shlex.split(plain)) == HOSTILE
