# SPDX-License-Identifier: MIT
"""Whatever happens to the files of the cache, a build returns the right library."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from ckdispatch.jit import Cache
from ckdispatch.jit.entry import RECORD, canonical
from ckdispatch.jit.files import sha256_bytes
from jit_support import FakeCompiler, build_in, content, kernels

KERNELS = 3
ROUNDS = int(os.environ.get("CK_ROUNDS", "5"))
pytestmark = pytest.mark.usefixtures("everything_settled")
Fault = Callable[[random.Random, list[Path]], None]


def some_file(chance: random.Random, entries: list[Path]) -> Path:
    files = sorted(path for path in entries[0].rglob("*") if path.is_file())
    return chance.choice(files)


def flip_a_bit(chance: random.Random, entries: list[Path]) -> None:
    path = some_file(chance, entries)
    data = bytearray(path.read_bytes())
    place = chance.randrange(len(data))
    data[place] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def flip_a_bit_and_keep_the_times(chance: random.Random, entries: list[Path]) -> None:
    path = some_file(chance, entries)
    before = path.stat()
    flip_a_bit(chance, entries)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def truncate(chance: random.Random, entries: list[Path]) -> None:
    path = some_file(chance, entries)
    os.truncate(path, chance.randrange(path.stat().st_size))


def lengthen(chance: random.Random, entries: list[Path]) -> None:
    with open(some_file(chance, entries), "ab") as stream:
        stream.write(chance.randbytes(chance.randrange(1, 100)))


def fill_with_zeros(chance: random.Random, entries: list[Path]) -> None:
    path = some_file(chance, entries)
    path.write_bytes(bytes(path.stat().st_size))


def empty(chance: random.Random, entries: list[Path]) -> None:
    some_file(chance, entries).write_bytes(b"")


def remove_a_file(chance: random.Random, entries: list[Path]) -> None:
    some_file(chance, entries).unlink()


def remove_everything_in_the_folder(_: random.Random, entries: list[Path]) -> None:
    for path in entries[0].iterdir():
        path.unlink()


def remove_the_folder(_: random.Random, entries: list[Path]) -> None:
    shutil.rmtree(entries[0])


def swap_libraries(_: random.Random, entries: list[Path]) -> None:
    first, second = (next(entry.glob("lib*.so")) for entry in entries[:2])
    mine, other = first.read_bytes(), second.read_bytes()
    first.write_bytes(other)
    second.write_bytes(mine)


def swap_records(_: random.Random, entries: list[Path]) -> None:
    first, second = (entry / RECORD for entry in entries[:2])
    mine, other = first.read_bytes(), second.read_bytes()
    first.write_bytes(other)
    second.write_bytes(mine)


def swap_whole_entries(_: random.Random, entries: list[Path]) -> None:
    first, second = entries[:2]
    aside = first.with_name("aside")
    first.rename(aside)
    second.rename(first)
    aside.rename(second)


def put_another_kernels_library_under_this_name(_: random.Random, entries: list[Path]) -> None:
    """The record says what is there, to the last hash; only it is another kernel's."""
    library = next(entries[0].glob("lib*.so"))
    shutil.copy(next(entries[1].glob("lib*.so")), library)
    record = json.loads((entries[0] / RECORD).read_bytes())
    data = library.read_bytes()
    record["files"][library.name] = {"sha256": sha256_bytes(data), "size": len(data)}
    (entries[0] / RECORD).write_bytes(canonical(record))


def take_another_kernels_record_for_its_own(_: random.Random, entries: list[Path]) -> None:
    """A whole entry of another kernel, with its library, under this one's key."""
    shutil.rmtree(entries[0])
    shutil.copytree(entries[1], entries[0])


def edit_the_record(chance: random.Random, entries: list[Path]) -> None:
    record = json.loads((entries[0] / RECORD).read_bytes())
    field = chance.choice(["created", "facts", "files", "format", "inputs", "key", "kind"])
    record[field] = chance.choice([None, 0, "", {}, [], "x"])
    (entries[0] / RECORD).write_bytes(canonical(record))


def edit_the_record_and_its_checksum(chance: random.Random, entries: list[Path]) -> None:
    record = json.loads((entries[0] / RECORD).read_bytes())
    del record["checksum"]
    field = chance.choice(["files", "format", "inputs", "key", "kind"])
    record[field] = chance.choice([None, 0, "", {}, [], "x"])
    record["checksum"] = sha256_bytes(canonical(record))
    (entries[0] / RECORD).write_bytes(canonical(record))


def write_another_format(chance: random.Random, entries: list[Path]) -> None:
    texts = [b"", b"{}", b"[]", b"null", b"1", b'"x"', b"\xff\xfe", b"{", b"[" * 100_000, b"1e999"]
    (entries[0] / RECORD).write_bytes(chance.choice(texts))


def forbid_reading(chance: random.Random, entries: list[Path]) -> None:
    chance.choice([entries[0], some_file(chance, entries)]).chmod(0)


def put_a_link_in_place(chance: random.Random, entries: list[Path]) -> None:
    path = some_file(chance, entries)
    path.unlink()
    path.symlink_to(chance.choice(["/etc/passwd", "/nowhere", str(path), "/dev/zero"]))


def put_a_folder_in_place(chance: random.Random, entries: list[Path]) -> None:
    path = some_file(chance, entries)
    path.unlink()
    path.mkdir()


def put_a_pipe_in_place(chance: random.Random, entries: list[Path]) -> None:
    path = some_file(chance, entries)
    path.unlink()
    os.mkfifo(path)


def put_a_file_in_place_of_the_folder(_: random.Random, entries: list[Path]) -> None:
    shutil.rmtree(entries[0])
    entries[0].write_text("not a folder")


