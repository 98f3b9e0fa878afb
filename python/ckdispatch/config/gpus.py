# SPDX-License-Identifier: MIT
"""GPUs by name."""

from __future__ import annotations

from functools import cache

from ckarch import ArchSpecs, load_specs
from ckgen.core.target import Target

from ckdispatch.errors import InvalidArgument
from ckdispatch.wording import quoted


@cache
def arch_specs() -> ArchSpecs:
    """The project's facts about GPUs."""
    return load_specs()


def gpu_target(name: str) -> Target:
    """The GPU called ``name``; raises ``InvalidArgument`` with the known names otherwise."""
    specs = arch_specs()
    if not isinstance(name, str) or name not in specs.gpus:
        raise InvalidArgument(f"there is no GPU {quoted(name)}; known ones are {', '.join(specs.gpus)}")
    return Target.of(specs, name)
