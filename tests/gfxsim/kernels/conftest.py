# SPDX-License-Identifier: MIT
"""The simulated GPU that every test gets, with memory that lasts as long as the test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from gfxsim import Runtime
from kernel_runs import Device


@pytest.fixture(scope="session")
def simulator() -> Runtime:
    return Runtime(Path(os.environ["CK_SIM_RUNTIME"]))


@pytest.fixture
def device(simulator: Runtime) -> Iterator[Device]:
    with ExitStack() as memory:
        yield Device(simulator, memory)