def put_a_link_in_place_of_the_folder(_: random.Random, entries: list[Path]) -> None:
    shutil.rmtree(entries[0])
    entries[0].symlink_to(entries[1])


def add_a_file(chance: random.Random, entries: list[Path]) -> None:
    (entries[0] / "libextra.so").write_bytes(chance.randbytes(64))


FAULTS: tuple[Fault, ...] = (
    flip_a_bit,
    flip_a_bit_and_keep_the_times,
    truncate,
    lengthen,
    fill_with_zeros,
    empty,
    remove_a_file,
    remove_everything_in_the_folder,
    remove_the_folder,
    swap_libraries,
    swap_records,
    swap_whole_entries,
    put_another_kernels_library_under_this_name,
    take_another_kernels_record_for_its_own,
    edit_the_record,
    edit_the_record_and_its_checksum,
    write_another_format,
    forbid_reading,
    put_a_link_in_place,
    put_a_folder_in_place,
    put_a_pipe_in_place,
    put_a_file_in_place_of_the_folder,
    put_a_link_in_place_of_the_folder,
    add_a_file,
)


def damage(fault: Fault, chance: random.Random, entries: list[Path]) -> None:
    """Apply ``fault``; where a random one changed nothing, flipping a bit surely does."""
    before = {path: path.read_bytes() for path in entries[0].rglob("*") if path.is_file()}
    fault(chance, entries)
    if os.getuid() != 0 or fault is not forbid_reading:
        return
    after = {path: path.read_bytes() for path in entries[0].rglob("*") if path.is_file()}
    if before == after:
        flip_a_bit(chance, entries)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_damaged_kernel_is_found_out_and_built_again(
    compiler: FakeCompiler, cache: Cache, fault: Fault
) -> None:
    seed = int(os.environ.get("CK_SEED") or random.SystemRandom().randrange(2**32))
    print(f"CK_SEED={seed}")
    chance = random.Random(seed)
    specs = kernels()[:KERNELS]
    right = [content(result) for result in build_in(cache, *specs)]
    places = [result.check().parent for result in build_in(cache, *specs)]
    for number in range(ROUNDS):
        victim = chance.randrange(KERNELS)
        other = (victim + 1) % KERNELS
        damage(fault, chance, [places[victim], places[other]])
        compiler.forget_calls()
        results = build_in(cache, *specs)
        assert [content(result) for result in results] == right, f"round {number}"
        assert f"{specs[victim].name}.cpp" in compiler.calls("device"), f"round {number}"
        assert not results[victim].cached
        # Once repaired it is as good as new.
        assert all(result.cached for result in build_in(cache, *specs)), f"round {number}"


@pytest.mark.parametrize("kind", ["headers", "precompiled"])
def test_damaged_headers_are_replaced_before_anything_is_compiled_with_them(
    compiler: FakeCompiler, cache: Cache, kind: str
) -> None:
    seed = int(os.environ.get("CK_SEED") or random.SystemRandom().randrange(2**32))
    print(f"CK_SEED={seed}")
    chance = random.Random(seed)
    specs = kernels()[:KERNELS]
    right = [content(result) for result in build_in(cache, *specs, workers=1)]
    faults = [flip_a_bit, truncate, empty, remove_a_file, remove_the_folder, add_a_file, lengthen]
    for number in range(ROUNDS):
        entries = [entry.folder for entry in cache.list(kind)]
        assert entries, f"round {number}"
        victim = chance.choice(entries)
        whole = {path.name: path.read_bytes() for path in victim.rglob("*") if path.is_file()}
        chance.choice(faults)(chance, [victim])
        for result in build_in(cache, *specs, workers=1):
            shutil.rmtree(result.check().parent)
        results = build_in(cache, *specs, workers=1)
        assert [content(result) for result in results] == right, f"round {number}"
        again = {path.name: path.read_bytes() for path in victim.rglob("*") if path.is_file()}
        same = [name for name in whole if name not in (RECORD, "compile.log")]
        assert {name: again[name] for name in same} == {name: whole[name] for name in same}


def test_damaged_memos_locks_and_leases_do_no_harm(compiler: FakeCompiler, cache: Cache) -> None:
    seed = int(os.environ.get("CK_SEED") or random.SystemRandom().randrange(2**32))
    print(f"CK_SEED={seed}")
    chance = random.Random(seed)
    specs = kernels()[:KERNELS]
    right = [content(result) for result in build_in(cache, *specs)]
    layout = cache.layout
    for number in range(ROUNDS):
        for folder in (layout.memos, layout.locks, layout.leases, layout.work):
            (folder / f"{chance.randrange(16**16):016x}.lock").write_bytes(chance.randbytes(9))
            (folder / f"{chance.randrange(16**16):016x}.lease").write_bytes(chance.randbytes(9))
            (folder / f"{chance.randrange(16**16):016x}.json").write_bytes(chance.randbytes(9))
            for path in folder.iterdir():
                if path.is_file() and chance.random() < 0.3:
                    path.write_bytes(chance.randbytes(chance.randrange(50)))
        results = build_in(cache, *specs)
        assert [content(result) for result in results] == right, f"round {number}"
        cache.prune()


def test_verify_names_and_removes_what_is_damaged(compiler: FakeCompiler, cache: Cache) -> None:
    specs = kernels()[:KERNELS]
    results = build_in(cache, *specs)
    assert cache.verify() == []
    broken = results[1].check()
    broken.write_bytes(b"damaged")
    (damage_found,) = cache.verify()
    assert damage_found.kind == "kernels" and damage_found.key == broken.parent.name
    assert damage_found.reason == f"{broken} is not what was stored."
    assert not broken.parent.exists() and cache.verify() == []
    assert [result.cached for result in build_in(cache, *specs)] == [True, False, True]
