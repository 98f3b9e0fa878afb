# SPDX-License-Identifier: MIT
"""Choosing kernels of a registry for one GPU; needs no device."""

from __future__ import annotations

import ctypes
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from ckfamilies import NUMBERS

from ckdispatch.arguments import checked_path, in_range, text, truth
from ckdispatch.errors import CkDispatchError, Code, InvalidArgument
from ckdispatch.native.library import native
from ckdispatch.native.structures import Chooser, Predictor, StrategyCode
from ckdispatch.plan import Plan
from ckdispatch.problem import P, Problem, check_problem
from ckdispatch.wording import PARTS, quoted

if TYPE_CHECKING:
    from ckdispatch.device import Device

Predict = Callable[[Problem, str, int], float]
"""Microseconds that a kernel takes for a problem whose sum it divides into so many parts."""

Choose = Callable[[Problem, Sequence[str]], int]
"""The place of the kernel to take, for a problem, among the names of those that fit; the cost
model's best comes first.
"""


class Kernels(Protocol):
    """What a registry is to whoever selects from it."""

    @property
    def handle(self) -> int: ...


@dataclass(frozen=True)
class Candidate:
    """A kernel that computes the problem. ``microseconds`` is predicted, not measured; ``basis``
    says by what.

    ``cost_model``, ``learned`` (a model corrects it), ``beyond`` (the same, of a problem unlike
    those that the model has seen) or ``predictor`` (the caller's own).
    """

    kernel: str
    microseconds: float
    basis: str
    parts: int
    priority: int
    workspace_bytes: int = 0


@dataclass(frozen=True)
class Refusal:
    kernel: str
    code: Code
    reason: str


@dataclass(frozen=True)
class Fitted:
    """What the constants of the cost model were fitted on, and whether that is another GPU or
    family than the one asked about.
    """

    family: str
    gpu: str
    source: str
    tables: str
    """The SHA-256 of each table, with spaces between."""
    carried_over: bool


@dataclass(frozen=True)
class Cost:
    """What the cost model sees of a problem on a kernel: what each constant is multiplied by, and
    what learned models know.
    """

    kernel: str
    parts: int
    microseconds: float
    terms: tuple[float, ...]
    features: tuple[float, ...]


@dataclass(frozen=True)
class Costs:
    """The kernels that compute a problem as the cost model sees them; the names are those of the
    numbers of each.
    """

    terms: tuple[str, ...]
    constants: tuple[float, ...]
    features: tuple[str, ...]
    fit: tuple[Cost, ...]


@dataclass(frozen=True)
class Ranking:
    """All kernels of a registry for a problem: the fitting ones, best first, and why the others do
    not fit.
    """

    problem: str
    gpu: str
    costs: Fitted
    models: tuple[Mapping[str, Any], ...]
    """What the learned models in use are for, and what they were made from."""
    fit: tuple[Candidate, ...]
    refused: tuple[Refusal, ...]

    @property
    def best(self) -> Candidate | None:
        return self.fit[0] if self.fit else None

    def __str__(self) -> str:
        lines = [
            (
                f"{self.problem} on {self.gpu}: {len(self.fit)} ways fit, "
                f"{len(self.refused)} kernels are refused."
            )
        ]
        for place, candidate in enumerate(self.fit, 1):
            parts = f", in {candidate.parts} {PARTS}" if candidate.parts > 1 else ""
            lines.append(
                f"  {place}. {candidate.kernel}: predicted {candidate.microseconds:.1f} us{parts}"
            )
        lines.extend(f"  -  {refusal.reason}" for refusal in self.refused)
        return "\n".join(lines)


