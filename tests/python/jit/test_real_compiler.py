# SPDX-License-Identifier: MIT
"""Real kernels by the real compiler: one cache for all tests, filled once."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from ckabi import KernelLibrary, Status
from ckabi.gemm import gemm_problem
from ckdispatch.jit import BuildResult, Cache, build
from ckdispatch.jit.compiler import find_compiler
from ckdispatch.jit.headers import composable_kernel
from jit_support import GPU, kernels

PAIR = kernels()[0], kernels()[2]
SECOND_GPU = "gfx950"


@pytest.fixture(scope="session", autouse=True)
def environment() -> Iterator[None]:
    """Only what a user would have, and no compiler or headers of another test."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("CKDISPATCH_JIT", "CKDISPATCH_CACHE_SIZE", "CKDISPATCH_HIPCC"):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Cache:
    return Cache(tmp_path_factory.mktemp("shared cache"))


@pytest.fixture(scope="session")
def built(shared: Cache) -> list[BuildResult]:
    """Two kernels, compiled at the same time and therefore without a precompiled header."""
    return build(PAIR, GPU, max_workers=2, cache=shared)


def test_real_kernels_are_built(built: list[BuildResult]) -> None:
    assert [(result.name, result.error) for result in built] == [(spec.name, None) for spec in PAIR]


def test_a_built_library_describes_itself(built: list[BuildResult]) -> None:
    for result, spec in zip(built, PAIR, strict=False):
        described = KernelLibrary.load(result.check()).describe()
        assert described["spec"] == json.loads(json.dumps({**spec.to_json(), "name": spec.name}))
        assert described["targets"] == f"{GPU}:64"


def test_a_built_library_answers_without_a_hip_runtime(built: list[BuildResult]) -> None:
    library = KernelLibrary.load(built[0].check())
    assert library.supports(gemm_problem(64, 64, 64), GPU) == (Status.OK, "")
    status, why = library.supports(gemm_problem(64, 64, 64), "gfx90a")
    assert status is Status.WRONG_GPU and "gfx90a" in why
    assert "libamdhip64" not in Path("/proc/self/maps").read_text()


def test_a_built_library_exports_one_name(built: list[BuildResult]) -> None:
    loaded = ctypes.CDLL(str(built[0].check()))
    assert loaded.ck_kernel_get_api is not None
    with pytest.raises(AttributeError):
        loaded[f"{PAIR[0].name}__full"]


def test_the_second_time_nothing_is_compiled(built: list[BuildResult], shared: Cache) -> None:
    again = build(PAIR, GPU, cache=shared)
    assert all(result.cached for result in again)
    assert [result.sha256 for result in again] == [result.sha256 for result in built]


def test_with_precompiled_headers_and_in_another_folder_the_bytes_are_the_same(
    built: list[BuildResult], tmp_path: Path
) -> None:
    cache = Cache(tmp_path / "another 'folder', with=odd characters")
    # One worker has both to compile, so it precompiles the headers first.
    again = build(PAIR, GPU, max_workers=1, cache=cache)
    assert len(cache.list("precompiled")) == 1
    for result in again:
        assert result.log is not None and "-include-pch" in result.log.read_text()
    assert [result.sha256 for result in again] == [result.sha256 for result in built]


def test_one_library_serves_two_gpus(built: list[BuildResult], shared: Cache) -> None:
    (result,) = build([PAIR[1]], [GPU, SECOND_GPU], max_workers=1, cache=shared)
    library = KernelLibrary.load(result.check())
    assert library.describe()["targets"] == f"{GPU}:64,{SECOND_GPU}:64"
    for gpu in (GPU, SECOND_GPU):
        assert library.supports(gemm_problem(64, 64, 64), gpu)[0] is Status.OK


def test_a_header_that_does_not_compile_is_told_about(
    shared: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, data in composable_kernel(tmp_path / "memos").read().items():
        path = tmp_path / "include" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (tmp_path / "include/ck_tile/ops/gemm/kernel/gemm_kernel.hpp").write_text("#error no luck\n")
    monkeypatch.setenv("CKDISPATCH_CK", str(tmp_path))
    (result,) = build([PAIR[0]], GPU, max_workers=1, cache=shared)
    assert result.error is not None and "ended with exit code 1 (no luck)" in result.error
    assert result.log is not None and "#error no luck" in result.log.read_text()


def test_the_compilers_identity_holds_its_libraries_and_is_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = find_compiler(tmp_path)
    (memo,) = tmp_path.iterdir()
    watched = set(json.loads(memo.read_bytes())["files"])
    assert first.clang in watched and f"{first.device_libs}/ocml.bc" in watched
    assert [path for path in watched if "libLLVM" in path or "libclang" in path] or (
        os.path.getsize(shutil.which(first.clang) or "") > 1 << 24
    )
    monkeypatch.setattr("ckdispatch.jit.compiler.ask", None)
    assert find_compiler(tmp_path) == first
