# SPDX-License-Identifier: MIT
"""The compiler flags of a kernel; ``flags.json`` is their only place, also for the Bazel rules."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ckarch import GpuSpec

FLAGS_FILE = Path(__file__).parent / "flags.json"


@dataclass(frozen=True)
class CompilerFlags:
    """Flags by purpose: of both passes, of one pass, of kernels that share a library, and so on.

    ``table`` compiles the list of a combined library's kernels, which holds no device code.
    ``device_by_gpu`` is for the device passes of single GPUs. The older ones convert fp8 in long
    branches of code, a tile of which the compiler would no longer inline; and a function that long
    loses the address to which it returns, in clang 21 at least: its far jumps go through
    the register that holds it.
    """

    common: tuple[str, ...]
    device: tuple[str, ...]
    device_by_gpu: Mapping[str, tuple[str, ...]]
    host: tuple[str, ...]
    combined: tuple[str, ...]
    offload_arch: str
    gpus_define: str
    table: tuple[str, ...]
    link: tuple[str, ...]

    def for_combined_library(self, gpus: Sequence[GpuSpec]) -> tuple[str, ...]:
        """Flags to compile one kernel, for all of ``gpus`` at once, into a library with others."""
        targets = (*self._targets(gpus), *self._device(gpus), *self.host)
        return (*self.common, *targets, *self.combined, self._define(gpus))

    def for_device_pass(self, gpu: GpuSpec) -> tuple[str, ...]:
        """Flags of the device pass alone, for one GPU."""
        return (*self.common, *self._device([gpu]), *self._targets([gpu]))

    def for_host_pass(self, gpus: Sequence[GpuSpec]) -> tuple[str, ...]:
        """Flags of the host pass alone, of a library for ``gpus``."""
        return (*self.common, *self.host, *self._targets(gpus), self._define(gpus))

    def _device(self, gpus: Sequence[GpuSpec]) -> tuple[str, ...]:
        # Those of one GPU do no harm to the others that one command compiles for.
        own = dict.fromkeys(self.device_by_gpu.get(gpu.name, ()) for gpu in gpus)
        return (*self.device, *(flag for flags in own for flag in flags))

    def _targets(self, gpus: Sequence[GpuSpec]) -> tuple[str, ...]:
        return tuple(self.offload_arch + gpu.name for gpu in gpus)

    def _define(self, gpus: Sequence[GpuSpec]) -> str:
        wave_sizes = ",".join(f"{gpu.name}:{gpu.wave_size}" for gpu in gpus)
        return f'{self.gpus_define}"{wave_sizes}"'


def load_flags(path: Path = FLAGS_FILE) -> CompilerFlags:
    """The flags as ``flags.json`` has them."""
    data = json.loads(path.read_text(encoding="utf-8"))
    return CompilerFlags(
        common=tuple(data["common"]),
        device=tuple(data["device"]),
        device_by_gpu={gpu: tuple(flags) for gpu, flags in data["device_by_gpu"].items()},
        host=tuple(data["host"]),
        combined=tuple(data["combined"]),
        offload_arch=data["offload_arch"],
        gpus_define=data["gpus_define"],
        table=tuple(data["table"]),
        link=tuple(data["link"]),
    )
