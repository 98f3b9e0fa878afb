# SPDX-License-Identifier: MIT
"""A cache removes nothing that it did not make,
whatever lies in its folder or behind a link there.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from ckdispatch.errors import InvalidArgument
from ckdispatch.jit import Cache
from ckdispatch.jit.layout import MARK
from jit_support import FakeCompiler, build_in, kernels

FOLDERS = (
    "",
    "work",
    "logs",
    "kernels",
    "kernels/ab",
    "headers",
    "precompiled",
    "memos",
    "locks",
    "leases",
)
NAMES = (
    "notes.txt",
    "results.log",
    "run-202611170906.log",
    "build.lock",
    "my.lease",
    "settings.json",
    "old.gone",
    "entry.json",
    "libmine.so",
    ".hidden",
    "0123456789abcdef.txt",
    "deadbeef",
    "ü",
    "a b",
)

WAYS_TO_REMOVE: dict[str, Callable[[Cache], object]] = {
    "clear": lambda cache: cache.clear(),
    "prune": lambda cache: cache.prune(0),
    "verify": lambda cache: cache.verify(),
    "a work folder": lambda cache: cache.work_folder().__enter__(),
    "a lease": lambda cache: cache.lease().close(),
    "an entry that is discarded": lambda cache: cache.discard("kernels", "0" * 64),
}


def snapshot(folder: Path) -> dict[str, bytes | None]:
    """Every file below a folder with its content, and every folder."""
    found = sorted(folder.rglob("*"))
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in found
    }


def users_files(root: Path) -> dict[Path, bytes]:
    """Files as a user has them, and folders with files, in every folder of a cache."""
    made = {}
    for folder in FOLDERS:
        for name in NAMES:
            made[root / folder / name] = b"mine"
        made[root / folder / "project" / "thesis.tex"] = b"years of work"
    for path, content in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return made


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("way", WAYS_TO_REMOVE)
def test_a_folder_of_somebody_else_is_refused_and_stays(
    tmp_path: Path, folder: str, way: str
) -> None:
    root = tmp_path / "project"
    (root / folder).mkdir(parents=True)
    (root / folder / "notes.txt").write_text("mine")
    before = snapshot(root)
    with pytest.raises(
        InvalidArgument,
        match=r"was to be a cache, and it is neither empty nor one: it holds .+\. Name a new",
    ):
        WAYS_TO_REMOVE[way](Cache(root))
    assert snapshot(root) == before


def test_a_build_into_a_folder_of_somebody_else_is_refused(
    compiler: FakeCompiler, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    before = snapshot(tmp_path)
    with pytest.raises(InvalidArgument, match="is neither empty nor one"):
        build_in(Cache(tmp_path), kernels()[0])
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("way", WAYS_TO_REMOVE)
def test_what_a_user_put_into_a_cache_stays(compiler: FakeCompiler, cache: Cache, way: str) -> None:
    assert build_in(cache, kernels()[0])[0].ok
    cache.keep_log("kernel", "0" * 64, b"log")
    mine = users_files(cache.folder)
    WAYS_TO_REMOVE[way](cache)
    assert build_in(cache, kernels()[1])[0].ok
    assert {path: path.read_bytes() for path in mine} == mine
    if way == "clear":
        left = [path for path in cache.folder.rglob("*") if path.is_file() and path not in mine]
        # The build after it made what is there.
        assert not any("kernel-" in path.name for path in left)


LINKED = ("work", "logs", "kernels", "headers", "precompiled", "memos", "locks", "leases")


@pytest.mark.parametrize("name", LINKED)
@pytest.mark.parametrize("way", WAYS_TO_REMOVE)
def test_a_link_leads_no_removal_outside(
    compiler: FakeCompiler, cache: Cache, tmp_path: Path, name: str, way: str
) -> None:
    """Also where everything behind the link has the names that a cache gives."""
    assert build_in(cache, kernels()[0])[0].ok
    (cache.folder / name).mkdir(exist_ok=True)
    outside = tmp_path / "outside"
    (cache.folder / name).rename(outside)
    key, token = "ab" + "0" * 62, "0123456789abcdef"
    for inside in (
        f"ab/{key}/data",
        f"ab/{key}.01234567.gone/data",
        f"{token}/data",
        f"kernel-{'0' * 32}.log",
        f"{token}.lock",
        f"{key}.lock",
        f"{token}.lease",
        f"{key}.json",
    ):
        (outside / inside).parent.mkdir(parents=True, exist_ok=True)
        (outside / inside).write_bytes(b"mine")
    (cache.folder / name).symlink_to(outside)
    before = snapshot(outside)
    told = ""
    try:
        WAYS_TO_REMOVE[way](cache)
    except OSError as refusal:
        told = str(refusal)
    assert not told or told.startswith(
        f"{cache.folder / name} is in the way, which is no folder; remove it"
    )
    assert snapshot(outside) == before


@pytest.mark.parametrize("way", ["clear", "prune", "verify"])
def test_a_link_in_place_of_an_entry_or_inside_one_leads_nowhere(
    compiler: FakeCompiler, cache: Cache, tmp_path: Path, way: str
) -> None:
    (result,) = build_in(cache, kernels()[0])
    entry = result.check().parent
    del result
    outside = tmp_path / "outside"
    shutil.copytree(entry, outside)
    before = snapshot(outside)
    shutil.rmtree(entry)
    entry.symlink_to(outside)
    other = cache.layout.entry("kernels", "cd" + "1" * 62)
    other.mkdir(parents=True)
    (other / "link").symlink_to(outside)
    (other / "libkernel.so").hardlink_to(outside / "entry.json")
    WAYS_TO_REMOVE[way](cache)
    assert not os.path.lexists(entry) and not other.exists()
    assert snapshot(outside) == before


def test_an_empty_folder_becomes_a_cache_and_says_so(
    compiler: FakeCompiler, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    cache = Cache(tmp_path / "empty")
    assert cache.list() == [] and os.listdir(cache.folder) == []
    assert build_in(cache, kernels()[0])[0].ok
    assert (
        (cache.folder / MARK)
        .read_text()
        .startswith("Signature: 8a477f597d28d172789f06886806bc55\n# A cache of kernels")
    )


def test_a_cache_of_before_there_were_marks_is_used(compiler: FakeCompiler, cache: Cache) -> None:
    assert build_in(cache, kernels()[0])[0].ok
    cache.folder.joinpath("logs", "gemm_kernel-0123456789ab.log").write_text("of before")
    (cache.folder / MARK).unlink()
    assert build_in(cache, kernels()[0])[0].cached
    assert (cache.folder / MARK).is_file()
    assert cache.clear().entries > 0


def test_what_only_looks_like_a_cache_of_before_is_refused(cache: Cache) -> None:
    for name in ("kernels", "work", "logs"):
        (cache.folder / name).mkdir(parents=True)
    with pytest.raises(InvalidArgument, match="it holds kernels"):
        cache.clear()
    (cache.folder / "eviction.gate").touch()
    (cache.folder / "work" / "thesis").mkdir()
    with pytest.raises(InvalidArgument, match="it holds work/thesis"):
        cache.clear()
    assert (cache.folder / "work" / "thesis").is_dir()


MARKS = {
    "of another program": (
        b"Signature: 8a477f597d28d172789f06886806bc55\n# Cache of something else.\n"
    ),
    "empty": b"",
    "binary": bytes(range(256)) * 4096,
}


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_that_is_not_ours_counts_for_nothing(cache: Cache, mark: str) -> None:
    cache.folder.mkdir()
    (cache.folder / MARK).write_bytes(MARKS[mark])
    with pytest.raises(InvalidArgument, match=f"it holds {MARK}"):
        cache.clear()


def test_a_cache_of_a_later_version_is_left_alone(compiler: FakeCompiler, cache: Cache) -> None:
    assert build_in(cache, kernels()[0])[0].ok
    mark = cache.folder / MARK
    mark.write_text(mark.read_text().replace("Format 1.", "Format 2."))
    before = snapshot(cache.folder)
    with pytest.raises(InvalidArgument, match="is a cache of another version of ckdispatch"):
        cache.clear()
    assert snapshot(cache.folder) == before


def test_a_file_in_place_of_the_cache_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InvalidArgument, match="is a file; set CKDISPATCH_CACHE to a folder"):
        Cache(tmp_path / "file").clear()
