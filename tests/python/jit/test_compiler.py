# SPDX-License-Identifier: MIT
"""Which compiler is found, and that its identity is what its output depends on."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from ckdispatch.errors import NotFound
from ckdispatch.jit import Cache
from ckdispatch.jit.compiler import Compiler, find_compiler, rocm_places
from jit_support import FakeCompiler, build_in, kernels


def find(environment: Mapping[str, str], memos: Path) -> Compiler:
    return find_compiler(memos, {"PATH": "/nowhere", **environment})


def found(compiler: FakeCompiler, memos: Path) -> Compiler:
    return find({"CKDISPATCH_HIPCC": str(compiler.clang)}, memos)


def settle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remember also what was written a moment ago, which might not show its next change."""
    monkeypatch.setattr("ckdispatch.jit.memo._SETTLED", -1000.0)


def test_what_is_asked_for_is_used(compiler: FakeCompiler, tmp_path: Path) -> None:
    chosen = found(compiler, tmp_path)
    assert chosen.clang == str(compiler.clang)
    assert chosen.tools == str(compiler.home / "bin")
    assert chosen.link_files["libc.so.6"] == str(compiler.home / "lib/libc.so.6")
    assert chosen.device_libs == str(compiler.home / "resource/amdgcn/bitcode")
    assert chosen.host_triple == "fake-unknown-linux-gnu"
    assert chosen.version == "fake clang version 1"
    assert chosen.found_as == "CKDISPATCH_HIPCC"


