# SPDX-License-Identifier: MIT
"""How long a build takes that has nothing to do."""

from __future__ import annotations

import time

from ckbench.bazel import Workspace
from ckbench.kernel_set import SET_TARGET

_TURNS = 5


def measure_noop(workspace: Workspace) -> tuple[float, ...]:
    """The seconds of some builds of an up-to-date ``workspace`` with a warm server."""
    workspace.build_quietly(SET_TARGET)
    return tuple(_seconds(workspace) for _ in range(_TURNS))


def _seconds(workspace: Workspace) -> float:
    started = time.perf_counter()
    workspace.build_quietly(SET_TARGET)
    return time.perf_counter() - started
