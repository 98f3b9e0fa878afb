# SPDX-License-Identifier: MIT
"""One ``--config`` shorthand per GPU."""

from __future__ import annotations

from typing import Any


def bazelrc(document: dict[str, Any]) -> str:
    """The text of ``gpus.bazelrc``."""
    lines = [f"build:{gpu} --//arch:gpus={gpu}\n" for gpu in document["architectures"]]
    return (
        "# One shorthand per GPU of arch_specs.json. After a change there, write this file again:\n"
        "#   python3 arch/generate.py --bazelrc arch/gpus.bazelrc\n" + "".join(lines)
    )
