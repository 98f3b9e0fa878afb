# SPDX-License-Identifier: MIT
"""What another build changed: the figures of each kernel that is in both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ckdispatch.report.manifests import CLASSES, FIGURES, Kernel, Use

COMPARED = (
    *FIGURES,
    "object_bytes",
    *(f"{name}_instructions" for name in CLASSES if name != "matrix"),
)


@dataclass(frozen=True)
class Changed:
    """A kernel on a GPU with the figures that it had before, of those that are others now."""

    kernel: str
    gpu: str
    before: Mapping[str, int]
    after: Mapping[str, int]


@dataclass(frozen=True)
class Comparison:
    """``same`` counts the kernels whose figures are all as they were; ``same_code`` those of them
    whose code objects are, too.
    """

    changed: tuple[Changed, ...]
    same: int
    same_code: int
    added: tuple[tuple[str, str], ...]
    gone: tuple[tuple[str, str], ...]


def compare(before: Sequence[Kernel], after: Sequence[Kernel]) -> Comparison:
    """The two builds, kernel by kernel and GPU by GPU."""
    old, new = _by_gpu(before), _by_gpu(after)
    changed = []
    same = same_code = 0
    for (kernel, gpu), use in new.items():
        was = old.get((kernel, gpu))
        if was is None:
            continue
        then, now = figures(was), figures(use)
        others = {name: value for name, value in then.items() if name in now and now[name] != value}
        if others:
            changed.append(Changed(kernel, gpu, others, {name: now[name] for name in others}))
        else:
            same += 1
            same_code += bool(use.object_sha256) and use.object_sha256 == was.object_sha256
    added = tuple(key for key in new if key not in old)
    return Comparison(
        tuple(changed), same, same_code, added, tuple(key for key in old if key not in new)
    )


def figures(use: Use) -> dict[str, int]:
    """All that is compared of a kernel on a GPU, as far as it is known."""
    found = dict(use.figures)
    if use.object_bytes is not None:
        found["object_bytes"] = use.object_bytes
    for name, count in zip(CLASSES, use.mix or (), strict=False):
        if name != "matrix":
            found[f"{name}_instructions"] = count
    return found


def _by_gpu(kernels: Sequence[Kernel]) -> dict[tuple[str, str], Use]:
    return {(one.name, gpu): use for one in kernels for gpu, use in one.uses.items()}
