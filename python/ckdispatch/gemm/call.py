# SPDX-License-Identifier: MIT
"""``Dispatcher.gemm``: from whatever arrays to a launch, and back."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ckdispatch.device import stream_address
from ckdispatch.errors import InvalidArgument, NoKernel
from ckdispatch.gemm.operands import Operand, operand
from ckdispatch.gemm.padding import padded_plan
from ckdispatch.gemm.problem import GemmProblem
from ckdispatch.gemm.validation import expected
from ckdispatch.result import Result
from ckdispatch.tensors.device_tensor import DeviceTensor

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ckdispatch.dispatcher import Dispatcher
    from ckdispatch.plan import Plan


@dataclass
class GemmCall:
    """One call: its operands, and what has to be done to them."""

    dispatcher: Dispatcher
    a: Operand
    b: Operand
    c: Operand | None
    dtype_c: str | None
    split_k: int
    deterministic: bool
    changes: list[str] = field(default_factory=list)

    @property
    def batch(self) -> int:
        given = {one.shape[0] for one in (self.a, self.b) if len(one.shape) == 3}
        if len(given) > 1:
            raise InvalidArgument(f"A of shape {self.a.shape} and B of shape {self.b.shape} have different batches")
        return given.pop() if given else 1

    @property
    def batched(self) -> bool:
        return len(self.a.shape) == 3 or len(self.b.shape) == 3

    def problem(self, layout: str) -> GemmProblem:
        """Packed operands in that layout; those that stay on the device keep their strides."""
        strides = [0, 0, 0]
        batch_strides: list[int | None] = [None, None, None]
        m, n, k = self.a.rows, self.b.columns, self.a.columns
        sizes = (m * k, k * n, m * n)
        for i, one in enumerate((self.a, self.b, self.c)):
            if one is not None and one.tensor is not None:
                strides[i] = one.leading(layout[i])
                batch_strides[i] = one.strides[0] if len(one.shape) == 3 else 0
            elif one is not None and len(one.shape) == 2:
                batch_strides[i] = 0
        if self.batch > 1 and any(stride is not None for stride in batch_strides):
            full = [size if stride is None else stride for stride, size in zip(batch_strides, sizes, strict=True)]
            given: tuple[int, int, int] | None = (full[0], full[1], full[2])
        else:
            given = None
        return GemmProblem(
            m, n, k, dtype=self.a.dtype, layout=layout, dtype_b=self.b.dtype, dtype_c=self.dtype_c, batch=self.batch,
            stride_a=strides[0], stride_b=strides[1], stride_c=strides[2], batch_strides=given,
            split_k=self.split_k, deterministic=self.deterministic, alignment=self.alignment,
        )

    @property
    def alignment(self) -> int:
        """Bytes that the addresses of all matrices on the device are multiples of; copies are aligned to any kernel's wish."""
        bits = 16
        for one in (self.a, self.b, self.c):
            if one is not None and one.tensor is not None:
                size = self.dispatcher.device.numpy_dtype(one.dtype).itemsize
                bits |= one.tensor.address | (one.strides[0] * size if len(one.shape) == 3 else 0)
        return bits & -bits

    def layouts(self) -> list[str]:
        """The layout as given, and those that copying operands of the host would make, in the order of fewest copies."""
        offered = []
        for one in (self.a, self.b, self.c):
            letters = one.letters if one is not None else ("r",)
            if one is not None and one.tensor is not None:
                if not letters:
                    raise InvalidArgument(
                        f"{one.name} is on the device with the strides {one.strides}; its rows or its columns must be contiguous"
                    )
                offered.append(letters)
            else:
                offered.append(tuple(dict.fromkeys((*letters, "r", "c"))))
        choices = ["".join(letters) for letters in itertools.product(*offered)]
        natural = choices[0]
        return sorted(choices, key=lambda letters: sum(x != y for x, y in zip(letters, natural, strict=True)))

    def plan(self, pad: bool) -> tuple[Plan, bool]:
        """The best plan that needs the fewest changes (none, another layout on the host, padding), and whether it is for padded copies."""
        layouts = self.layouts()
        remembered = self.dispatcher.remembered()
        key = (self.problem(layouts[0]), *layouts, pad)
        found: tuple[Plan, bool] | None = remembered.get(key)
        if found is None:
            found = remembered[key] = self._search(layouts, pad)
        return found

    def _search(self, layouts: list[str], pad: bool) -> tuple[Plan, bool]:
        selection = self.dispatcher.selection
        first: NoKernel | None = None
        for layout in layouts:
            try:
                return self.dispatcher.plan(self.problem(layout)), False
            except NoKernel as error:
                first = first or error
        assert first is not None
        if not pad:
            raise first
        for layout in layouts:
            try:
                return padded_plan(selection, self.problem(layout), first), True
            except NoKernel:
                continue
        raise first


