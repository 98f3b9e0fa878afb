# SPDX-License-Identifier: MIT
"""Nothing is loaded or run from a cache that others could have written to."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from ckdispatch.errors import CkDispatchError, IoFailed
from ckdispatch.jit import Cache, trust
from ckdispatch.jit.files import sha256_bytes
from ckdispatch.jit.layout import MARK
from jit_support import FakeCompiler, build_in, content, in_child, kernels

SOMEBODY = 54321
"""The number of a user that nobody has."""


def can_give_away() -> bool:
    """Whether files can be given to another user: by root, but not in a name space that has a
    single one.
    """
    with tempfile.NamedTemporaryFile() as file:
        try:
            os.chown(file.name, SOMEBODY, -1)
        except OSError:
            return False
    return True


IS_ROOT = can_give_away()


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@pytest.mark.parametrize("mask", [0, 0o002, 0o022, 0o077, 0o277])
def test_everything_is_for_its_user_alone_whatever_the_umask(
    compiler: FakeCompiler, tmp_path: Path, mask: int
) -> None:
    compiler.hook("umask 0\n")  # nor does it matter what a compiler thinks of it
    cache = Cache(tmp_path / "new" / "cache")
    with umask(mask):
        assert all(result.ok for result in build_in(cache, *kernels()[:4], workers=1))
        cache.keep_log("kernel", "0" * 64, b"log")
        lease = cache.lease()
        with cache.work_folder():
            found = [tmp_path / "new", cache.folder, *cache.folder.rglob("*")]
            states = {path: path.lstat().st_mode for path in found if not path.is_symlink()}
    wrong = {
        path: oct(mode)
        for path, mode in states.items()
        if stat.S_IMODE(mode) != (0o700 if stat.S_ISDIR(mode) else 0o600)
    }
    assert wrong == {} and len(states) > 30
    lease.close()


def open_to_others(cache: Cache) -> dict[str, Path]:
    """What must not be open to others, by a name for the test."""
    entry = cache.list("kernels")[0].folder
    return {
        "the cache": cache.folder,
        "the folder above it": cache.folder.parent,
        "kernels": cache.folder / "kernels",
        "an entry": entry,
        "a library": next(entry.glob("lib*.so")),
        "a record": entry / "entry.json",
        "work": cache.layout.work,
        "memos": cache.layout.memos,
        "leases": cache.layout.leases,
        "the mark": cache.folder / MARK,
    }


PLACES = (
    "the cache",
    "the folder above it",
    "kernels",
    "an entry",
    "a library",
    "a record",
    "work",
    "memos",
    "leases",
    "the mark",
)
BUILT_ANEW = ("an entry", "a library", "a record")
"""What was open to others is as good as damaged; all else is refused."""


@pytest.fixture
def below(tmp_path: Path, compiler: FakeCompiler) -> Cache:
    """A cache with a kernel, and a folder above it that is not that of the test."""
    cache = Cache(tmp_path / "above" / "cache")
    assert build_in(cache, kernels()[0])[0].ok
    return cache


def assert_not_used(cache: Cache, compiler: FakeCompiler, place: str, sentence: str) -> None:
    compiler.forget_calls()
    if place in BUILT_ANEW:
        (result,) = build_in(cache, kernels()[0])
        assert result.ok and not result.cached and compiler.calls("device")
        return
    try:
        (result,) = build_in(cache, kernels()[0])
        told = result.error or ""
    except CkDispatchError as error:
        told = str(error)
    assert sentence in told, told
    assert not compiler.calls("link")


@pytest.mark.parametrize("rights", [0o020, 0o002])
@pytest.mark.parametrize("place", PLACES)
def test_what_others_may_write_is_not_used(
    compiler: FakeCompiler, below: Cache, place: str, rights: int
) -> None:
    path = open_to_others(below)[place]
    path.chmod(stat.S_IMODE(path.stat().st_mode) | rights)
    sentence = (
        "neither empty nor one" if place == "the mark" else f"others may write to {path} (mode "
    )
    assert_not_used(below, compiler, place, sentence)


@pytest.mark.skipif(
    not IS_ROOT, reason="only root can give files away; the rights of files are tested above"
)
@pytest.mark.parametrize("place", PLACES)
def test_what_belongs_to_another_is_not_used(
    compiler: FakeCompiler, below: Cache, place: str
) -> None:
    path = open_to_others(below)[place]
    os.chown(path, SOMEBODY, -1)
    sentence = (
        "neither empty nor one"
        if place == "the mark"
        else f"{path} belongs to the user number {SOMEBODY}"
    )
    assert_not_used(below, compiler, place, sentence)


@pytest.mark.parametrize(
    ("user", "mode", "own"),
    [
        (os.geteuid(), 0o700, True),
        (0, 0o755, True),
        (SOMEBODY, 0o700, False),
        (os.geteuid(), 0o770, False),
        (0, 0o757, False),
    ],
)
def test_who_could_have_written_a_file(user: int, mode: int, own: bool) -> None:
    """The same judgement where no file can be given away."""
    state = os.stat_result((stat.S_IFDIR | mode, 1, 1, 1, user, 0, 0, 0, 0, 0))
    assert trust.is_own(state) is own


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that every user of the machine can reach."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


def as_somebody(action: Callable[[], None]) -> int:
    """How a process of another user ends that does something."""

    def child() -> None:
        os.setgroups([])
        os.setgid(SOMEBODY)
        os.setuid(SOMEBODY)
        action()

    return in_child(child)


@pytest.mark.skipif(not IS_ROOT, reason="only root can become another user")
def test_another_user_reaches_nothing_of_a_cache(compiler: FakeCompiler, public: Path) -> None:
    cache = Cache(public / "cache")
    (result,) = build_in(cache, kernels()[0])
    library = result.check()
    right = content(result)

    def attack() -> None:
        for action in (
            library.read_bytes,
            lambda: library.write_bytes(b"evil"),
            library.unlink,
            lambda: os.listdir(cache.folder),
        ):
            with pytest.raises(PermissionError):
                action()
        assert Cache(cache.folder).list() == []

    assert as_somebody(attack) == 0
    assert library.read_bytes() == right


@pytest.mark.skipif(not IS_ROOT, reason="only root can become another user")
def test_a_library_that_another_user_planted_is_not_used(
    compiler: FakeCompiler, public: Path
) -> None:
    """The whole attack: a cache in a folder that all may write, whose entry and record another user
    replaces.
    """
    cache = Cache(public / "cache")
    (result,) = build_in(cache, kernels()[0])
    right, library = content(result), result.check()
    for path in (cache.folder, *cache.folder.rglob("*")):
        path.chmod(0o777)

    def plant() -> None:
        entry = library.parent
        copy = entry.with_name("copy")
        shutil.copytree(entry, copy)
        evil = right + b"evil"
        (copy / library.name).write_bytes(evil)
        record = (copy / "entry.json").read_text().replace(sha256_bytes(right), sha256_bytes(evil))
        (copy / "entry.json").write_text(record)
        entry.rename(entry.with_name("away"))
        copy.rename(entry)

    assert as_somebody(plant) == 0
    with pytest.raises(IoFailed, match=r"others may write to .*`chmod -R go-w .*`\.$"):
        build_in(cache, kernels()[0])
    # As the sentence says, without trusting what is there: what is another's stays unused.
    for path in (cache.folder, *cache.folder.rglob("*")):
        path.chmod(stat.S_IMODE(path.stat().st_mode) & ~0o022)
    (result,) = build_in(cache, kernels()[0])
    assert not result.cached and content(result) == right


def test_a_folder_where_all_may_write_but_not_rename_is_good_enough(
    compiler: FakeCompiler, tmp_path: Path
) -> None:
    (tmp_path / "tmp").mkdir()
    (tmp_path / "tmp").chmod(0o1777)
    assert build_in(Cache(tmp_path / "tmp" / "cache"), kernels()[0])[0].ok
    (tmp_path / "tmp").chmod(0o777)
    with pytest.raises(IoFailed, match=r"others may write to .*tmp"):
        build_in(Cache(tmp_path / "tmp" / "cache"), kernels()[0])
    # But a cache is not itself such a folder.
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o1777)
    with pytest.raises(IoFailed, match=r"others may write to .*open \(mode 1777\)"):
        build_in(Cache(tmp_path / "open"), kernels()[0])


def test_a_link_on_the_way_is_followed_and_judged(compiler: FakeCompiler, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    cache = Cache(tmp_path / "link" / "cache")
    assert build_in(cache, kernels()[0])[0].ok
    (tmp_path / "real").chmod(0o777)
    with pytest.raises(IoFailed, match=f"others may write to {tmp_path / 'real'}"):
        build_in(cache, kernels()[0])
    (tmp_path / "real").chmod(0o755)
    if IS_ROOT:
        os.chown(tmp_path / "link", SOMEBODY, -1, follow_symlinks=False)
        with pytest.raises(IoFailed, match=f"{tmp_path / 'link'} belongs to the user number"):
            build_in(cache, kernels()[0])
    (tmp_path / "round").symlink_to("round")
    assert Cache(tmp_path / "round" / "cache").list() == []


def test_a_folder_that_others_may_only_read_is_tightened(
    compiler: FakeCompiler, below: Cache
) -> None:
    for path in (below.folder, *below.folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    assert build_in(below, kernels()[0])[0].cached
    assert stat.S_IMODE(below.folder.stat().st_mode) == 0o700
