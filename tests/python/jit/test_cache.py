# SPDX-License-Identifier: MIT
"""The cache as such: what it keeps, what it evicts, and where it is."""

from __future__ import annotations

import os
import pwd
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest
from ckdispatch.errors import InvalidArgument, IoFailed
from ckdispatch.jit import Cache
from ckdispatch.jit.entry import RECORD, Entry, key_of
from ckdispatch.jit.locks import Lease, try_lock
from ckdispatch.jit.places import cache_folder, cache_limit, parse_size
from jit_support import in_child, kill, start_child, wait_until

KIND = "kernels"


def put(cache: Cache, number: int, size: int, lease: Lease | None = None) -> Entry:
    """An entry of about ``size`` bytes."""
    with cache.lease() as own, cache.work_folder() as work:
        filled = work / "entry"
        filled.mkdir()
        (filled / "data").write_bytes(bytes([number % 256]) * size)
        entry = cache.store(KIND, {"number": number}, {}, filled, lease or own)
    # Entries that were stored in the same moment have an order nevertheless.
    os.utime(entry.folder / RECORD, (1_000_000 + number, 1_000_000 + number))
    return entry


def numbers(cache: Cache) -> list[int]:
    return sorted(entry.inputs["number"] for entry in cache.list(KIND))


def test_what_was_stored_is_found(cache: Cache) -> None:
    stored = put(cache, 7, 100)
    with cache.lease() as lease:
        found = cache.find(KIND, stored.key, lease)
    assert found is not None and found.path("data").read_bytes() == b"\x07" * 100
    assert found.inputs == {"number": 7} and found.size == 100


def test_what_was_not_stored_is_not_found(cache: Cache) -> None:
    with cache.lease() as lease:
        assert cache.find(KIND, key_of({"number": 1}), lease) is None


def test_a_key_is_the_hash_of_all_inputs(cache: Cache) -> None:
    same = key_of({"a": 1, "b": [2, {"c": "ü"}]})
    assert key_of({"b": [2, {"c": "ü"}], "a": 1}) == same
    assert key_of({"a": 1, "b": [2, {"c": "u"}]}) != same
    assert len(same) == 64


def test_a_cache_that_is_not_there_is_empty(cache: Cache) -> None:
    assert cache.list() == [] and cache.verify() == []
    assert cache.prune().entries == 0 and cache.clear().entries == 0
    info = cache.info()
    assert (info.bytes, info.kernels, info.entries, info.logs) == (0, 0, 0, 0)
    assert not cache.folder.exists()


def test_the_least_recently_used_goes_first(cache: Cache) -> None:
    for number in range(6):
        put(cache, number, 10_000)
    with cache.lease() as lease:
        assert cache.find(KIND, key_of({"number": 1}), lease) is not None
    removed = cache.prune(35_000)
    assert numbers(cache) == [1, 4, 5]
    assert removed.entries == 3 and 30_000 <= removed.bytes <= 33_000
    assert cache.info().bytes <= 35_000


def test_a_cache_within_its_limit_loses_nothing(cache: Cache) -> None:
    for number in range(3):
        put(cache, number, 1000)
    assert cache.prune(1_000_000).entries == 0
    assert numbers(cache) == [0, 1, 2]


def test_what_is_in_use_is_not_evicted(cache: Cache) -> None:
    lease = cache.lease()
    put(cache, 0, 10_000, lease)
    put(cache, 1, 10_000)
    removed = cache.prune(0)
    assert numbers(cache) == [0] and (removed.entries, removed.in_use) == (1, 1)
    lease.close()
    assert cache.prune(0).entries == 1 and numbers(cache) == []


def test_what_another_process_uses_is_kept_until_it_dies(cache: Cache, tmp_path: Path) -> None:
    put(cache, 0, 10_000)

    def child() -> None:
        lease = cache.lease()
        assert cache.find(KIND, key_of({"number": 0}), lease) is not None
        (tmp_path / "ready").touch()
        wait_until(lambda: False, 60)

    number = start_child(child)
    wait_until((tmp_path / "ready").exists)
    assert cache.prune(0).in_use == 1 and numbers(cache) == [0]
    kill(number)
    assert cache.prune(0).entries == 1 and numbers(cache) == []


def test_a_forked_child_does_not_give_back_what_its_parent_uses(cache: Cache) -> None:
    lease = cache.lease()
    put(cache, 0, 10_000, lease)
    assert in_child(lease.close) == 0
    assert cache.prune(0).in_use == 1


def test_a_lease_costs_one_open_file_for_any_number_of_entries(cache: Cache) -> None:
    lease = cache.lease()
    before = len(os.listdir("/proc/self/fd"))
    for number in range(50):
        put(cache, number, 10, lease)
    assert len(os.listdir("/proc/self/fd")) == before
    assert cache.prune(0).in_use == 50