def test_a_relative_path_and_one_with_spaces_work(
    compiler: FakeCompiler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(compiler.home, tmp_path / "my 'own' llvm")
    monkeypatch.chdir(tmp_path)
    chosen = find({"CKDISPATCH_HIPCC": "my 'own' llvm/bin/clang++"}, tmp_path)
    assert chosen.clang == str(tmp_path / "my 'own' llvm/bin/clang++")


def test_a_wrapper_leads_to_the_compiler_behind_it(compiler: FakeCompiler, tmp_path: Path) -> None:
    hipcc = tmp_path / "hipcc"
    hipcc.write_text(f'#!/bin/sh\nexec "{compiler.clang}" "$@"\n')
    hipcc.chmod(0o755)
    chosen = find({"CKDISPATCH_HIPCC": str(hipcc)}, tmp_path)
    assert chosen.clang == str(compiler.clang)
    assert chosen.identity == found(compiler, tmp_path).identity


@pytest.mark.parametrize("inside", ["llvm", "lib/llvm"])
def test_rocm_path_leads_to_its_compiler(
    compiler: FakeCompiler, tmp_path: Path, inside: str
) -> None:
    shutil.copytree(compiler.home, tmp_path / "rocm" / inside)
    chosen = find({"ROCM_PATH": str(tmp_path / "rocm")}, tmp_path)
    assert chosen.clang == str(tmp_path / "rocm" / inside / "bin/clang++")
    assert chosen.found_as == "ROCM_PATH"


def test_device_libraries_may_be_in_the_rocm_folder(compiler: FakeCompiler, tmp_path: Path) -> None:
    shutil.copytree(compiler.home, tmp_path / "rocm/llvm")
    shutil.move(tmp_path / "rocm/llvm/resource/amdgcn", tmp_path / "rocm/amdgcn")
    chosen = find({"ROCM_PATH": str(tmp_path / "rocm")}, tmp_path)
    assert chosen.device_libs == str(tmp_path / "rocm/amdgcn/bitcode")


def test_the_newest_version_below_a_prefix_is_used_that_has_everything(
    compiler: FakeCompiler, tmp_path: Path
) -> None:
    for version in ("9", "21", "22", "23"):
        shutil.copytree(compiler.home, tmp_path / f"prefix/lib/llvm-{version}")
    (tmp_path / "prefix/lib/llvm-23/resource/amdgcn/bitcode/ocml.bc").unlink()
    chosen = find({"ROCM_PATH": str(tmp_path / "prefix")}, tmp_path)
    assert chosen.clang == str(tmp_path / "prefix/lib/llvm-22/bin/clang++")


def test_a_rocm_path_that_leads_nowhere_is_not_replaced_by_another(tmp_path: Path) -> None:
    (tmp_path / "hipcc").write_text("#!/bin/sh\n")
    (tmp_path / "hipcc").chmod(0o755)
    with pytest.raises(NotFound, match=r"\(ROCM_PATH: /nowhere/llvm/bin/clang\+\+ is missing\)"):
        find({"ROCM_PATH": "/nowhere", "PATH": str(tmp_path)}, tmp_path)


def test_where_a_sealed_root_was_made_the_sentence_leads_there(tmp_path: Path) -> None:
    environment = {"CKDISPATCH_HIPCC": "/nowhere/hipcc", "CKDISPATCH_CACHE": str(tmp_path)}
    with pytest.raises(NotFound, match=r"hipcc, or set CKDISPATCH_HIPCC"):
        find(environment, tmp_path)
    marker = tmp_path / "sealed/amd64-0/etc/ckdispatch-sealed"
    marker.parent.mkdir(parents=True)
    marker.touch()
    root = (
        rf"or run this in `\./bazelw --sealed-shell`, whose root {tmp_path}/sealed/amd64-0 has one,"
    )
    with pytest.raises(NotFound, match=f"hipcc, {root} or set CKDISPATCH_HIPCC"):
        find(environment, tmp_path)


def machine(*there: str) -> Callable[[str], bool]:
    return lambda path: path in ("/", *there)


def test_places_are_looked_at_in_the_order_of_the_recipe(monkeypatch: pytest.MonkeyPatch) -> None:
    rocm, usr = ("/opt/rocm", Path("/opt/rocm")), Path("/usr")
    monkeypatch.setattr("os.path.exists", machine())
    assert (
        rocm_places({})
        == rocm_places({"ROCM_PATH": ""})
        == [rocm, ("the distribution's packages", usr)]
    )
    monkeypatch.setattr("os.path.exists", machine("/etc/ckdispatch-sealed"))
    assert rocm_places({}) == [("the sealed root", usr), rocm]
    assert rocm_places({"ROCM_PATH": "/made/up"}) == [("ROCM_PATH", Path("/made/up"))]


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        ("bin/ld.lld", "has no ld.lld beside it"),
        ("bin/clang-offload-bundler", "has no clang-offload-bundler beside it"),
        ("bin/llvm-objcopy", "has no llvm-objcopy beside it"),
        ("lib/crti.o", "does not find crti.o, which libraries are linked with"),
        ("resource/amdgcn/bitcode/ocml.bc", "the AMD device libraries (ocml.bc) of"),
        ("include/hip/hip_version.h", "does not find the headers of HIP"),
    ],
)
def test_a_compiler_that_lacks_something_is_refused_with_what_it_lacks(
    compiler: FakeCompiler, tmp_path: Path, broken: str, complaint: str
) -> None:
    (compiler.home / broken).unlink()
    with pytest.raises(NotFound) as raised:
        found(compiler, tmp_path)
    assert complaint in str(raised.value)


@pytest.mark.parametrize(
    "content", [b"", b"\x7fELF garbage", b"#!/bin/sh\nexit 1\n", b"#!/nowhere/interpreter\n"]
)
def test_what_does_not_run_is_refused(
    compiler: FakeCompiler, tmp_path: Path, content: bytes
) -> None:
    compiler.clang.write_bytes(content)
    with pytest.raises(NotFound, match="does not answer -print-prog-name=clang-offload-bundler"):
        found(compiler, tmp_path)


def test_an_explicit_compiler_that_is_not_there_is_not_replaced_by_another(
    compiler: FakeCompiler, tmp_path: Path
) -> None:
    shutil.copytree(compiler.home, tmp_path / "rocm" / "llvm")
    environment = {"CKDISPATCH_HIPCC": "/nowhere/hipcc", "ROCM_PATH": str(tmp_path / "rocm")}
    with pytest.raises(NotFound, match="CKDISPATCH_HIPCC: /nowhere/hipcc is missing"):
        find(environment, tmp_path)


@pytest.mark.parametrize(
    "file",
    [
        "bin/clang++",
        "bin/clang-offload-bundler",
        "bin/ld.lld",
        "lib/libc_nonshared.a",
        "resource/amdgcn/bitcode/ocml.bc",
        "include/hip/hip_version.h",
    ],
)
def test_every_file_that_matters_is_in_the_identity(
    compiler: FakeCompiler, tmp_path: Path, file: str
) -> None:
    before = found(compiler, tmp_path)
    with open(compiler.home / file, "a") as stream:
        stream.write("# another version\n")
    assert found(compiler, tmp_path).identity != before.identity


