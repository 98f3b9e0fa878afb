# SPDX-License-Identifier: MIT
"""What ``build`` promises about results and errors, with a compiler that takes no time."""

from __future__ import annotations

import copy
import hashlib
import os
import pickle
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from ckdispatch.errors import BuildFailed, IllegalConfig, InvalidArgument, JitForbidden, NotFound
from ckdispatch.jit import Cache, build
from ckgen.gemm.spec import GemmSpec
from jit_support import GPU, FakeCompiler, build_in, content, in_child, kernels, leftovers


def test_results_come_in_the_order_of_the_specs(compiler: FakeCompiler, cache: Cache) -> None:
    wanted = (kernels()[3], kernels()[0], kernels()[2], kernels()[1])
    results = build_in(cache, *wanted)
    assert [result.name for result in results] == [spec.name for spec in wanted]
    assert all(result.ok and not result.cached for result in results)


def test_a_result_names_the_library_and_its_hash(compiler: FakeCompiler, cache: Cache) -> None:
    (result,) = build_in(cache, kernels()[0])
    library = result.check()
    assert library.name == f"lib{kernels()[0].name}.so"
    assert result.sha256 == hashlib.sha256(library.read_bytes()).hexdigest()
    assert kernels()[0].name.encode() in library.read_bytes()
    assert result.log is not None and "--cuda-device-only" in result.log.read_text()


def test_the_second_build_compiles_nothing(compiler: FakeCompiler, cache: Cache) -> None:
    (first,) = build_in(cache, kernels()[0])
    compiler.forget_calls()
    (second,) = build_in(cache, kernels()[0])
    assert (first.cached, second.cached) == (False, True)
    assert second.library == first.library and second.sha256 == first.sha256
    assert compiler.calls("device") == []


_STEPS = [f"compiling for {GPU}", "bundling the code objects", "compiling the host side", "linking"]


def test_a_result_tells_what_each_step_took(compiler: FakeCompiler, cache: Cache) -> None:
    compiler.hook(
        "[ $step != host ] || { sleep 0.1; "
        "head -c 200000000 /dev/zero | tail -c 199999999 >/dev/null; }\n"
    )
    (first,) = build_in(cache, kernels()[0])
    assert [step.name for step in first.steps] == _STEPS
    assert first.steps[2].seconds > 0.1
    assert sum(step.seconds for step in first.steps) <= first.seconds
    # That of tail, which keeps what it may have to print: children count.
    assert first.steps[2].memory > 180_000_000 > first.steps[3].memory > 0
    assert all(step.processor_seconds > 0 for step in first.steps)
    (second,) = build_in(cache, kernels()[0])
    assert second.cached and second.steps == ()


def test_a_failure_tells_what_its_steps_took(compiler: FakeCompiler, cache: Cache) -> None:
    compiler.hook("[ $step != host ] || exit 1\n")
    (result,) = build_in(cache, kernels()[0])
    assert not result.ok and [step.name for step in result.steps] == _STEPS[:3]


def test_a_spec_that_comes_twice_is_compiled_once(compiler: FakeCompiler, cache: Cache) -> None:
    first, second = kernels()[:2]
    results = build_in(cache, first, second, first, first)
    assert [result.name for result in results] == [first.name, second.name, first.name, first.name]
    assert sorted(compiler.calls("device")) == sorted([f"{first.name}.cpp", f"{second.name}.cpp"])


def test_nothing_to_build_is_no_error(compiler: FakeCompiler, cache: Cache) -> None:
    assert build([], GPU, cache=cache) == []


def test_one_failure_does_not_lose_the_others(compiler: FakeCompiler, cache: Cache) -> None:
    bad = kernels()[1]
    compiler.hook(
        f"case $source in {bad.name}.cpp) echo 'k.cpp:3:1: error: no luck' >&2; exit 3;; esac\n"
    )
    results = build_in(cache, *kernels()[:4])
    assert [result.ok for result in results] == [True, False, True, True]
    failed = results[1]
    assert failed.library is None and failed.log is not None
    assert failed.error == (
        f"{bad.name} could not be built: compiling for {GPU}: clang++ ended with exit code 3 "
        f"(no luck); the compiler's log is {failed.log}."
    )
    assert failed.log.parent == cache.layout.logs and "no luck" in failed.log.read_text()
    with pytest.raises(BuildFailed, match="no luck"):
        failed.check()
    assert leftovers(cache) == [] or all(name.startswith("leases/") for name in leftovers(cache))


def test_what_failed_is_compiled_again_the_next_time(compiler: FakeCompiler, cache: Cache) -> None:
    compiler.hook("exit 1\n")
    assert not build_in(cache, kernels()[0])[0].ok
    compiler.unhook()
    assert build_in(cache, kernels()[0])[0].ok


@pytest.mark.parametrize("step", ["device", "bundle", "host", "link"])
def test_a_compiler_that_dies_is_told_about(
    compiler: FakeCompiler, cache: Cache, step: str
) -> None:
    compiler.hook(f"[ $step != {step} ] || kill -SEGV $$\n")
    (result,) = build_in(cache, kernels()[0])
    assert result.error is not None and "was killed by signal 11" in result.error