def run(
    dispatcher: Dispatcher,
    a: Any,
    b: Any,
    *,
    out: Any,
    dtype: str | None,
    split_k: int,
    deterministic: bool,
    stream: Any,
    pad: bool,
    timing: bool,
    validate: bool,
) -> Result:
    device = dispatcher.device
    call = GemmCall(
        dispatcher, operand("A", a, device), operand("B", b, device),
        operand("out", out, device) if out is not None else None, dtype, split_k, deterministic,
    )
    _check(call)
    plan, copied = call.plan(pad)
    problem = plan.problem
    sizes = (call.a.rows, call.b.columns, call.a.columns)
    padded = None if (problem.m, problem.n, problem.k) == sizes else (problem.m, problem.n, problem.k)
    if padded:
        given, ran = ("x".join(map(str, extents)) for extents in (sizes, padded))
        call.changes.append(f"M x N x K = {given} was padded to {ran}, because no kernel takes the shape as it is")
    elif copied:
        call.changes.append("operands were copied, because no kernel takes their addresses or strides as they are")
    stream = stream_address(stream)

    tensors = [
        _staged(call, call.a, problem.layout[0], (problem.m, problem.k), copied, stream),
        _staged(call, call.b, problem.layout[1], (problem.k, problem.n), copied, stream),
    ]
    target = _target(call, plan, copied)
    milliseconds = dispatcher.launch(plan, [*(one.address for one in tensors), target.address], stream, timing)
    result = _delivered(call, target, problem.layout[2], stream)
    comparison = _compared(call, plan, result, stream) if validate else None
    return Result(result, plan, device.name, device.simulated, tuple(call.changes), padded, milliseconds, comparison)


def _check(call: GemmCall) -> None:
    a, b, c = call.a, call.b, call.c
    if a.columns != b.rows:
        raise InvalidArgument(f"A of shape {a.shape} cannot be multiplied by B of shape {b.shape}: A's columns must be as many as B's rows")
    batch = call.batch
    if c is None:
        return
    expected = (batch, a.rows, b.columns) if call.batched else (a.rows, b.columns)
    if c.shape != expected:
        raise InvalidArgument(f"out has the shape {c.shape}; the product has {expected}")
    if call.dtype_c is not None and call.dtype_c != c.dtype:
        raise InvalidArgument(f"out holds {c.dtype}, and dtype={call.dtype_c!r} was asked for")
    call.dtype_c = c.dtype
    if c.array is not None and not c.array.flags.writeable:
        raise InvalidArgument("out cannot be written to")


def _staged(
    call: GemmCall, one: Operand, letter: str, shape: tuple[int, int], copied: bool, stream: int | None
) -> DeviceTensor:
    """The operand on the device: where it is, or a copy in that layout, filled up with zeros."""
    device = call.dispatcher.device
    full = (*one.shape[:-2], *shape)
    if one.tensor is not None and not copied:
        return one.tensor
    staged = DeviceTensor.allocate(device, full, one.dtype, column_major=letter == "c")
    if one.array is not None:
        import numpy as np

        if not one.letters:
            call.changes.append(f"{one.name} was copied, because neither its rows nor its columns are contiguous")
        elif letter not in one.letters:
            call.changes.append(f"{one.name} was copied into contiguous {'rows' if letter == 'r' else 'columns'}, which the kernel reads")
        larger = one.array
        if copied:
            larger = np.zeros(full, one.array.dtype)
            larger[..., : one.rows, : one.columns] = one.array
        staged.write(larger)
        return staged
    assert one.tensor is not None
    _copy_matrices(one.tensor, staged, letter, (one.rows, one.columns), stream, zero=True)
    return staged


