# SPDX-License-Identifier: MIT
"""Runs problems with the best kernels of a registry on a device."""

from __future__ import annotations

import ctypes
import os
import weakref
from array import array
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from ckdispatch import device_list
from ckdispatch.arguments import address as checked_address
from ckdispatch.arguments import filled, members, needed, truth, whole
from ckdispatch.device import Device, stream_address
from ckdispatch.errors import InvalidArgument
from ckdispatch.native.library import native
from ckdispatch.native.structures import BenchmarkOptions, Launch, RunOptions
from ckdispatch.plan import Plan
from ckdispatch.problem import P, Problem, check_problem
from ckdispatch.registry import Registry
from ckdispatch.result import RunResult
from ckdispatch.selection import Choose, Predict, Selection
from ckdispatch.tensors.device_tensor import (
    DeviceTensor,
    Need,
    check_tensors,
    checked_shape,
    needs_of,
)
from ckdispatch.tensors.dlpack import host_array
from ckdispatch.threads import Guard
from ckdispatch.wording import kind_of, quoted, several

if TYPE_CHECKING:
    from numpy.typing import NDArray

D = TypeVar("D", bound="BaseDispatcher")

_ALIGNED = 15
"""Addresses that are multiples of 16 suit every kernel."""


_KEPT = 1 << 18
"""Tensors of the problems whose plans are kept: a plan of many groups takes as much memory as those
of as many products.
"""

_CALLS_KEPT = 1 << 14

_UNKNOWN = object()
"""In place of the identity of what has no more than an address; no tensor has that."""

_living: weakref.WeakSet[BaseDispatcher] = weakref.WeakSet()


def _after_fork() -> None:
    for dispatcher in list(_living):
        dispatcher.forget()


# The fast path of run() does not look at the device, which a forked child may not use.
os.register_at_fork(after_in_child=_after_fork)


class _Bound:
    """A plan's launch on some tensors that suit it, as C takes it; it keeps none of them alive."""

    __slots__ = ("_addresses", "_handle", "_on_stream", "launch", "tensors")

    def __init__(self, plan: Plan[Any], addresses: Sequence[int], tensors: Sequence[Any]) -> None:
        self._handle = plan.handle
        self._addresses = array("Q", plan.problem.placed(addresses))
        self.tensors = [one.identity if type(one) is DeviceTensor else _UNKNOWN for one in tensors]
        self.launch = self._launch(None)
        """On the default stream."""
        self._on_stream: tuple[int | None, bytes] = (None, self.launch)

    def on(self, stream: int | None) -> bytes:
        """On a stream, which mostly is that of before."""
        before, launch = self._on_stream
        if before != stream:
            launch = self._launch(stream)
            self._on_stream = (stream, launch)
        return launch

    def _launch(self, stream: int | None) -> bytes:
        # One argument of bytes costs ctypes about a third of what four arguments with types do.
        address, count = self._addresses.buffer_info()
        return bytes(Launch(ctypes.sizeof(Launch), count, self._handle, stream, address))


class _Known:
    """What was found out about a problem, and the tensors that it was last run on: mostly the next
    ones are the same.
    """

    __slots__ = ("__weakref__", "bound", "needs", "plan", "result")

    def __init__(
        self, plan: Plan[Any], result: RunResult, needs: list[Need], bound: _Bound
    ) -> None:
        self.plan = plan
        self.result = result
        self.needs = needs
        self.bound = bound
        """Replaced as a whole, because other threads may run the same problem."""