@pytest.mark.parametrize(
    ("garbage", "complaint"),
    [
        (": >$output", "is no library that exports ck_kernel_get_api"),
        ("head -c 3000 $home/library >$output", "is no library that exports ck_kernel_get_api"),
        ("echo nonsense >$output", "is no library that exports ck_kernel_get_api"),
        ("cat $home/library >$output", "does not hold the kernel"),
    ],
)
def test_garbage_that_the_compiler_calls_a_success_is_refused(
    compiler: FakeCompiler, cache: Cache, garbage: str, complaint: str
) -> None:
    compiler.hook(f"if [ $step = link ]; then {garbage}; exit 0; fi\n")
    (result,) = build_in(cache, kernels()[0])
    assert not result.ok and complaint in str(result.error)
    assert cache.list("kernels") == []


def test_a_missing_output_is_an_error(compiler: FakeCompiler, cache: Cache) -> None:
    compiler.hook("[ $step != link ] || exit 0\n")
    (result,) = build_in(cache, kernels()[0])
    assert not result.ok and "No such file" in str(result.error)


def test_an_illegal_kernel_gets_its_rule_and_is_not_compiled(
    compiler: FakeCompiler, cache: Cache
) -> None:
    legal = cast(GemmSpec, kernels()[0])
    illegal = replace(legal, tile=legal.tile._replace(m=48))
    good, bad = build_in(cache, kernels()[0], illegal)
    assert good.ok and not bad.ok
    assert str(bad.error).startswith(f"{illegal.name} cannot be built for {GPU}:")
    assert "the nearest legal choice is" in str(bad.error)
    with pytest.raises(IllegalConfig):
        bad.check()
    assert compiler.calls("device") == [f"{kernels()[0].name}.cpp"]


def test_several_gpus_make_one_library(compiler: FakeCompiler, cache: Cache) -> None:
    (one,) = build([kernels()[0]], "gfx950, gfx942", cache=cache)
    (two,) = build([kernels()[0]], ["gfx942", "gfx950"], cache=cache)
    assert one.ok and two.cached and one.library == two.library
    assert len(compiler.calls("device")) == 2 and len(compiler.calls("link")) == 1


@pytest.mark.parametrize(
    ("gpus", "sentence"),
    [
        ("", "build was given no GPU; name at least one, such as gfx942."),
        ([], "build was given no GPU; name at least one, such as gfx942."),
        ("gfx1", "kernels cannot be built for that GPU: "),
    ],
)
def test_gpus_that_make_no_sense_are_refused(
    compiler: FakeCompiler, cache: Cache, gpus: str, sentence: str
) -> None:
    with pytest.raises(InvalidArgument) as raised:
        build([kernels()[0]], gpus, cache=cache)
    assert str(raised.value).startswith(sentence)


@pytest.mark.parametrize("workers", [0, -1, True, 1.5])
def test_a_number_of_workers_that_makes_no_sense_is_refused(
    compiler: FakeCompiler, cache: Cache, workers: int
) -> None:
    with pytest.raises(
        InvalidArgument, match=r"max_workers is .*; it must be at least 1, or None."
    ):
        build([kernels()[0]], GPU, max_workers=workers, cache=cache)


def test_only_specs_are_built(compiler: FakeCompiler, cache: Cache) -> None:
    with pytest.raises(InvalidArgument, match="build takes kernel specs, not str"):
        build([kernels()[0].name], GPU, cache=cache)  # type: ignore[list-item]  # what is refused


