# SPDX-License-Identifier: MIT
"""What is loaded is what was hashed, and what lies at a path now, not what lay there before."""

from __future__ import annotations

import ctypes
import os
import shutil
import threading
from pathlib import Path

import pytest
from ckdispatch import Dispatcher, KernelInfo, Registry
from ckdispatch.errors import CkDispatchError
from dispatch_support import ESSENTIAL, random

TRIES = 300
HOSTILE = Path(os.environ["HOSTILE_LIBRARY"]).resolve()


def two_kernels() -> tuple[KernelInfo, KernelInfo]:
    first, second = sorted(
        (kernel for kernel in Registry.load(ESSENTIAL) if kernel.spec["pad_m"]),
        key=lambda kernel: kernel.name,
    )[:2]
    return first, second


@pytest.mark.parametrize("way", ["renamed over", "written over"])
def test_a_library_that_was_built_anew_at_its_path_is_the_new_one(tmp_path: Path, way: str) -> None:
    first, second = two_kernels()
    path = tmp_path / "libkernel.so"
    shutil.copy(first.library, path)
    before = Registry(name="before")
    assert before.add_library(path) == first.name
    a, b = random((64, 64), 1), random((64, 64), 2)
    assert Dispatcher(before).gemm(a, b, validate=True).kernel == first.name
    new = tmp_path / "new"
    shutil.copy(second.library, new)
    if way == "renamed over":
        new.replace(path)
    else:
        path.unlink()
        shutil.copyfile(new, path)
    after = Registry(name="after")
    assert after.add_library(path) == second.name
    assert after[second.name].sha256 == second.sha256
    assert Dispatcher(after).gemm(a, b, validate=True).kernel == second.name
    # The one of before is still what it was.
    assert Dispatcher(before).gemm(a, b, validate=True).kernel == first.name


def test_a_library_that_is_exchanged_while_it_is_opened_never_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, _ = two_kernels()
    path = tmp_path / "libkernel.so"
    for name, source in (("good", Path(good.library)), ("hostile", HOSTILE)):
        shutil.copy(source, tmp_path / name)
    monkeypatch.setenv("HOSTILE_TRACE", str(tmp_path))
    os.link(tmp_path / "good", path)
    stop = threading.Event()

    def exchange() -> None:
        number = 0
        while not stop.is_set():
            for name in ("hostile", "good"):
                number += 1
                os.link(tmp_path / name, tmp_path / f"next-{number}")
                os.replace(tmp_path / f"next-{number}", path)

    thread = threading.Thread(target=exchange)
    thread.start()
    opened = refused = 0
    try:
        for _ in range(TRIES):
            try:
                Registry().add_library(path, sha256=good.sha256)
                opened += 1
            except CkDispatchError:
                refused += 1
    finally:
        stop.set()
        thread.join()
    assert not (tmp_path / "trace").exists(), f"{opened} were opened and {refused} refused"
    assert refused > 0
    # That the trace would have been left.
    ctypes.CDLL(str(tmp_path / "hostile"))
    assert (tmp_path / "trace").exists()
