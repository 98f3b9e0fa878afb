# SPDX-License-Identifier: MIT
"""The compiler flags of a kernel; ``flags.json`` is their only place, also for the Bazel rules."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

FLAGS_FILE = Path(__file__).parent / "flags.json"


@dataclass(frozen=True)
class CompilerFlags:
    """``common`` flags of both passes, those of one pass, and those of ``combined`` libraries."""

    common: tuple[str, ...]
    device: tuple[str, ...]
    host: tuple[str, ...]
    combined: tuple[str, ...]
    offload_arch: str
    link: tuple[str, ...]

    def for_combined_library(self, gpus: tuple[str, ...]) -> tuple[str, ...]:
        """Flags to compile one kernel, for all of ``gpus``, into a library with others."""
        targets = tuple(self.offload_arch + gpu for gpu in gpus)
        return (*self.common, *targets, *self.device, *self.host, *self.combined)


def load_flags(path: Path = FLAGS_FILE) -> CompilerFlags:
    """The flags as ``flags.json`` has them."""
    data = json.loads(path.read_text(encoding="utf-8"))
    return CompilerFlags(
        common=tuple(data["common"]),
        device=tuple(data["device"]),
        host=tuple(data["host"]),
        combined=tuple(data["combined"]),
        offload_arch=data["offload_arch"],
        link=tuple(data["link"]),
    )
