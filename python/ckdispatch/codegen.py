# SPDX-License-Identifier: MIT
"""Sources of kernels from configs, over the project's generator."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ckgen.core.declaration import parse_fields
from ckgen.core.errors import CkgenError
from ckgen.core.family import Family, look_up_family
from ckgen.core.generate import GeneratedKernel, generate
from ckgen.core.spec import KernelSpec
from ckgen.core.target import DEFAULT_GPU, Target
from ckgen.families import FAMILIES as GENERATORS

from ckdispatch.arguments import checked_path, members
from ckdispatch.config.base import KernelConfig
from ckdispatch.config.values import arch_specs, gpu_target
from ckdispatch.errors import GenerationFailed, InvalidArgument
from ckdispatch.families import EXAMPLE, FAMILIES
from ckdispatch.threads import processors
from ckdispatch.wording import kind_of, quoted


@dataclass(frozen=True)
class GeneratedSource:
    """What became of one kernel: its source file, or ``error``, the sentence why there is none.

    ``written`` is false if the file was there already with the same content. A config that is not
    legal has no kernel; it is called by its name, or as it was written if it has none.
    """

    name: str
    path: Path | None
    written: bool = False
    error: str = ""

    @property
    def ok(self) -> bool:
        """Whether the source file is there."""
        return not self.error

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON values."""
        return {
            "name": self.name,
            "path": None if self.path is None else str(self.path),
            "written": self.written,
            "error": self.error or None,
        }