class BaseDispatcher:
    """Selects and launches. The device is opened, and HIP loaded, by the first call that runs
    something.

    ``device`` is "auto", "hip:0" or "sim:gfx942"; ``strategy`` is "rules" or "first_fit", or a
    function ``predict(problem, kernel, parts)`` that gives microseconds; a ``chooser(problem,
    kernels)`` gives the place of the kernel to take among those that fit. It can be pickled before
    it runs.
    """

    def __init__(
        self,
        registry: Registry,
        device: str = "auto",
        *,
        strategy: str | Predict = "rules",
        chooser: Choose | None = None,
    ) -> None:
        _check_made_of(registry, device, strategy, chooser)
        self.registry = registry
        self.asked = device
        self.strategy = strategy
        self.chooser = chooser
        self._making = Guard()
        """Held while the device and the selection are made, and while what was found out is kept or
        forgotten.
        """
        self._device: Device | None = None
        self._selection: Selection | None = None
        self._plans: dict[Problem, _Known] = {}
        self._held = 0
        """Tensors of their problems."""
        self._era = object()
        """Another one whenever what was found out is forgotten."""
        self._generation = registry.generation
        self._launch: Any = None
        self.calls: dict[Any, Any] = {}
        """What the calls of families found out about their problems, until the registry changes."""
        _living.add(self)

    def forget(self) -> None:
        """Drops what was selected before, so that the next call selects anew and looks at its
        device.
        """
        with self._making.held():
            # New ones: a thread that selected among the kernels of before still has the old ones,
            # and may fill those.
            self._plans = {}
            self._held = 0
            self.calls = {}
            self._era = object()
            self._generation = self.registry.generation

    def remembered(self) -> dict[Any, Any]:
        """``calls``, emptied if the registry has changed."""
        with self._making.held():
            self._forget_if_stale()
            return self.calls

    def _forget_if_stale(self) -> None:
        # Shapes that never come back would otherwise fill the memory of a long-lived server.
        if (
            self._generation != self.registry.generation
            or self._held >= _KEPT
            or len(self.calls) >= _CALLS_KEPT
        ):
            self.forget()

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (type(self), self.registry, self.asked, self.strategy, self.chooser)

    @property
    def device_name(self) -> str:
        """The device that "auto" stands for, without opening it."""
        return (
            self._device.name
            if self._device
            else device_list.choose(self.asked, self.registry.gpus)
        )

    @property
    def device(self) -> Device:
        """The device, opened."""
        device = self._device
        if device is None:
            with self._making.held():
                device = self._device or self._open()
        device.check_process()
        return device

    def _open(self) -> Device:
        device = Device(self.device_name)
        self._selection_for(device.gpu).attach(device)
        # A function of its own, without the types of arguments, which ctypes would look at again in
        # every call.
        self._launch = native().functions["ckd_plan_launch"]
        self._device = device
        return device

    @property
    def selection(self) -> Selection:
        """What chooses the kernels."""
        if self._selection is None:
            name = self.device_name
            gpu = name.removeprefix("sim:") if name.startswith("sim:") else self._gpu_of(name)
            return self._selection_for(gpu)
        return self._selection

    def _gpu_of(self, name: str) -> str:
        for known in device_list.devices():
            if known.name == name:
                return known.gpu
        return self.device.gpu

    def _selection_for(self, gpu: str) -> Selection:
        with self._making.held():
            if self._selection is None:
                # Its own, because strategies and devices belong to a dispatcher and not to the
                # registry.
                selection = Selection(self.registry, gpu)
                if self.chooser is not None:
                    selection.use_chooser(self.chooser)
                elif callable(self.strategy):
                    selection.use_predictor(self.strategy)
                else:
                    selection.use_strategy(self.strategy)
                self._selection = selection
            return self._selection

    def plan(self, problem: P, *, kernel: str | None = None, pad: bool = False) -> Plan[P]:
        """What would serve a problem, or with ``pad`` a larger one if no kernel takes it as it is;
        opens no device.
        """
        return self.selection.select(problem, kernel=kernel, pad=pad)

    def run(
        self,
        problem: Problem,
        *tensors: Any,
        stream: Any = None,
        kernel: str | None = None,
        timing: bool = False,
    ) -> RunResult:
        """Enqueues a problem on tensors of the device, in the order of ``problem.tensors``, and
        returns without waiting.

        Tensors are DeviceTensors, device addresses, or objects of the same device with
        ``data_ptr()``. ``kernel`` names the kernel to run, by name or key, in place of the best. A
        DeviceTensor of another dtype, or that is too small, is refused; what has no more than an
        address is trusted.
        """
        # The common case by itself: this is the path of every call. Mostly the tensors are those of
        # the last run.
        try:
            era, found = problem.ran
            known: _Known = found()
            bound = known.bound
            same = era is self._era and [one.identity for one in tensors] == bound.tensors
        except (AttributeError, TypeError, ValueError):
            # It did not run yet or was forgotten, some tensors are addresses alone, or it is no
            # problem.
            same = False
        if (
            not same
            or kernel is not None
            or timing is not False
            or self._generation != self.registry.generation
        ):
            return self._run(
                problem, tensors, stream_address(stream), kernel, truth("timing", timing)
            )
        status = self._launch(bound.launch if stream is None else bound.on(stream_address(stream)))
        if status:
            native().fail(status)
        return known.result

    def _run(
        self,
        problem: Problem,
        tensors: Sequence[Any],
        stream: int | None,
        kernel: str | None,
        timing: bool,
    ) -> RunResult:
        check_problem(problem)
        addresses = [_address(one) for one in tensors]
        bits = 0
        for address in addresses:
            bits |= address
        usual = kernel is None and not timing and not bits & _ALIGNED
        with self._making.held():
            self._forget_if_stale()
            era, plans = self._era, self._plans
        known = plans.get(problem) if usual else None
        if known is not None and len(tensors) == len(known.needs):
            check_tensors(problem, known.needs, tensors)
            bound = known.bound = _Bound(known.plan, addresses, tensors)
            _keep(problem, era, known)
            native().check(self._launch(bound.on(stream)))
            return known.result
        device = self.device
        if any(
            not address and one is not None for address, one in zip(addresses, tensors, strict=True)
        ):
            raise InvalidArgument(f"{problem.text} was to be run with a tensor that has no address")
        if bits & _ALIGNED:
            problem = replace(problem, alignment=min(bits & -bits, problem.alignment))  # type: ignore[type-var]  # each family's problem is a dataclass
        plan = self.plan(problem, kernel=kernel)
        _check_count(problem, len(tensors))
        # Where there is nothing to compute there is no kernel.
        needs = needs_of(problem, self.registry[plan.kernel].spec if plan.kernel else {})
        check_tensors(problem, needs, tensors)
        milliseconds = self.launch(plan, addresses, stream, timing)
        result = RunResult(plan, device.name, milliseconds)
        if usual:
            known = plans[problem] = _Known(plan, result, needs, _Bound(plan, addresses, tensors))
            self._held += len(needs)
            _keep(problem, era, known)
        return result

    def launch(
        self, plan: Plan[Any], addresses: list[int], stream: int | None, timing: bool = False
    ) -> float | None:
        """Enqueues a plan; with ``timing`` waits and returns milliseconds."""
        if truth("timing", timing):
            return float(
                self.benchmark(plan, addresses, warmup=0, repeat=1, stream=stream)["median"]
            )
        pointers = _pointers(plan, addresses)
        options = filled(RunOptions, stream=stream_address(stream))
        native().call(
            "ckd_plan_run", plan.handle, ctypes.addressof(pointers), ctypes.addressof(options)
        )
        return None

    def benchmark(
        self,
        plan: Plan[Any],
        tensors: Sequence[Any],
        *,
        warmup: int = 3,
        repeat: int = 10,
        flush_cache: bool = False,
        rotating_buffers: int = 1,
        cpu_timer: bool = False,
        stream: Any = None,
    ) -> dict[str, Any]:
        """Times a plan, each run on its own: ``milliseconds`` of each, ``median``, ``minimum``,
        ``mean``, the ``device``.
        """
        _ = self.device
        pointers = _pointers(plan, tensors)
        options = filled(
            BenchmarkOptions,
            warmup=needed("warmup", warmup),
            repeat=needed("repeat", repeat),
            flush_cache=truth("flush_cache", flush_cache),
            rotating_buffers=needed("rotating_buffers", rotating_buffers),
            cpu_timer=truth("cpu_timer", cpu_timer),
            stream=stream_address(stream),
        )
        found: dict[str, Any] = native().json(
            "ckd_plan_benchmark", plan.handle, ctypes.addressof(pointers), ctypes.addressof(options)
        )
        return found

    def empty(
        self, shape: Sequence[int], dtype: str = "fp16", *, column_major: bool = False
    ) -> DeviceTensor:
        """Memory of the device, not initialised."""
        return DeviceTensor.allocate(
            self.device,
            checked_shape(shape),
            dtype,
            column_major=truth("column_major", column_major),
        )

    def to_device(self, array: NDArray[Any], *, column_major: bool = False) -> DeviceTensor:
        """A copy of an array on the device."""
        from ckdispatch.reference.dtypes import dtype_name

        array = host_array(array)
        tensor = self.empty(array.shape, dtype_name(array.dtype), column_major=column_major)
        tensor.write(array)
        return tensor

    def synchronize(self, stream: Any = None) -> None:
        """Waits for what was enqueued."""
        self.device.synchronize(stream_address(stream))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.registry!r}, device={self.asked!r})"