def _copy_matrices(
    source: DeviceTensor, to: DeviceTensor, letter: str, extents: tuple[int, int], stream: int | None, *, zero: bool = False
) -> None:
    """Copies the upper left ``extents`` of each matrix, on the device; both are in the layout of ``letter``."""
    device = source.device
    size = device.numpy_dtype(source.dtype).itemsize
    by_rows = letter == "r"
    width, lines = extents[::-1] if by_rows else extents
    axis = -2 if by_rows else -1
    if zero:
        device.fill(to.address, 0, to.span * size, stream)
    count = source.shape[0] if len(source.shape) == 3 else 1
    for i in range(count):
        offset = [i * one.strides[0] * size if len(one.shape) == 3 else 0 for one in (source, to)]
        device.copy_rows(
            to.address + offset[1], to.strides[axis] * size, source.address + offset[0], source.strides[axis] * size,
            width * size, lines, stream,
        )


def _target(call: GemmCall, plan: Plan, copied: bool) -> DeviceTensor:
    problem = plan.problem
    if call.c is not None and call.c.tensor is not None and not copied:
        return call.c.tensor
    shape: tuple[int, ...] = (problem.m, problem.n)
    if call.batched:
        shape = (call.batch, *shape)
    dtype = call.dispatcher.registry[plan.kernel].spec["dtype_c"]
    return DeviceTensor.allocate(call.dispatcher.device, shape, dtype, column_major=problem.layout[2] == "c")


def _delivered(call: GemmCall, target: DeviceTensor, letter: str, stream: int | None) -> Any:
    """The output where the caller wants it: in ``out``, or as a new array or tensor like the operands."""
    m, n = call.a.rows, call.b.columns
    device = call.dispatcher.device
    if call.c is not None and call.c.tensor is not None:
        if target is not call.c.tensor:
            _copy_matrices(target, call.c.tensor, letter, (m, n), stream)
        return call.c.given
    if call.c is None and (call.a.tensor is not None or call.b.tensor is not None):
        if target.shape[-2:] == (m, n):
            return target
        return DeviceTensor(device, target.address, (*target.shape[:-2], m, n), target.strides, target.dtype, target.encoding, target)
    device.synchronize(stream)
    array = target.numpy()[..., :m, :n]
    if call.c is not None:
        assert call.c.array is not None
        call.c.array[...] = array
        return call.c.given
    return _like(call.a.given, array)


def _like(given: Any, array: NDArray[Any]) -> Any:
    import numpy as np

    array = np.ascontiguousarray(array)
    if isinstance(given, np.ndarray):
        return array
    if type(given).__module__.partition(".")[0] == "torch":
        import torch  # type: ignore[import-not-found, unused-ignore]

        empty = torch.empty(array.shape, dtype=given.dtype) if array.dtype.kind == "V" else torch.from_numpy(array)
        if array.dtype.kind == "V":
            empty.view(torch.uint8).numpy()[...] = array.view(np.uint8)
        return empty
    return array


def _compared(call: GemmCall, plan: Plan, result: Any, stream: int | None) -> Any:
    device = call.dispatcher.device
    device.synchronize(stream)

    def host(one: Operand) -> NDArray[Any]:
        return one.array if one.array is not None else one.tensor.numpy()  # type: ignore[union-attr]

    spec = call.dispatcher.registry[plan.kernel].spec
    reference = expected(plan, spec, host(call.a), host(call.b))
    actual = host(operand("out", result, device))
    comparison = reference.compare(actual)
    comparison.raise_if_bad()
    return comparison