def test_clear_removes_all_but_what_is_in_use(cache: Cache) -> None:
    lease = cache.lease()
    put(cache, 0, 10, lease)
    put(cache, 1, 10)
    cache.keep_log("kernel", "0" * 64, b"log")
    removed = cache.clear()
    assert (removed.entries, removed.in_use) == (2, 1)
    assert numbers(cache) == [0] and cache.info().logs == 0


def test_old_logs_are_evicted_too(cache: Cache) -> None:
    log = cache.keep_log("kernel", "0" * 64, b"x" * 5000)
    os.utime(log, (1, 1))
    put(cache, 1, 5000)
    cache.prune(7000)
    assert not log.exists() and numbers(cache) == [1]


def test_info_counts_everything(cache: Cache) -> None:
    put(cache, 0, 1000)
    put(cache, 1, 2000)
    cache.keep_log("kernel", "0" * 64, b"x" * 500)
    info = cache.info()
    assert (info.kernels, info.entries, info.logs) == (2, 2, 1)
    real = sum(path.stat().st_size for path in (cache.folder / KIND).rglob("*") if path.is_file())
    assert info.bytes == real + 500
    assert info.folder == cache.folder and info.limit == cache.limit


def test_the_list_begins_with_what_was_used_last(cache: Cache) -> None:
    for number in (2, 0, 1):
        put(cache, number, 10)
    assert [entry.inputs["number"] for entry in cache.list(KIND)] == [2, 1, 0]


def test_a_lock_is_held_by_one_and_free_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    first = try_lock(path)
    assert first is not None and try_lock(path) is None
    first.release()
    first.release()
    assert not path.exists()
    second = try_lock(path)
    assert second is not None
    second.release()


def test_a_lock_whose_file_was_removed_is_taken_anew(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    first = try_lock(path)
    assert first is not None
    path.unlink()
    second = try_lock(path)
    assert second is not None
    second.release()
    first.release()


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"CKDISPATCH_CACHE": "/a", "XDG_CACHE_HOME": "/b", "HOME": "/c"}, "/a/jit"),
        ({"TEST_TMPDIR": "/t", "XDG_CACHE_HOME": "/b", "HOME": "/c"}, "/t/ckdispatch/jit"),
        ({"XDG_CACHE_HOME": "/b", "HOME": "/c"}, "/b/ckdispatch/jit"),
        ({"HOME": "/c"}, "/c/.cache/ckdispatch/jit"),
        ({"CKDISPATCH_CACHE": "", "XDG_CACHE_HOME": "", "HOME": "/c"}, "/c/.cache/ckdispatch/jit"),
        ({"CKDISPATCH_CACHE": "/a/../b/./c"}, "/b/c/jit"),
    ],
)
def test_the_cache_is_where_the_environment_says(
    environment: Mapping[str, str], folder: str
) -> None:
    assert cache_folder(environment) == Path(folder)


def test_a_relative_folder_is_below_the_current_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cache_folder({"CKDISPATCH_CACHE": "x"}) == tmp_path / "x" / "jit"


def test_without_home_the_account_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pwd, "getpwuid", lambda user: SimpleNamespace(pw_dir="/home/someone"))
    assert cache_folder({}) == Path("/home/someone/.cache/ckdispatch/jit")


def test_without_home_and_without_an_account_the_error_says_what_to_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def nobody(user: int) -> None:
        raise KeyError(user)

    monkeypatch.setattr(pwd, "getpwuid", nobody)
    with pytest.raises(IoFailed, match=r"set CKDISPATCH_CACHE to a folder."):
        cache_folder({})


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0", 0),
        ("4096", 4096),
        ("1K", 1024),
        ("500M", 500 << 20),
        ("2G", 2 << 30),
        ("2 GiB", 2 << 30),
        ("1.5g", 3 << 29),
        ("1TB", 1 << 40),
    ],
)
def test_a_size_may_have_a_unit(text: str, size: int) -> None:
    assert parse_size(text) == size
    assert cache_limit({"CKDISPATCH_CACHE_SIZE": text}) == size


@pytest.mark.parametrize("text", ["x", "-1", "1P", "G", "1 2", "1e3", "٣", "∞"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgument, match=r"CKDISPATCH_CACHE_SIZE is .* which is not a size"):
        cache_limit({"CKDISPATCH_CACHE_SIZE": text})


def test_the_limit_is_ten_gibibytes_unless_said_otherwise() -> None:
    assert cache_limit({}) == 10 << 30 and cache_limit({"CKDISPATCH_CACHE_SIZE": " "}) == 10 << 30
