# SPDX-License-Identifier: MIT
"""What the generator gives for a kernel: its source text, and the files that go with its family."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ckarch import ArchSpecs, GpuSpec, UnknownNameError
from ckgen.core.errors import CkgenError, UsageError
from ckgen.core.family import Family, look_up_family
from ckgen.core.generate import render_kernel
from ckgen.core.nearest import refusal
from ckgen.core.rules import first_violation
from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target
from ckgen.families import FAMILIES

from ckdispatch.arguments import members
from ckdispatch.errors import GenerationFailed, InvalidArgument, NotFound
from ckdispatch.wording import quoted

_ABI_HEADER = "ck_kernel_abi.h"
_ABI_VERSION = re.compile(r"#define\s+CK_KERNEL_ABI_VERSION\s+(\d+)")


@dataclass(frozen=True)
class FamilyFiles:
    """Files of a family beside its headers. ``precompiled`` is None if it was not shipped."""

    exports: bytes
    precompiled: bytes | None
    abi_version: int


def family_of(spec: KernelSpec) -> Family:
    """The family that renders ``spec``."""
    if not isinstance(spec, KernelSpec):
        raise InvalidArgument(
            f"build takes kernel specs, not {type(spec).__name__}; parse a name with its family, "
            "or expand a configuration."
        )
    try:
        return look_up_family(FAMILIES, spec.family)
    except UsageError as error:
        raise InvalidArgument(f"{error}.") from error


def family_files(family: Family) -> FamilyFiles:
    """The files that compiling and linking kernels of ``family`` takes beside its headers."""
    headers = family.headers
    include = _include_folder(headers)
    exports = include / "ck_kernel" / "host" / "exports.map"
    sample = include.parent / "precompiled" / f"{family.name}.hpp"
    try:
        version = _ABI_VERSION.search(headers[_ABI_HEADER].read_text(encoding="utf-8"))
        return FamilyFiles(
            exports=exports.read_bytes(),
            precompiled=sample.read_bytes() if sample.is_file() else None,
            abi_version=int(version[1]) if version else 0,
        )
    except (OSError, KeyError) as error:
        raise NotFound(
            f"a {family.name} kernel was to be compiled and the generator's headers are not beside "
            f"it ({error}); build with //python:ckdispatch, or run from a whole source tree."
        ) from error


def _include_folder(headers: Mapping[str, Path]) -> Path:
    """The folder that the names of the generator's headers are relative to."""
    for name, path in headers.items():
        if name.startswith("ck_kernel/"):
            return path.parents[name.count("/")]
    raise NotFound(
        "a kernel was to be compiled and the generator's headers (ck_kernel/) are not beside it; "
        "build with //python:ckdispatch, or run from a whole source tree."
    )


def parse_gpus(gpus: str | Sequence[str], arch: ArchSpecs) -> tuple[GpuSpec, ...]:
    """The GPUs of a list, or of text with commas; each once, in the order of the arch table."""
    names = gpus.split(",") if isinstance(gpus, str) else list(members(gpus) or ())
    if not all(isinstance(name, str) for name in names):
        raise InvalidArgument(
            f"build was given {quoted(gpus)} as its GPUs; they are names such as gfx942."
        )
    names = [name.strip() for name in names if name.strip()]
    if not names:
        raise InvalidArgument("build was given no GPU; name at least one, such as gfx942.")
    try:
        wanted = {arch.gpu(name).name for name in names}
    except UnknownNameError as error:
        raise InvalidArgument(f"kernels cannot be built for that GPU: {error}") from error
    return tuple(gpu for gpu in arch.architectures.values() if gpu.name in wanted)


def why_illegal(
    family: Family, spec: KernelSpec, arch: ArchSpecs, gpus: tuple[GpuSpec, ...]
) -> str | None:
    """The refusal of the first rule that ``spec`` breaks on one of ``gpus``, or None."""
    for gpu in gpus:
        target = Target.of(arch, gpu.name)
        finding = first_violation(family.rules, spec, target)
        if finding is not None:
            reason = refusal(family, finding, spec, target)
            return f"{spec.name} cannot be built for {gpu.name}: {reason}."
    return None


def source_text(family: Family, spec: KernelSpec, arch: ArchSpecs) -> bytes:
    """The C++ source of a kernel."""
    try:
        return render_kernel(family, spec, arch).encode("utf-8")
    except CkgenError as error:
        raise GenerationFailed(f"{spec.name} has no source: {error}.") from error
