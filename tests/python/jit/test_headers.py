# SPDX-License-Identifier: MIT
"""Where the headers come from, and that a kernel is compiled with exactly those of its key."""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from ckdispatch.errors import Damaged, NotFound
from ckdispatch.jit import Cache, headers
from ckdispatch.jit.headers import composable_kernel, own_headers, unpack
from ckgen.families import FAMILIES
from jit_support import FakeCompiler, build_in, in_child, kernels, start_child

CORE = "ck_tile/core.hpp"
CONTENT = {CORE: b"// core\n", "ck_tile/ops/gemm.hpp": b"// gemm\n", "ck_tile/a.inc": b"1\n"}


def fail() -> None:
    raise AssertionError("nobody else unpacks here")


def write_folder(folder: Path, content: Mapping[str, bytes] = CONTENT) -> Path:
    for name, data in content.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def write_archive(path: Path, content: Mapping[str, bytes] = CONTENT) -> Path:
    with tarfile.open(path, "w") as archive:
        for name, data in content.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path


@pytest.fixture
def packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    archive = write_archive(tmp_path / "ck_headers.tar")
    monkeypatch.setattr(headers, "PACKED", archive)
    return archive


def test_a_checkout_or_its_include_folder_may_be_named(tmp_path: Path) -> None:
    write_folder(tmp_path / "checkout/include")
    for named in (tmp_path / "checkout", tmp_path / "checkout/include"):
        source = composable_kernel(tmp_path, {"CKDISPATCH_CK": str(named)})
        assert source.read() == CONTENT


def test_without_a_wish_the_packed_headers_are_used(packed: Path, tmp_path: Path) -> None:
    assert composable_kernel(tmp_path, {}).read() == CONTENT


def test_rocm_means_the_installed_headers(packed: Path, tmp_path: Path) -> None:
    installed = {CORE: b"// installed\n"}
    write_folder(tmp_path / "rocm/include", installed)
    environment = {"CKDISPATCH_CK": "rocm", "ROCM_PATH": str(tmp_path / "rocm")}
    assert composable_kernel(tmp_path, environment).read() == installed


def test_the_installed_headers_are_used_where_none_are_packed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(headers, "PACKED", tmp_path / "nothing.tar")
    write_folder(tmp_path / "rocm/include")
    assert composable_kernel(tmp_path, {"ROCM_PATH": str(tmp_path / "rocm")}).read() == CONTENT


def test_no_headers_are_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(headers, "PACKED", tmp_path / "nothing.tar")
    with pytest.raises(NotFound) as raised:
        composable_kernel(tmp_path, {"ROCM_PATH": str(tmp_path)})
    assert str(raised.value) == (
        "a kernel was to be compiled and the headers of Composable Kernel were not found, neither "
        f"packed at {tmp_path}/nothing.tar nor installed below {tmp_path}; "
        "set CKDISPATCH_CK to a checkout of Composable Kernel."
    )


def test_the_same_headers_have_the_same_hash_packed_or_not(packed: Path, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "include")
    loose = composable_kernel(tmp_path, {"CKDISPATCH_CK": str(folder)})
    assert loose.digest == composable_kernel(tmp_path, {}).digest


@pytest.mark.parametrize("change", ["edit", "add", "remove", "rename", "add a folder"])
def test_any_change_of_a_folder_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    monkeypatch.setattr("ckdispatch.jit.memo._SETTLED", -1000.0)
    folder = write_folder(tmp_path / "include")
    environment = {"CKDISPATCH_CK": str(folder)}
    before = composable_kernel(tmp_path / "memos", environment).digest
    assert composable_kernel(tmp_path / "memos", environment).digest == before
    gemm = folder / "ck_tile/ops/gemm.hpp"
    if change == "edit":
        gemm.write_bytes(b"// GEMM\n")
    elif change == "add":
        write_folder(folder, {"ck_tile/ops/conv.hpp": b"// conv\n"})
    elif change == "remove":
        gemm.unlink()
    elif change == "rename":
        gemm.rename(gemm.with_name("other.hpp"))
    else:
        write_folder(folder, {"ck_tile/ops/new/conv.hpp": b"// conv\n"})
    assert composable_kernel(tmp_path / "memos", environment).digest != before


def test_headers_are_unpacked_once_and_whole(packed: Path, cache: Cache, tmp_path: Path) -> None:
    source = composable_kernel(tmp_path, {})
    with cache.lease() as lease:
        folder = unpack(source, cache, lease, fail)
        assert {name: (folder / name).read_bytes() for name in CONTENT} == CONTENT
        stamp = (folder / CORE).stat().st_mtime_ns
        assert unpack(source, cache, lease, fail) == folder
    assert (folder / CORE).stat().st_mtime_ns == stamp


