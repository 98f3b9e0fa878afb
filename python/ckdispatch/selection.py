# SPDX-License-Identifier: MIT
"""Choosing kernels of a registry for one GPU; needs no device."""

from __future__ import annotations

import ctypes
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from ckdispatch.arguments import in_range, text
from ckdispatch.errors import CkDispatchError, Code, InvalidArgument
from ckdispatch.family_registry import FamilyRegistry
from ckdispatch.native.library import native
from ckdispatch.native.structures import Chooser, Predictor, StrategyCode
from ckdispatch.plan import Plan
from ckdispatch.problem import P, Problem, check_problem
from ckdispatch.threads import Guard
from ckdispatch.wording import PARTS, quoted

if TYPE_CHECKING:
    from ckdispatch.device import Device

Predict = Callable[[Problem, str, int], float]
"""Microseconds that a kernel takes for a problem whose sum it divides into so many parts."""

Choose = Callable[[Problem, Sequence[str]], int]
"""The place of the kernel to take, for a problem, among the names of those that fit; the cost model's best comes first."""


class Kernels(Protocol):
    """What a registry is to whoever selects from it."""

    name: str

    @property
    def families(self) -> tuple[str, ...]: ...
    def of_family(self, family: str) -> FamilyRegistry: ...


@dataclass(frozen=True)
class Candidate:
    """A kernel that computes the problem. ``microseconds`` is predicted, not measured."""

    kernel: str
    microseconds: float
    parts: int
    priority: int
    workspace_bytes: int = 0


@dataclass(frozen=True)
class Refusal:
    kernel: str
    code: Code
    reason: str


@dataclass(frozen=True)
class Ranking:
    """All kernels of a registry for a problem: the fitting ones, best first, and why the others do not fit."""

    problem: str
    gpu: str
    fit: tuple[Candidate, ...]
    refused: tuple[Refusal, ...]

    @property
    def best(self) -> Candidate | None:
        return self.fit[0] if self.fit else None

    def __str__(self) -> str:
        lines = [f"{self.problem} on {self.gpu}: {len(self.fit)} ways fit, {len(self.refused)} kernels are refused."]
        for place, candidate in enumerate(self.fit, 1):
            parts = f", in {candidate.parts} {PARTS}" if candidate.parts > 1 else ""
            lines.append(f"  {place}. {candidate.kernel}: predicted {candidate.microseconds:.1f} us{parts}")
        lines.extend(f"  -  {refusal.reason}" for refusal in self.refused)
        return "\n".join(lines)


class Selection:
    """A registry's kernels on a GPU, with a strategy: "rules" (the cost model), "first_fit", a predictor or a chooser."""

    def __init__(self, registry: Kernels, gpu: str) -> None:
        self.registry = registry
        self.gpu = gpu
        self._handles: dict[str, int] = {}
        self._making = Guard()
        self._settings: list[tuple[Any, ...]] = []
        """Calls that every family's part gets, now or when it is made: a function and its arguments."""
        self._callbacks: list[object] = []
        """Keeps alive what C calls back."""
        self._calling = threading.local()
        """The problem that is selected for in the calling thread, and what a callback raised there."""
        for family in registry.families:
            self._handle(family)

    def _handle(self, family: str) -> int:
        """What selects among the kernels of one family."""
        known = self._handles.get(family)
        if known is not None:
            return known
        with self._making.held():
            if family not in self._handles:
                handle = native().make("ckd_dispatcher_create", self.registry.of_family(family).handle, text("a GPU", self.gpu))
                weakref.finalize(self, native().functions.ckd_dispatcher_destroy, handle)
                for function, *arguments in self._settings:
                    native().call(function, handle, *arguments)
                self._handles[family] = handle
            return self._handles[family]

    def _set(self, function: str, *arguments: object) -> None:
        with self._making.held():
            for handle in self._handles.values():
                native().call(function, handle, *arguments)
            self._settings.append((function, *arguments))

    def attach(self, device: Device) -> None:
        """Lets what is selected run on a device."""
        self._set("ckd_dispatcher_attach", device.handle)

    def use_strategy(self, name: str) -> None:
        try:
            code = StrategyCode[name.upper()]
        except (KeyError, AttributeError):
            known = ", ".join(strategy.name.lower() for strategy in StrategyCode)
            raise InvalidArgument(f"the strategy {quoted(name)} was asked for; there is {known}, or a function") from None
        self._set("ckd_dispatcher_use_strategy", code)

    def use_predictor(self, predict: Predict) -> None:
        """``predict(problem, kernel, parts)`` gives microseconds in place of the cost model, such as by a learned model."""

        def predicted(_user: object, _problem: object, kernel: bytes, parts: int) -> float:
            try:
                return _microseconds(predict(self._calling.problem, kernel.decode(), parts))
            except BaseException as error:  # it cannot cross C; NaN fails the selection
                self._calling.error = error
                return float("nan")

        callback = Predictor(predicted)
        self._set("ckd_dispatcher_use_predictor", ctypes.cast(callback, ctypes.c_void_p), None)
        self._callbacks.append(callback)

    def use_chooser(self, choose: Choose) -> None:
        """``choose(problem, kernels)`` returns the index of the kernel to take; the cost model's best comes first."""

        def chosen(_user: object, _problem: object, kernels: Any, count: int) -> int:
            try:
                chosen = choose(self._calling.problem, [kernels[i].decode() for i in range(count)])
                return in_range("the kernel that a chooser chose", chosen, 0, 2**63 - 1)
            except BaseException as error:  # it cannot cross C; an index out of range fails the selection
                self._calling.error = error
                return count

        callback = Chooser(chosen)
        self._set("ckd_dispatcher_use_chooser", ctypes.cast(callback, ctypes.c_void_p), None)
        self._callbacks.append(callback)

    @contextmanager
    def _selecting(self, problem: Problem) -> Iterator[None]:
        """What callbacks are told of; if one raised, that is what the caller gets."""
        before = self._calling.__dict__.copy()  # that of a callback which selects itself
        self._calling.problem, self._calling.error = problem, None
        try:
            yield
        except CkDispatchError:
            if self._calling.error is None:
                raise
        finally:
            error = self._calling.error
            self._calling.__dict__.clear()
            self._calling.__dict__.update(before)
        if error is not None:
            raise error from None

    def select(self, problem: P, *, kernel: str | None = None) -> Plan[P]:
        check_problem(problem)
        handle, address = self._handle(problem.family), ctypes.addressof(problem.structure)
        with self._selecting(problem):
            if kernel is None:
                return Plan(native().make("ckd_select", handle, address), problem)
            return Plan(native().make("ckd_select_explicit", handle, text("a kernel", kernel), address), problem)

    def rank(self, problem: Problem) -> Ranking:
        check_problem(problem)
        handle = self._handle(problem.family)
        with self._selecting(problem):
            found = native().json("ckd_rank", handle, ctypes.addressof(problem.structure))
        return Ranking(
            problem=found["problem"],
            gpu=found["gpu"],
            fit=tuple(Candidate(**entry) for entry in found["fit"]),
            refused=tuple(Refusal(entry["kernel"], Code(entry["code"]), entry["reason"]) for entry in found["refused"]),
        )


def _microseconds(predicted: Any) -> float:
    try:
        return float(predicted)
    except (TypeError, ValueError, OverflowError):
        raise InvalidArgument(f"a predictor gave {quoted(predicted)}; it gives microseconds, a number") from None
