# SPDX-License-Identifier: MIT
"""One cache for all tests that compile."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a user with a cache of their own, and with the machine's compiler."""
    folder: Path = tmp_path_factory.mktemp("user's cache")
    return {"CKDISPATCH_CACHE": str(folder)}
