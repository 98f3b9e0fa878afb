# SPDX-License-Identifier: MIT
"""What every test of just-in-time building starts from."""

from __future__ import annotations

from pathlib import Path

import pytest
from ckdispatch.jit import Cache
from jit_support import FakeCompiler, fake_library


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fake_library(tmp_path_factory.mktemp("library"))


@pytest.fixture
def compiler(tmp_path: Path, library: Path, monkeypatch: pytest.MonkeyPatch) -> FakeCompiler:
    """A fake compiler and a little Composable Kernel, which the environment points to."""
    headers = tmp_path / "ck" / "include" / "ck_tile"
    headers.mkdir(parents=True)
    (headers / "core.hpp").write_text("// core\n")
    (headers / "ops.hpp").write_text("// ops\n")
    fake = FakeCompiler.install(tmp_path / "llvm", library)
    monkeypatch.setenv("CKDISPATCH_HIPCC", str(fake.clang))
    monkeypatch.setenv("CKDISPATCH_CK", str(tmp_path / "ck"))
    monkeypatch.setenv("CKDISPATCH_CACHE", str(tmp_path / "user"))
    for name in ("CKDISPATCH_JIT", "CKDISPATCH_CACHE_SIZE"):
        monkeypatch.delenv(name, raising=False)
    return fake


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


@pytest.fixture
def everything_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every build then keeps what it found out about the compiler, so that all make the same
    changes, however long ago the compiler was made up.
    """
    monkeypatch.setattr("ckdispatch.jit.memo._SETTLED", 0.0)