@dataclass(frozen=True)
class GenerationResult:
    """Every kernel that was asked for; true if all of them have a source."""

    output_dir: Path
    kernels: tuple[GeneratedSource, ...]

    @property
    def ok(self) -> bool:
        """Whether every kernel has a source."""
        return not self.failures

    @property
    def files(self) -> tuple[Path, ...]:
        """The source files, written or left as they were."""
        return tuple(kernel.path for kernel in self.kernels if kernel.ok and kernel.path)

    @property
    def failures(self) -> tuple[GeneratedSource, ...]:
        """The kernels without a source."""
        return tuple(kernel for kernel in self.kernels if not kernel.ok)

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        written = sum(kernel.written for kernel in self.kernels)
        unchanged = len(self.files) - written
        text = (
            f"{len(self.files)} of {len(self.kernels)} kernels are in {self.output_dir}: "
            f"{written} written, {unchanged} unchanged"
        )
        if self.ok:
            return text
        return f"{text}, {len(self.failures)} failed, the first one thus: {self.failures[0].error}"

    def raise_if_failed(self) -> GenerationResult:
        """Itself, or ``GenerationFailed`` with the first error if any kernel has no source."""
        if not self.ok:
            raise GenerationFailed(str(self))
        return self

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON values."""
        return {
            "output_dir": str(self.output_dir),
            "ok": self.ok,
            "kernels": [kernel.to_json() for kernel in self.kernels],
        }


Progress = Callable[[int, int, GeneratedSource], None]
"""Is told about each kernel: its number from 1, of how many, and what became of it."""


class CodegenRunner:
    """Writes the sources of kernels for the GPU ``arch`` into ``output_dir``, which is made.

    A kernel that fails does not lose the others: its error is in the result. Sources that would not
    change are left alone. ``jobs`` processes work at it, by default as many as there are CPUs.
    """

    def __init__(
        self,
        output_dir: str | os.PathLike[str] = "generated_kernels",
        arch: str = DEFAULT_GPU,
        jobs: int | None = None,
    ) -> None:
        if jobs is not None and (not isinstance(jobs, int) or jobs < 1):
            raise InvalidArgument(f"{quoted(jobs)} jobs were asked for; it must be at least 1")
        self.output_dir = checked_path("the folder of the sources", output_dir)
        self._target = gpu_target(arch)
        self.jobs = jobs or processors()

    @property
    def arch(self) -> str:
        """The GPU that kernels must be legal on."""
        return self._target.name

    def generate_from_config(
        self, config: KernelConfig | Iterable[KernelConfig], progress: Progress | None = None
    ) -> GenerationResult:
        """The sources of one config or of several, each with all kernels that it expands to."""
        several = tuple(config) if isinstance(config, Iterator) else members(config)
        configs: list[KernelConfig] = []
        for one in (config,) if several is None else several:
            if not isinstance(one, KernelConfig):
                raise InvalidArgument(
                    f"sources of {kind_of(one)} were asked for; give a config such as "
                    f"{EXAMPLE.config}, or several"
                )
            configs.append(one)
        return self._generate([item for each in configs for item in self._expanded(each)], progress)

    def generate(
        self,
        variant: str = "standard",
        family: str | None = None,
        progress: Progress | None = None,
        **fields: Any,
    ) -> GenerationResult:
        """The sources of a family's catalogue: all of a variant that is worth trying on the GPU.

        The family is by default the one that has the variant.
        ``fields`` narrow it down, such as ``dtype="bf16"`` or ``layout=["rcr", "rrr"]``, and
        ``"*"`` stands for all. What is left out is what the family's command fills in, such as
        fp16, or its default.
        """
        chosen = self._family_with(variant) if family is None else family
        return self._generate(list(self._catalogue(chosen, variant, fields)), progress)

    def generate_all(self, progress: Progress | None = None, **fields: Any) -> GenerationResult:
        """The sources of every variant of every family that knows ``fields``,
        as for ``generate``.
        """
        with_them = [family for family in GENERATORS.values() if _knows(family, fields)]
        wanted = [
            item
            for family in with_them or GENERATORS.values()
            for variant in _variants(family, self._target)
            for item in self._catalogue(family.name, variant, fields)
        ]
        # That a variant has no kernel with such fields is no failure of the others.
        kernels = [item for item in wanted if not isinstance(item, GeneratedSource)]
        return self._generate(list(kernels) or wanted, progress)

    def _family_with(self, variant: str) -> str:
        known = {name: _variants(family, self._target) for name, family in GENERATORS.items()}
        for name, variants in known.items():
            if isinstance(variant, str) and variant in variants:
                return name
        has = "; ".join(f"{name} has {', '.join(variants)}" for name, variants in known.items())
        raise InvalidArgument(f"no family has a variant {quoted(variant)}: {has}")

    def _expanded(self, config: KernelConfig) -> Iterator[KernelSpec | GeneratedSource]:
        expansion = config.expansion(self._target)
        yield from (kernel.spec for kernel in expansion.kernels)
        for error in expansion.errors:
            name = config.name if config.is_explicit else repr(config)
            yield GeneratedSource(name, None, error=error)

    def _catalogue(
        self, family_name: str, variant: str, fields: dict[str, Any]
    ) -> Iterator[KernelSpec | GeneratedSource]:
        try:
            family = look_up_family(
                GENERATORS, family_name if isinstance(family_name, str) else quoted(family_name)
            )
        except CkgenError as error:
            raise InvalidArgument(str(error)) from error
        variants = _variants(family, self._target)
        if not isinstance(variant, str) or variant not in variants:
            raise InvalidArgument(
                f"the family {family.name} has no variant {quoted(variant)}; "
                f"it has {', '.join(variants)}"
            )
        at_top = _narrowing(family)
        for name in fields:
            if name not in at_top:
                raise InvalidArgument(
                    f"the catalogue of {family.name} cannot be narrowed down by {quoted(name)}, "
                    f"only by {', '.join(at_top)}"
                )
        said = _said_variant(family, variant)
        usual = {f.name: f.usual for f in family.entry_fields if f.required and f.name in at_top}
        chosen = usual | fields | said
        for entry in family.catalogue(chosen)["kernels"]:
            yield from self._expanded(FAMILIES[family.name].config_type(**{**chosen, **entry}))

    def _generate(
        self, wanted: list[KernelSpec | GeneratedSource], progress: Progress | None
    ) -> GenerationResult:
        if progress is not None and not callable(progress):
            raise InvalidArgument(
                f"progress was asked for as {quoted(progress)}; "
                "it is a function that is told about each kernel"
            )
        # What several configs mean is generated once.
        wanted = list(dict.fromkeys(wanted))
        done: list[GeneratedSource] = []

        def tell(kernel: GeneratedSource) -> None:
            done.append(kernel)
            if progress is not None:
                progress(len(done), len(wanted), kernel)

        def tell_generated(number: int, total: int, kernel: GeneratedKernel) -> None:
            path = None if kernel.error else kernel.path
            tell(GeneratedSource(kernel.name, path, kernel.written, kernel.error))

        for item in wanted:
            if isinstance(item, GeneratedSource):
                tell(item)
        for family in GENERATORS.values():
            specs = [item for item in wanted if isinstance(item, family.spec_type)]
            generate(
                family,
                specs,
                arch_specs(),
                self.output_dir,
                self.jobs,
                tell_generated,
                keep_going=True,
            )
        return GenerationResult(self.output_dir, tuple(done))


def _said_variant(family: Family, variant: str) -> dict[str, str]:
    names = [field.name for field in family.entry_fields]
    return {"variant": variant} if "variant" in names else {}


def _narrowing(family: Family) -> list[str]:
    """The fields by which a family's catalogue is narrowed down."""
    return [f.name for f in family.entry_fields if f.set_level and f.name != "variant"]


def _knows(family: Family, fields: dict[str, Any]) -> bool:
    """Whether it is narrowed down by such fields, and has a meaning for what they say."""
    if not set(fields) <= set(_narrowing(family)):
        return False
    try:
        parse_fields(family, fields)
    except CkgenError:
        return False
    return True


def _variants(family: Family, target: Target) -> tuple[str, ...]:
    """What a family calls its variants; one without that field has a standard one only."""
    choices = (f.choices(target, {}) for f in family.entry_fields if f.name == "variant")
    return tuple(str(choice) for several in choices for choice in several) or ("standard",)
