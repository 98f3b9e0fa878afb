# SPDX-License-Identifier: MIT
"""Kernels to choose from: loaded from a manifest, or built from configs."""

from __future__ import annotations

import json
import os
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ckdispatch.errors import BuildFailed, InvalidArgument, NotFound
from ckdispatch.native import places
from ckdispatch.native.library import native
from ckdispatch.native.structures import DuplicatePolicy, Family
from ckdispatch.selection import Ranking, Selection

if TYPE_CHECKING:
    from ckdispatch.config.base import KernelConfig
    from ckdispatch.jit import BuildResult
    from ckdispatch.plan import Plan


@dataclass(frozen=True)
class KernelInfo:
    """A kernel of a registry. ``resources`` says for each GPU what its code uses."""

    name: str
    key: str
    spec: Mapping[str, Any]
    library: str
    sha256: str
    priority: int
    resources: Mapping[str, Mapping[str, int]]

    @property
    def gpus(self) -> tuple[str, ...]:
        return tuple(sorted(self.resources))


class Registry:
    """Kernels of one family in a fixed order, found by name and by key; from any thread.

    Nothing of it touches a device or loads HIP. It can be pickled: the copy has the same kernels.
    """

    def __init__(
        self, configs: Iterable[KernelConfig] = (), *, name: str = "default", family: str = "gemm"
    ) -> None:
        self.name = name
        self.family = _family(family)
        self.configs: list[KernelConfig] = []
        self._adopt(native().make("ckd_registry_create", self.family, name.encode()))
        for config in configs:
            self.add(config)

    def _adopt(self, handle: int) -> None:
        self.handle = handle
        self.generation = 0
        self._selections: dict[str, Selection] = {}
        self._built: list[BuildResult] = []
        """Hold the cache's entries as long as their libraries may be opened."""
        weakref.finalize(self, native().functions.ckd_registry_destroy, handle)

    @classmethod
    def _of(cls, handle: int, name: str, family: Family) -> Registry:
        registry = cls.__new__(cls)
        registry.name, registry.family, registry.configs = name, family, []
        registry._adopt(handle)
        return registry

    @classmethod
    def load(cls, *sets: str | os.PathLike[str], name: str | None = None, priority: int = 0) -> Registry:
        """The kernels of some sets, each given by its name (found in Bazel's runfiles) or by its manifest's path.

        Libraries are opened when they are first selected. A kernel that is in two of the sets is taken once.
        """
        if not sets:
            raise InvalidArgument("a registry was to be loaded from no kernel set; name one, such as gemm_fp16_rcr_all")
        registry = cls(name=name or "+".join(_set_name(one) for one in sets))
        for one in sets:
            registry.load_manifest(places.find_manifest(one), priority=priority, duplicates=DuplicatePolicy.KEEP)
        return registry

    def load_manifest(
        self,
        path: str | os.PathLike[str],
        *,
        priority: int = 0,
        duplicates: DuplicatePolicy = DuplicatePolicy.REFUSE,
    ) -> int:
        """Adds the kernels of a manifest, all or none; returns how many."""
        self.generation += 1
        return native().count("ckd_registry_load_manifest", self.handle, os.fsencode(path), duplicates, priority)

    def add(self, config: KernelConfig) -> None:
        """Adds a config, which ``build()`` compiles."""
        self.configs.append(config)

    def add_library(
        self,
        path: str | os.PathLike[str],
        *,
        sha256: str | None = None,
        priority: int = 0,
        duplicates: DuplicatePolicy = DuplicatePolicy.REFUSE,
    ) -> str:
        """Opens a kernel library, adds its kernel and returns its name."""
        self.generation += 1
        digest = sha256.encode() if sha256 else None
        return native().text("ckd_registry_add_library", self.handle, os.fsencode(path), digest, duplicates, priority)

    def build(
        self,
        gpu: str | None = None,
        *,
        max_workers: int | None = None,
        progress: bool = False,
        check: bool = True,
    ) -> list[BuildResult]:
        """Compiles the configs for a GPU, in parallel and through the cache, and adds the kernels.

        The GPU is by default that of the device that programs run on unless told otherwise: what CKDISPATCH_DEVICE names,
        the machine's first AMD GPU, or a simulated gfx942. Configs that a rule refuses raise before anything is compiled. One kernel that fails does not lose the others:
        the results name each failure with its compiler log, and with ``check`` they raise at the end.
        """
        from ckdispatch import device_list, jit

        gpu = gpu or device_list.default_gpu()
        specs = [one.spec for config in self.configs for one in config.expand(gpu)]
        results = jit.build(specs, [gpu], max_workers=max_workers, progress=progress)
        self._built += results
        for result in results:
            if result.library is not None:
                self.add_library(result.library, sha256=result.sha256, duplicates=DuplicatePolicy.REPLACE)
        if check:
            _raise_failures(results)
        return results

    def remove(self, name: str) -> None:
        self.generation += 1
        native().call("ckd_registry_remove", self.handle, name.encode())

    def merge(self, other: Registry, *, duplicates: DuplicatePolicy = DuplicatePolicy.REFUSE) -> int:
        """Adds the kernels of another registry, all or none; returns how many."""
        self.generation += 1
        return native().count("ckd_registry_merge", self.handle, other.handle, duplicates)

    def filter(
        self, *, predicate: Callable[[KernelInfo], bool] | None = None, gpu: str | None = None, **words: str
    ) -> Registry:
        """The kernels that match: ``dtype_a="fp16"``, ``layout="rcr"``, ``pipeline=…``, ``gpu=…``, ``predicate=…``."""
        chosen = {**words, **({"gpu": gpu} if gpu else {})}
        handle = native().make("ckd_registry_filtered", self.handle, json.dumps(chosen).encode())
        registry = Registry._of(handle, self.name, self.family)
        if predicate:
            for kernel in list(registry):
                if not predicate(kernel):
                    registry.remove(kernel.name)
        return registry

    def __len__(self) -> int:
        return int(native().functions.ckd_registry_size(self.handle))

    def __iter__(self) -> Iterator[KernelInfo]:
        for kernel in self.to_json()["kernels"]:
            yield self[kernel["name"]]

    def __contains__(self, name: object) -> bool:
        try:
            return isinstance(name, str) and bool(self[name])
        except (InvalidArgument, NotFound):
            return False

    def __getitem__(self, name_or_key: str) -> KernelInfo:
        found = native().json("ckd_registry_find", self.handle, name_or_key.encode())
        return KernelInfo(
            name=found["name"], key=found["key"], spec=found["spec"], library=found["library"],
            sha256=found["library_sha256"], priority=found["priority"], resources=found["resources"],
        )

    @property
    def gpus(self) -> tuple[str, ...]:
        """The GPUs that some kernel holds code for."""
        return tuple(sorted(self.to_json()["statistics"]["gpus"]))

    def to_json(self) -> dict[str, Any]:
        """Every kernel with its spec, library and resources, and statistics."""
        document: dict[str, Any] = native().json("ckd_registry_to_json", self.handle)
        return document

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Registry:
        """The inverse of ``to_json``. Libraries must be where they were, with the same content."""
        family = _family(document.get("family", "gemm"))
        handle = native().make("ckd_registry_from_json", family, json.dumps(document).encode())
        return cls._of(handle, str(document["registry"]), family)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self.to_json(), self.configs)

    def selection(self, gpu: str | None = None) -> Selection:
        """Chooses kernels of this registry for a GPU; the registry's only one if none is named."""
        if gpu is None:
            if len(self.gpus) != 1:
                held = ", ".join(self.gpus) or "none"
                raise InvalidArgument(f"the registry {self.name} holds code for several GPUs or none ({held}); say which: gpu=…")
            (gpu,) = self.gpus
        if gpu not in self._selections:
            self._selections[gpu] = Selection(self, gpu)
        return self._selections[gpu]

    def select(self, problem: Any, *, gpu: str | None = None, kernel: str | None = None) -> Plan:
        """The plan for a problem: the best kernel, or the one that is named. Raises ``NoKernel`` with reasons."""
        return self.selection(gpu).select(problem, kernel=kernel)

    def rank(self, problem: Any, *, gpu: str | None = None) -> Ranking:
        """Every kernel: those that compute the problem with what they should take, and why the others do not."""
        return self.selection(gpu).rank(problem)

    def explain(self, problem: Any, *, gpu: str | None = None) -> str:
        """The ranking in sentences."""
        return str(self.rank(problem, gpu=gpu))

    def __repr__(self) -> str:
        return f"Registry({self.name!r}, {len(self)} kernels)"


def _unpickled(document: Mapping[str, Any], configs: list[KernelConfig]) -> Registry:
    registry = Registry.from_json(document)
    registry.configs = configs
    return registry


def _raise_failures(results: list[BuildResult]) -> None:
    failed = [result for result in results if not result.ok]
    if failed:
        also = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
        raise BuildFailed(f"{len(failed)} of {len(results)} kernels could not be built: {failed[0].error}{also}")


def _family(name: object) -> Family:
    try:
        return Family[str(name).upper()]
    except KeyError:
        known = ", ".join(family.name.lower() for family in Family)
        raise InvalidArgument(f"a registry of the family {name!r} was asked for; there is {known}") from None


def _set_name(one: str | os.PathLike[str]) -> str:
    return os.path.basename(os.fspath(one)).removesuffix(".manifest.json")
