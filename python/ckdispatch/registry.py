# SPDX-License-Identifier: MIT
"""Kernels to choose from: loaded from a manifest, or built from configs."""

from __future__ import annotations

import json
import os
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from ckdispatch.arguments import checked_path, in_range, members, text, truth
from ckdispatch.errors import BuildFailed, Damaged, InvalidArgument, NotFound
from ckdispatch.families import EXAMPLE
from ckdispatch.native import places
from ckdispatch.native.library import native
from ckdispatch.native.structures import DuplicatePolicy
from ckdispatch.plan import Plan
from ckdispatch.problem import P, Problem
from ckdispatch.selection import Ranking, Selection
from ckdispatch.threads import Guard
from ckdispatch.wording import kind_of, quoted

if TYPE_CHECKING:
    from ckdispatch.config.base import KernelConfig
    from ckdispatch.jit import BuildResult


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
    """Kernels of any families in a fixed order, found by name and by key; from any thread.

    Nothing of it touches a device or loads HIP. It can be pickled: the copy has the same kernels.
    """

    def __init__(self, configs: Iterable[KernelConfig] = (), *, name: str = "default") -> None:
        text("the name of a registry", name)
        self.name = name
        self.configs: list[KernelConfig] = [_checked_config(one) for one in _several(configs)]
        self.generation = 0
        self._handle = 0
        self._making = Guard()
        self._selections: dict[str, Selection] = {}
        self._built: list[BuildResult] = []
        """Hold the cache's entries as long as their libraries may be opened."""

    @classmethod
    def _of(cls, handle: int, name: str) -> Registry:
        registry = cls(name=name)
        registry._keep(handle)
        return registry

    def _keep(self, handle: int) -> None:
        self._handle = handle
        weakref.finalize(self, native().functions.ckd_registry_destroy, handle)

    @property
    def handle(self) -> int:
        """The registry of the C++ runtime, which is loaded when it is first needed."""
        if not self._handle:
            with self._making.held():
                if not self._handle:
                    self._keep(
                        native().make(
                            "ckd_registry_create", text("the name of a registry", self.name)
                        )
                    )
        return self._handle

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Around every change of its kernels: what was selected before is no longer the last word,
        also if the change failed.
        """
        try:
            yield
        finally:
            # Afterwards, so that nobody takes what it selected in the meantime for a choice among
            # the new kernels.
            with self._making.held():
                self.generation += 1

    @property
    def families(self) -> tuple[str, ...]:
        """The families that it has kernels of."""
        return tuple(dict.fromkeys(kernel["family"] for kernel in self.to_json()["kernels"]))

    @classmethod
    def load(
        cls, *sets: str | os.PathLike[str], name: str | None = None, priority: int = 0
    ) -> Registry:
        """The kernels of some sets, each given by its name (found in Bazel's runfiles) or by its
        manifest's path.

        Libraries are opened when they are first selected. A kernel that is in two of the sets is
        taken once.
        """
        if name is not None:
            text("the name of a registry", name)
        if not sets:
            raise InvalidArgument(
                "a registry was to be loaded from no kernel set; name one, such as "
                f"{EXAMPLE.example_kernels}"
            )
        registry = cls(name=name or "+".join(_set_name(one) for one in sets))
        for one in sets:
            registry.load_manifest(
                places.find_manifest(one), priority=priority, duplicates=DuplicatePolicy.KEEP
            )
        return registry

    def load_manifest(
        self,
        path: str | os.PathLike[str],
        *,
        priority: int = 0,
        duplicates: DuplicatePolicy = DuplicatePolicy.REFUSE,
    ) -> int:
        """Adds the kernels of a manifest, all or none; returns how many."""
        name = os.fsencode(checked_path("a manifest", path))
        with self._changing():
            return native().count(
                "ckd_registry_load_manifest",
                self.handle,
                name,
                _policy(duplicates),
                _priority(priority),
            )

    def add(self, config: KernelConfig) -> None:
        """Adds a config, which ``build()`` compiles."""
        self.configs.append(_checked_config(config))

    def add_library(
        self,
        path: str | os.PathLike[str],
        *,
        sha256: str | None = None,
        priority: int = 0,
        duplicates: DuplicatePolicy = DuplicatePolicy.REFUSE,
    ) -> str:
        """Opens a kernel library, adds its kernel and returns its name."""
        digest = text("sha256", sha256) if sha256 is not None else None
        name, policy = os.fsencode(checked_path("a kernel library", path)), _policy(duplicates)
        with self._changing():
            return native().text(
                "ckd_registry_add_library", self.handle, name, digest, policy, _priority(priority)
            )

    def build(
        self,
        gpu: str | None = None,
        *,
        max_workers: int | None = None,
        progress: bool = False,
        check: bool = True,
    ) -> list[BuildResult]:
        """Compiles the configs for a GPU, in parallel and through the cache, and adds the kernels.

        The GPU is by default that of the device that programs run on unless told otherwise: what
        CKDISPATCH_DEVICE names, the machine's first AMD GPU, or a simulated gfx942. Configs that a
        rule refuses raise before anything is compiled. One kernel that fails does not lose the
        others: the results name each failure with its compiler log, and with ``check`` they raise
        at the end.
        """
        from ckdispatch import device_list, jit

        check, progress = truth("check", check), truth("progress", progress)
        gpu = device_list.default_gpu() if gpu is None else text("a GPU", gpu).decode()
        specs = [one.spec for config in self.configs for one in config.expand(gpu)]
        results = jit.build(specs, [gpu], max_workers=max_workers, progress=progress)
        self._built += results
        for result in results:
            if result.library is not None:
                self.add_library(
                    result.library, sha256=result.sha256, duplicates=DuplicatePolicy.REPLACE
                )
        if check:
            _raise_failures(results)
        return results

    def remove(self, name: str) -> None:
        kernel = text("a kernel", name)
        with self._changing():
            native().call("ckd_registry_remove", self.handle, kernel)

    def merge(
        self, other: Registry, *, duplicates: DuplicatePolicy = DuplicatePolicy.REFUSE
    ) -> int:
        """Adds the kernels of another registry, all or none; returns how many."""
        if not isinstance(other, Registry):
            raise InvalidArgument(
                f"{kind_of(other)} was to be merged into the registry {self.name}; "
                "it must be a Registry"
            )
        with self._changing():
            return native().count(
                "ckd_registry_merge", self.handle, other.handle, _policy(duplicates)
            )

    def filter(
        self,
        *,
        predicate: Callable[[KernelInfo], bool] | None = None,
        family: str | None = None,
        gpu: str | None = None,
        **words: str,
    ) -> Registry:
        """The kernels that match: ``dtype_a="fp16"``, ``layout="rcr"``, ``pipeline=…``, ``gpu=…``,
        ``family=…``, ``predicate=…``.

        A family whose kernels have no such field has none that match.
        """
        if predicate is not None and not callable(predicate):
            raise InvalidArgument(
                f"predicate was asked for as {quoted(predicate)}; it is a function of a kernel"
            )
        asked = {**words, "family": family, "gpu": gpu}
        chosen = {
            name: text(name, word).decode() for name, word in asked.items() if word is not None
        }
        registry = Registry._of(
            native().make("ckd_registry_filtered", self.handle, json.dumps(chosen).encode()),
            self.name,
        )
        if predicate is not None:
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
        found = native().json("ckd_registry_find", self.handle, text("a kernel", name_or_key))
        found["sha256"] = found["library_sha256"]
        return KernelInfo(**{field.name: found[field.name] for field in fields(KernelInfo)})

    @property
    def gpus(self) -> tuple[str, ...]:
        """The GPUs that some kernel holds code for."""
        return tuple(sorted(self.to_json()["statistics"]["gpus"]))

    def to_json(self) -> dict[str, Any]:
        """Every kernel with its family, spec, library and resources, and statistics."""
        document: dict[str, Any] = native().json("ckd_registry_to_json", self.handle)
        return document

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Registry:
        """The inverse of ``to_json``. Libraries must be where they were, with the same content."""
        if not isinstance(document, Mapping):
            raise Damaged(
                "an exported registry was expected, as to_json gives it, "
                f"and not {quoted(document)}"
            )
        try:
            written = json.dumps(document).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise Damaged(
                f"the exported registry is no such thing, or was damaged: {error}"
            ) from None
        return cls._of(
            native().make("ckd_registry_from_json", written), str(document.get("registry"))
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self.to_json(), self.configs)

    def selection(self, gpu: str | None = None) -> Selection:
        """Chooses kernels of this registry for a GPU; the registry's only one if none is named."""
        if gpu is None:
            if len(self.gpus) != 1:
                held = ", ".join(self.gpus) or "none"
                raise InvalidArgument(
                    f"the registry {self.name} holds code for several GPUs or none ({held}); "
                    "say which: gpu=…"
                )
            (gpu,) = self.gpus
        text("a GPU", gpu)
        with self._making.held():
            if gpu not in self._selections:
                self._selections[gpu] = Selection(self, gpu)
            return self._selections[gpu]

    def select(
        self, problem: P, *, gpu: str | None = None, kernel: str | None = None, pad: bool = False
    ) -> Plan[P]:
        """The plan for a problem: the best kernel, or the one that is named. Raises ``NoKernel``
        with reasons.

        With ``pad`` it is for a larger problem if no kernel takes this one: its tensors are copied
        on the device, with zeros around them, and the result back.
        """
        return self.selection(gpu).select(problem, kernel=kernel, pad=pad)

    def rank(self, problem: Problem, *, gpu: str | None = None) -> Ranking:
        """Every kernel: those that compute the problem with what they should take, and why the
        others do not.
        """
        return self.selection(gpu).rank(problem)

    def explain(self, problem: Problem, *, gpu: str | None = None) -> str:
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
        raise BuildFailed(
            f"{len(failed)} of {len(results)} kernels could not be built: {failed[0].error}{also}"
        )


def _priority(given: Any) -> int:
    return in_range("priority", given, -(2**31), 2**31 - 1)


def _policy(given: Any) -> DuplicatePolicy:
    try:
        return DuplicatePolicy(given)
    except (ValueError, TypeError):
        known = ", ".join(f"DuplicatePolicy.{one.name}" for one in DuplicatePolicy)
        raise InvalidArgument(
            f"duplicates was asked for as {quoted(given)}; it is one of {known}"
        ) from None


def _set_name(one: str | os.PathLike[str]) -> str:
    return os.path.basename(checked_path("a kernel set", one)).removesuffix(".manifest.json")


def _several(configs: Any) -> tuple[Any, ...]:
    given = tuple(configs) if isinstance(configs, Iterator) else members(configs)
    if given is None:
        raise InvalidArgument(
            f"a registry of {quoted(configs)} was asked for; give a list of configs"
        )
    return given


def _checked_config(config: Any) -> KernelConfig:
    from ckdispatch.config.base import KernelConfig

    if not isinstance(config, KernelConfig):
        raise InvalidArgument(
            f"a registry was given {kind_of(config)}; it takes configs such as {EXAMPLE.config}"
        )
    return config
