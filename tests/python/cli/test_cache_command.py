# SPDX-License-Identifier: MIT
"""``cache`` tells about the user's cache and looks after it."""

from __future__ import annotations

from pathlib import Path

import pytest
from ckdispatch.jit import Cache
from cli_support import Ended, ckdispatch


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "jit")


def command(cache: Cache, *words: str, **variables: str) -> Ended:
    return ckdispatch(
        "cache", *words, env={"CKDISPATCH_CACHE": str(cache.folder.parent), **variables}
    )


def fill(cache: Cache, name: str, size: int) -> Path:
    """An entry as a build leaves it; returns its library."""
    inputs = {"spec": {"name": name}, "gpus": ["gfx942:64"]}
    lease = cache.lease()
    with cache.work_folder() as work:
        filled = work / "entry"
        filled.mkdir()
        (filled / f"lib{name}.so").write_bytes(b"x" * size)
        entry = cache.store("kernels", inputs, {"name": name}, filled, lease)
    del lease
    return entry.path(f"lib{name}.so")


def test_path_prints_the_folder_and_nothing_else(cache: Cache) -> None:
    assert command(cache, "path").out == f"{cache.folder}\n"
    assert command(cache, "path", "--json").document == {"folder": str(cache.folder)}


def test_info_counts(cache: Cache) -> None:
    fill(cache, "one", 1000)
    fill(cache, "two", 3000)
    found = command(cache, "info", "--json", CKDISPATCH_CACHE_SIZE="2G").document
    assert (found["kernels"], found["entries"], found["logs"]) == (2, 2, 0)
    assert found["limit"] == 2 << 30 and found["bytes"] > 4000
    told = command(cache, "info", CKDISPATCH_CACHE_SIZE="2G").columns
    assert told["kernels"] == "2" and told["holds"].endswith(" of at most 2.0 GiB")


def test_an_empty_cache_is_no_error(cache: Cache) -> None:
    assert command(cache, "list").out == "The cache is empty.\n"
    assert command(cache, "list", "--json").document == {"entries": []}
    assert command(cache, "info", "--json").document["bytes"] == 0
    assert command(cache, "verify").code == 0
    assert command(cache, "clear").code == 0


def test_list_names_kernels_with_their_gpus(cache: Cache) -> None:
    fill(cache, "one", 2048)
    (entry,) = command(cache, "list", "--json").document["entries"]
    assert (entry["kind"], entry["name"], entry["gpus"]) == ("kernels", "one", ["gfx942"])
    assert entry["bytes"] == 2048 and len(entry["key"]) == 64
    titles, row = command(cache, "list").out.splitlines()
    assert titles.split() == ["kind", "name", "GPUs", "size", "made", "key"]
    assert row.split()[:5] == ["kernels", "one", "gfx942", "2.0", "KiB"]
    assert row.endswith(entry["key"][:12])


def test_verify_finds_nothing_wrong_with_what_is_whole(cache: Cache) -> None:
    fill(cache, "one", 1000)
    ended = command(cache, "verify")
    assert (ended.code, ended.out) == (0, "Everything in the cache is whole.\n")
    assert command(cache, "verify", "--json").document == {"damaged": []}


def test_verify_removes_what_is_damaged_and_ends_with_1(cache: Cache) -> None:
    fill(cache, "good", 1000)
    bad = fill(cache, "bad", 1000)
    bad.write_bytes(b"y" * 1000)
    ended = command(cache, "verify", "--json")
    assert ended.code == 1
    (damage,) = ended.document["damaged"]
    assert damage["reason"] == f"{bad} is not what was stored."
    assert ended.err == "ckdispatch: damaged and now removed: 1 entry of the cache.\n"
    assert not bad.exists() and command(cache, "verify").code == 0


def test_prune_evicts_down_to_a_size(cache: Cache) -> None:
    for name in ("one", "two", "three"):
        fill(cache, name, 100_000)
    ended = command(cache, "prune", "--to", "150K", "--json")
    assert ended.code == 0
    assert (ended.document["entries"], ended.document["in_use"]) == (2, 0)
    assert command(cache, "info", "--json").document["kernels"] == 1
    assert command(cache, "prune", "--to", "150K").out == "Removed 0 entries of 0 bytes together.\n"


def test_prune_alone_keeps_to_the_limit(cache: Cache) -> None:
    fill(cache, "one", 100_000)
    assert command(cache, "prune", "--json").document["entries"] == 0
    found = command(cache, "prune", "--json", CKDISPATCH_CACHE_SIZE="1K").document
    assert found["entries"] == 1 and found["bytes"] > 100_000


def test_clear_removes_everything(cache: Cache) -> None:
    fill(cache, "one", 1000)
    ended = command(cache, "clear")
    assert ended.code == 0 and ended.out.startswith("Removed 1 entry of 1")
    assert command(cache, "info", "--json").document["entries"] == 0


def test_what_a_living_process_uses_stays(cache: Cache) -> None:
    library = fill(cache, "one", 1000)
    lease = cache.lease()
    assert cache.find("kernels", library.parent.name, lease) is not None
    assert (
        command(cache, "clear").out
        == "Removed 0 entries of 0 bytes together; 1 entry in use stayed.\n"
    )
    assert library.exists()