def test_a_new_device_library_is_in_the_identity(
    compiler: FakeCompiler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(monkeypatch)
    before = found(compiler, tmp_path / "memos")
    (compiler.home / "resource/amdgcn/bitcode/ockl.bc").write_bytes(b"new")
    assert found(compiler, tmp_path / "memos").identity != before.identity


def test_the_identity_does_not_depend_on_the_place(compiler: FakeCompiler, tmp_path: Path) -> None:
    shutil.copytree(compiler.home, tmp_path / "elsewhere")
    other = replace(compiler, home=tmp_path / "elsewhere")
    assert found(other, tmp_path).identity == found(compiler, tmp_path).identity


def test_the_second_time_nothing_is_run(
    compiler: FakeCompiler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(monkeypatch)
    first = found(compiler, tmp_path / "memos")
    monkeypatch.setattr("ckdispatch.jit.compiler.ask", None)
    assert found(compiler, tmp_path / "memos") == first


def test_a_changed_compiler_is_looked_at_again(
    compiler: FakeCompiler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(monkeypatch)
    first = found(compiler, tmp_path / "memos")
    before = compiler.clang.stat()
    data = compiler.clang.read_bytes()
    compiler.clang.write_bytes(data.replace(b"in no time", b"in no tame"))
    # Same size and same time of change: the time of the last change of its state still tells.
    os.utime(compiler.clang, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert compiler.clang.stat().st_size == before.st_size
    assert found(compiler, tmp_path / "memos").identity != first.identity


def test_a_file_that_is_still_being_changed_is_not_remembered(
    compiler: FakeCompiler, tmp_path: Path
) -> None:
    found(compiler, tmp_path / "memos")
    assert list((tmp_path / "memos").glob("*")) == []


def test_a_damaged_memo_is_ignored(
    compiler: FakeCompiler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(monkeypatch)
    first = found(compiler, tmp_path / "memos")
    (memo,) = (tmp_path / "memos").iterdir()
    whole = memo.read_bytes()
    for damaged in (b"", b"{}", whole[:-20], whole.replace(b"fake clang", b"evil clang")):
        memo.write_bytes(damaged)
        assert found(compiler, tmp_path / "memos") == first


def test_other_libraries_on_the_path_are_another_question(
    compiler: FakeCompiler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(monkeypatch)
    found(compiler, tmp_path / "memos")
    find({"CKDISPATCH_HIPCC": str(compiler.clang), "LD_LIBRARY_PATH": "/x"}, tmp_path / "memos")
    assert len(list((tmp_path / "memos").iterdir())) == 2


def test_what_a_replaced_compiler_made_is_not_kept(compiler: FakeCompiler, cache: Cache) -> None:
    """It is hashed first and run by its path later; the key tells the one that was hashed."""
    (before,) = build_in(cache, kernels()[0])
    assert before.ok
    cache.clear()
    del before
    cache.clear()
    # While the device pass runs, the machine gets another linker.
    compiler.hook(
        '[ $step != device ] || { cp "$home/bin/ld.lld" "$home/new"; echo "# new" >>"$home/new"; '
        'mv "$home/new" "$home/bin/ld.lld"; }\n'
    )
    (during,) = build_in(cache, kernels()[0])
    assert during.error is not None and not during.ok
    assert f"was compiled while the compiler {compiler.clang} was replaced" in during.error
    assert cache.list("kernels") == []
    compiler.unhook()
    (after,) = build_in(cache, kernels()[0])
    assert after.ok and not after.cached


@pytest.mark.parametrize("open_one", ["bin/clang++", "bin/ld.lld", "bin"])
def test_a_compiler_that_all_may_write_is_not_run(
    compiler: FakeCompiler, tmp_path: Path, open_one: str
) -> None:
    place = compiler.home / open_one
    place.chmod(0o777)
    with pytest.raises(
        NotFound, match=f"is not run because all users may write to {re.escape(str(place))}"
    ):
        found(compiler, tmp_path)
    assert compiler.calls("device") == []
    place.chmod(0o755)
    assert found(compiler, tmp_path).clang == str(compiler.clang)