def test_processes_that_unpack_at_once_get_the_same_folder(
    packed: Path, cache: Cache, tmp_path: Path
) -> None:
    source = composable_kernel(tmp_path, {})

    def child() -> None:
        with cache.lease() as lease:
            folder = unpack(source, cache, lease, lambda: None)
            assert (folder / CORE).read_bytes() == CONTENT[CORE]

    numbers = [start_child(child) for _ in range(6)]
    codes = [os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]) for number in numbers]
    assert codes == [0] * 6
    assert len(cache.list("headers")) == 1


@pytest.mark.parametrize("name", ["/etc/passwd", "../../escape.hpp", "ck_tile/../../x.hpp"])
def test_an_archive_cannot_write_elsewhere(packed: Path, tmp_path: Path, name: str) -> None:
    write_archive(packed, {**CONTENT, name: b"evil"})
    with pytest.raises(Damaged, match=r"which is no header."):
        composable_kernel(tmp_path, {})


def test_an_archive_with_a_link_is_refused(packed: Path, tmp_path: Path) -> None:
    with tarfile.open(packed, "w") as archive:
        member = tarfile.TarInfo("ck_tile/core.hpp")
        member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(member)
    with pytest.raises(Damaged, match=r"which is no header."):
        composable_kernel(tmp_path, {})


@pytest.mark.parametrize("data", [b"", b"not a tar file", b"\0" * 5000])
def test_a_damaged_archive_is_refused(packed: Path, tmp_path: Path, data: bytes) -> None:
    packed.write_bytes(data)
    with pytest.raises(Damaged, match=r"cannot be read|is missing"):
        composable_kernel(tmp_path, {})


def test_a_truncated_archive_is_refused(packed: Path, tmp_path: Path) -> None:
    packed.write_bytes(packed.read_bytes()[:700])
    with pytest.raises(Damaged):
        composable_kernel(tmp_path, {})


def test_a_header_that_is_edited_while_a_kernel_compiles_is_not_in_it(
    compiler: FakeCompiler, cache: Cache, tmp_path: Path
) -> None:
    header = tmp_path / "ck/include/ck_tile/core.hpp"
    # The compiler copies the header that it sees, after someone edited the original.
    compiler.hook(
        f"if [ $step = device ]; then echo '// edited' >'{header}'; "
        'cat "$source" composable_kernel/ck_tile/core.hpp >"$output"; exit; fi\n'
    )
    (result,) = build_in(cache, kernels()[0])
    data = result.check().read_bytes()
    assert b"// core\n" in data and b"// edited\n" not in data


def test_headers_that_change_while_they_are_read_are_refused(
    compiler: FakeCompiler, cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = composable_kernel(tmp_path, {"CKDISPATCH_CK": str(tmp_path / "ck")})
    (tmp_path / "ck/include/ck_tile/core.hpp").write_text("// edited\n")
    with cache.lease() as lease, pytest.raises(Damaged, match="changed while they were read"):
        unpack(source, cache, lease, fail)
    assert cache.list("headers") == []


def test_the_generators_headers_are_those_of_the_family() -> None:
    source = own_headers(FAMILIES["gemm"])
    content = source.read()
    assert set(content) == set(FAMILIES["gemm"].headers)
    assert {"ck_kernel_abi.h", "ck_kernel/plan/gemm/product.hpp"} <= set(content)


def test_a_build_that_dies_while_unpacking_leaves_no_half_folder(
    packed: Path, cache: Cache, tmp_path: Path
) -> None:
    source = composable_kernel(tmp_path, {})

    def child() -> None:
        real = os.write

        def write(descriptor: int, data: bytes) -> int:
            if bytes(data) == CONTENT["ck_tile/ops/gemm.hpp"]:
                os.kill(os.getpid(), 9)
            return real(descriptor, data)

        os.write = write  # type: ignore[assignment]  # in a process of its own
        with cache.lease() as lease:
            unpack(source, cache, lease, fail)

    assert in_child(child) == -9
    assert cache.list("headers") == []
    with cache.lease() as lease:
        folder = unpack(source, cache, lease, fail)
    assert (folder / "ck_tile/ops/gemm.hpp").read_bytes() == CONTENT["ck_tile/ops/gemm.hpp"]
