# SPDX-License-Identifier: MIT
"""The compiler flags of a kernel; ``flags.json`` is their only place, also for the Bazel rules."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from ckarch import GpuSpec

FLAGS_FILE = Path(__file__).parent / "flags.json"


@dataclass(frozen=True)
class CompilerFlags:
    """Flags by purpose: of both passes, of one pass, of kernels that share a library, and so on.

    ``table`` compiles the list of a combined library's kernels, which holds no device code.
    ``device`` has no registers reserved for far jumps: in clang 21 at least, a function of more
    than 128 KiB that is called reserves the one that holds the address to return to, and never
    returns (llvm-project issue 224205). Without, the compiler looks for a free one at each jump.

    ``by_gpu`` is for the device passes of GPUs of which a fact of arch/ is true, or has the value
    behind ``=``. Where fp8 is emulated, a tile can become so many branches that the compiler would
    call it instead of inlining it, with all that it holds in registers. tests/kernels has a kernel
    for each of the other two, in compiler_bugs.json: where 16-bit values get halves of registers,
    clang 21 forgets after a loop which half it was. And it moves WMMA instructions, which need all
    lanes, into the branch that stores C (llvm-project pull requests 165602 and 178314), where
    factors that were spilled come back in the lanes that store alone.
    """

    common: tuple[str, ...]
    device: tuple[str, ...]
    by_gpu: Mapping[str, tuple[str, ...]]
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
        of_facts = (
            flags
            for fact, flags in self.by_gpu.items()
            if any(_has(gpu, fact) for gpu in gpus)
        )
        return (*self.device, *chain.from_iterable(of_facts))

    def _targets(self, gpus: Sequence[GpuSpec]) -> tuple[str, ...]:
        return tuple(self.offload_arch + gpu.name for gpu in gpus)

    def _define(self, gpus: Sequence[GpuSpec]) -> str:
        wave_sizes = ",".join(f"{gpu.name}:{gpu.wave_size}" for gpu in gpus)
        return f'{self.gpus_define}"{wave_sizes}"'


def _has(gpu: GpuSpec, fact: str) -> bool:
    name, _, value = fact.partition("=")
    found = getattr(gpu, name)
    return bool(found == value if value else found)


def load_flags(path: Path = FLAGS_FILE) -> CompilerFlags:
    """The flags as ``flags.json`` has them."""
    data = json.loads(path.read_text(encoding="utf-8"))
    return CompilerFlags(
        common=tuple(data["common"]),
        device=tuple(data["device"]),
        by_gpu={fact: tuple(flags) for fact, flags in data["by_gpu"].items()},
        host=tuple(data["host"]),
        combined=tuple(data["combined"]),
        offload_arch=data["offload_arch"],
        gpus_define=data["gpus_define"],
        table=tuple(data["table"]),
        link=tuple(data["link"]),
    )