def _keep(problem: Problem, era: object, known: _Known) -> None:
    # Past the check of a frozen class: what it is compared and shown by stays. The dispatcher alone
    # keeps the plan alive.
    object.__setattr__(problem, "ran", (era, weakref.ref(known)))


def _address(tensor: Any) -> int:
    if type(tensor) is DeviceTensor:
        return tensor.address
    if tensor is None:
        return 0
    if hasattr(tensor, "data_ptr"):
        tensor = tensor.data_ptr()
    if whole(tensor) is not None:
        return checked_address("the address of a tensor", tensor)
    raise InvalidArgument(
        f"{kind_of(tensor)} was given where a tensor of the device is needed; arrays of the host "
        "are for the calls of a family"
    )


def _pointers(plan: Plan[Any], tensors: Sequence[Any]) -> Any:
    """The addresses of tensors for a plan, as C takes them: as many as it needs."""
    if not isinstance(plan, Plan):
        raise InvalidArgument(
            f"{kind_of(plan)} was given where a plan is needed, as Dispatcher.plan gives it"
        )
    given = members(tensors)
    if given is None:
        raise InvalidArgument(
            f"{kind_of(tensors)} was given where the tensors of {plan.problem.text} are needed, "
            "in a list"
        )
    _check_count(plan.problem, len(given))
    addresses = plan.problem.placed([_address(one) for one in given])
    return (ctypes.c_void_p * len(addresses))(*addresses)