class Selection:
    """A registry's kernels on a GPU, with a strategy: "model" (a learned one; the default where
    there is one), "rules" (the cost model), "first_fit", a predictor or a chooser.
    """

    def __init__(self, registry: Kernels, gpu: str) -> None:
        self.registry = registry
        self.gpu = gpu
        self._handle = native().make("ckd_dispatcher_create", registry.handle, text("a GPU", gpu))
        weakref.finalize(self, native().functions.ckd_dispatcher_destroy, self._handle)
        self._callbacks: list[object] = []
        """Keeps alive what C calls back."""
        self._calling = threading.local()
        """The problem that is selected for in the calling thread, and what a callback raised there.
        """

    def attach(self, device: Device) -> None:
        """Lets what is selected run on a device."""
        native().call("ckd_dispatcher_attach", self._handle, device.handle)

    def use_strategy(self, name: str) -> None:
        try:
            code = StrategyCode[name.upper()]
        except (KeyError, AttributeError):
            known = ", ".join(strategy.name.lower() for strategy in StrategyCode)
            raise InvalidArgument(
                f"the strategy {quoted(name)} was asked for; there is {known}, or a function"
            ) from None
        native().call("ckd_dispatcher_use_strategy", self._handle, code)

    def use_model(self, path: str | os.PathLike[str]) -> None:
        """Choose by a learned model from a file, in place of one for the same kernels;
        docs/models.md.
        """
        given = text("the path of a model", os.fspath(checked_path("a model", path)))
        native().call("ckd_dispatcher_use_model", self._handle, given)

    def use_constants(self, family: str, constants: Sequence[float]) -> None:
        """Constants of the cost model of a family in place of its own, in the order that ``costs``
        names them in.
        """
        if not isinstance(family, str) or family not in NUMBERS:
            raise InvalidArgument(
                f"constants of the family {quoted(family)} were given; "
                f"there is {', '.join(NUMBERS)}"
            )
        try:
            numbers = [float(one) for one in constants]
        except (TypeError, ValueError, OverflowError):
            raise InvalidArgument(
                f"the cost model was given {quoted(constants)} for its constants; they are numbers"
            ) from None
        array = (ctypes.c_double * len(numbers))(*numbers)
        native().call(
            "ckd_dispatcher_use_constants",
            self._handle,
            NUMBERS[family],
            ctypes.addressof(array),
            len(numbers),
        )

    def use_predictor(self, predict: Predict) -> None:
        """``predict(problem, kernel, parts)`` gives microseconds in place of the cost model, such
        as by a learned model.
        """

        def predicted(_user: object, _problem: object, kernel: bytes, parts: int) -> float:
            try:
                return _microseconds(predict(self._calling.problem, kernel.decode(), parts))
            except BaseException as error:  # noqa: BLE001 - it cannot cross C; NaN fails the selection
                self._calling.error = error
                return float("nan")

        callback = Predictor(predicted)
        native().call(
            "ckd_dispatcher_use_predictor",
            self._handle,
            ctypes.cast(callback, ctypes.c_void_p),
            None,
        )
        self._callbacks.append(callback)

    def use_chooser(self, choose: Choose) -> None:
        """``choose(problem, kernels)`` returns the index of the kernel to take; the cost model's
        best comes first.
        """

        def chosen(_user: object, _problem: object, kernels: Any, count: int) -> int:
            try:
                chosen = choose(self._calling.problem, [kernels[i].decode() for i in range(count)])
                return in_range("the kernel that a chooser chose", chosen, 0, 2**63 - 1)
            except BaseException as error:  # noqa: BLE001 - it cannot cross C; an index out of range fails the selection
                self._calling.error = error
                return count

        callback = Chooser(chosen)
        native().call(
            "ckd_dispatcher_use_chooser", self._handle, ctypes.cast(callback, ctypes.c_void_p), None
        )
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

    def select(self, problem: P, *, kernel: str | None = None, pad: bool = False) -> Plan[P]:
        """The plan with the best kernel, or the one that is named; with ``pad`` for a larger
        problem if none takes this one.
        """
        check_problem(problem)
        address = ctypes.addressof(problem.structure)
        with self._selecting(problem):
            if kernel is None:
                way = "ckd_select_padded" if truth("pad", pad) else "ckd_select"
                return Plan(native().make(way, self._handle, address), problem)
            return Plan(
                native().make(
                    "ckd_select_explicit", self._handle, text("a kernel", kernel), address
                ),
                problem,
            )

    def rank(self, problem: Problem) -> Ranking:
        check_problem(problem)
        with self._selecting(problem):
            found = native().json("ckd_rank", self._handle, ctypes.addressof(problem.structure))
        return Ranking(
            problem=found["problem"],
            gpu=found["gpu"],
            costs=Fitted(**found["costs"]),
            models=tuple(found["models"]),
            fit=tuple(Candidate(**entry) for entry in found["fit"]),
            refused=tuple(
                Refusal(entry["kernel"], Code(entry["code"]), entry["reason"])
                for entry in found["refused"]
            ),
        )

    def costs(self, problem: Problem) -> Costs:
        """What the cost model and learned models are told of each kernel that
        computes the problem.
        """
        check_problem(problem)
        with self._selecting(problem):
            found = native().json("ckd_costs", self._handle, ctypes.addressof(problem.structure))
        fit = (
            Cost(
                one["kernel"],
                one["parts"],
                one["microseconds"],
                tuple(one["terms"]),
                tuple(one["features"]),
            )
            for one in found["fit"]
        )
        return Costs(
            tuple(found["terms"]), tuple(found["constants"]), tuple(found["features"]), tuple(fit)
        )


def _microseconds(predicted: Any) -> float:
    try:
        return float(predicted)
    except (TypeError, ValueError, OverflowError):
        raise InvalidArgument(
            f"a predictor gave {quoted(predicted)}; it gives microseconds, a number"
        ) from None