def test_jit_0_returns_what_is_cached_and_compiles_nothing(
    compiler: FakeCompiler, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_in(cache, kernels()[0])
    compiler.forget_calls()
    monkeypatch.setenv("CKDISPATCH_JIT", "0")
    there, missing = build_in(cache, kernels()[0], kernels()[1])
    assert there.ok and there.cached
    assert missing.error == (
        f"{kernels()[1].name} is not in the cache {cache.folder}, and CKDISPATCH_JIT=0 forbids "
        "compiling it; build it where compiling is allowed, or unset CKDISPATCH_JIT."
    )
    with pytest.raises(JitForbidden):
        missing.check()
    assert compiler.calls("device") == []


def test_a_cached_kernel_needs_no_compiler(
    compiler: FakeCompiler, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    (built,) = build_in(cache, kernels()[0])
    monkeypatch.setenv("CKDISPATCH_HIPCC", "/nowhere/hipcc")
    there, missing = build_in(cache, kernels()[0], kernels()[1])
    assert there.cached and there.sha256 == built.sha256
    assert missing.error == (
        "a kernel was to be compiled and no HIP compiler was found (CKDISPATCH_HIPCC: "
        "/nowhere/hipcc is missing); install ROCm or the distribution's hipcc, or set "
        "CKDISPATCH_HIPCC to the path of a hipcc or of a clang++ that has AMD's device libraries."
    )
    with pytest.raises(NotFound):
        missing.check()


def test_without_a_compiler_a_damaged_kernel_is_not_returned(
    compiler: FakeCompiler, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    (built,) = build_in(cache, kernels()[0])
    built.check().write_bytes(b"damaged")
    monkeypatch.setenv("CKDISPATCH_HIPCC", "/nowhere/hipcc")
    assert not build_in(cache, kernels()[0])[0].ok


def test_missing_headers_are_one_sentence_for_each_kernel(
    compiler: FakeCompiler, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CKDISPATCH_CK", "/nowhere")
    (result,) = build_in(cache, kernels()[0])
    assert result.error == (
        "CKDISPATCH_CK asks for Composable Kernel at /nowhere, where there is no ck_tile/core.hpp; "
        "give a checkout of it, its include folder, or `rocm` for an installed one."
    )


@pytest.mark.parametrize("change", ["compiler", "device library", "headers", "HIP"])
def test_what_a_library_depends_on_is_in_its_key(
    compiler: FakeCompiler, cache: Cache, tmp_path: Path, change: str
) -> None:
    (before,) = build_in(cache, kernels()[0])
    changed = {
        "compiler": compiler.clang,
        "device library": compiler.home / "resource/amdgcn/bitcode/ocml.bc",
        "headers": tmp_path / "ck/include/ck_tile/core.hpp",
        "HIP": compiler.home / "include/hip/hip_version.h",
    }[change]
    with open(changed, "a") as stream:
        stream.write("# changed\n")
    (after,) = build_in(cache, kernels()[0])
    assert not after.cached and after.library != before.library


def test_the_key_has_nothing_to_do_with_where_the_compiler_and_the_headers_are(
    compiler: FakeCompiler, cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_in(cache, kernels()[0])
    (tmp_path / "llvm").rename(tmp_path / "moved llvm")
    (tmp_path / "ck").rename(tmp_path / "moved ck")
    monkeypatch.setenv("CKDISPATCH_HIPCC", str(tmp_path / "moved llvm/bin/clang++"))
    monkeypatch.setenv("CKDISPATCH_CK", str(tmp_path / "moved ck/include"))
    assert build_in(cache, kernels()[0])[0].cached


@pytest.mark.parametrize(
    "folder", ["with space", "quote'd", 'double"quote', "semi;colon $(touch x) `id`", "a,b=c", "ü"]
)
def test_the_cache_may_be_in_a_folder_of_any_name(
    compiler: FakeCompiler, tmp_path: Path, folder: str
) -> None:
    results = build_in(Cache(tmp_path / folder), *kernels()[:3], workers=1)
    assert all(content(result) for result in results)
    assert not (tmp_path / "x").exists()


def test_a_relative_cache_folder_stays_where_it_was(
    compiler: FakeCompiler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CKDISPATCH_CACHE", "here")
    cache = Cache()
    monkeypatch.chdir(tmp_path / "elsewhere")
    (result,) = build_in(cache, kernels()[0])
    assert result.check().is_relative_to(tmp_path / "here" / "jit")


def test_building_does_not_need_home(
    compiler: FakeCompiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOME", raising=False)
    assert build([kernels()[0]], GPU)[0].ok


def test_a_result_can_be_copied_and_pickled(compiler: FakeCompiler, cache: Cache) -> None:
    (result,) = build_in(cache, kernels()[0])
    for other in (pickle.loads(pickle.dumps(result)), copy.copy(result)):
        assert other == result and other.check() == result.check()


def test_a_forked_child_can_build(compiler: FakeCompiler, cache: Cache) -> None:
    build_in(cache, kernels()[0])

    def child() -> None:
        first, second = build_in(cache, *kernels()[:2])
        assert first.cached and second.ok

    assert in_child(child) == 0
    assert build_in(cache, kernels()[1])[0].cached


def test_the_compiler_sees_nothing_of_the_callers_environment(
    compiler: FakeCompiler, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CPATH", "/evil")
    monkeypatch.setenv("CCC_OVERRIDE_OPTIONS", "x-O3")
    compiler.hook('env | cut -d= -f1 | sort >"$home/control/environment"\n')
    build_in(cache, kernels()[0])
    names = set((compiler.home / "control/environment").read_text().split())
    assert names <= {"PATH", "LD_LIBRARY_PATH", "LC_ALL", "PWD", "OLDPWD", "TMPDIR", "_", "SHLVL"}


def test_a_cache_folder_that_cannot_be_made_is_one_sentence(
    compiler: FakeCompiler, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    (result,) = build_in(Cache(tmp_path / "file" / "cache"), kernels()[0])
    assert result.error is not None and str(tmp_path / "file" / "cache") in result.error
    assert "set CKDISPATCH_CACHE to another folder." in result.error


@pytest.mark.skipif(os.getuid() == 0, reason="nothing is forbidden to root")
def test_a_cache_that_cannot_be_written_still_gives_what_it_has(
    compiler: FakeCompiler, cache: Cache
) -> None:
    build_in(cache, kernels()[0])
    folders = [cache.folder, *(path for path in cache.folder.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    try:
        there, missing = build_in(cache, kernels()[0], kernels()[1])
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert there.cached and "cannot be written" in str(missing.error)