def _check_count(problem: Problem, count: int) -> None:
    wanted = problem.tensors
    if count != len(wanted):
        raise InvalidArgument(
            f"{problem.text} was to be run on {several(count, 'tensor')}; it needs {len(wanted)}: "
            f"{', '.join(wanted)}"
        )


def _check_made_of(registry: Any, device: Any, strategy: Any, chooser: Any) -> None:
    if not isinstance(device, str):
        raise InvalidArgument(
            f"a dispatcher was to be made for the device {quoted(device)}; it is called hip:0, "
            "sim:gfx942 or auto"
        )
    if not isinstance(registry, Registry):
        raise InvalidArgument(
            f"a dispatcher was to be made with {kind_of(registry)}; it needs a Registry"
        )
    if not isinstance(strategy, str) and not callable(strategy):
        raise InvalidArgument(
            f"a dispatcher was to be made with the strategy {quoted(strategy)}; "
            "it is a name or a function"
        )
    if chooser is not None and not callable(chooser):
        raise InvalidArgument(
            f"a dispatcher was to be made with the chooser {quoted(chooser)}; it is a function, "
            "or None"
        )


def _unpickled(kind: type[D], registry: Registry, device: str, strategy: Any, chooser: Any) -> D:
    return kind(registry, device, strategy=strategy, chooser=chooser)
