# SPDX-License-Identifier: MIT
"""A problem on the device: its operands, what the dispatcher is asked, and whether C is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from ckdispatch import Dispatcher, GemmProblem, preshuffle
from ckdispatch.comparison import Comparison
from ckdispatch.device import Device
from ckdispatch.gemm.problem import GemmGroup
from ckdispatch.gemm.reference import expected
from ckdispatch.gemm.weights import read_block
from ckdispatch.plan import Plan
from ckgen.gemm.spec import DLayout, GemmSpec, Variant
from ckgen.product.spec import FusedOp
from numpy.typing import NDArray

from cksupport.gemm.problems import Problem
from cksupport.operands import Matrix, Spacing, random_values
from cksupport.product.values import d_limit, factor_limits


@dataclass(frozen=True, eq=False)
class Placed:
    """One product with its operands on the device; B's values are those before it was shuffled."""

    problem: Problem
    a: Matrix
    b: Matrix
    c: Matrix
    ds: tuple[Matrix, ...]
    values: tuple[NDArray[Any], NDArray[Any]]
    d_values: tuple[NDArray[Any], ...]

    @classmethod
    def of(
        cls, spec: GemmSpec, problem: Problem, device: Device, random: np.random.Generator
    ) -> Placed:
        """Random operands for ``problem``, laid out as the kernel of ``spec`` wants them."""
        (a_letter, b_letter, c_letter), p = spec.layout.value, problem
        a_kind, b_kind = (device.numpy_dtype(dtype) for dtype in (spec.dtype_a, spec.dtype_b))
        batch = (p.batch,) if p.batch > 1 else ()
        b_shape = (p.k, p.n) if p.shares_b else (*batch, p.k, p.n)
        scale, largest = factor_limits(spec, p.k)
        a_values = random_values(random, (*batch, p.m, p.k), a_kind, scale, largest)
        b_values = random_values(random, b_shape, b_kind, scale, largest)
        a = Matrix.place(device, spec.dtype_a, a_values.shape, a_letter, p.a)
        a.fill(a_values)
        if spec.variant is Variant.PRESHUFFLE:
            shuffled = preshuffle(b_values, _block(spec, device)).data
            b = Matrix.place(device, spec.dtype_b, (1, p.n * p.k), "r", Spacing(shift=p.b.shift))
            b.fill(shuffled.reshape(1, -1))
        else:
            b = Matrix.place(device, spec.dtype_b, b_values.shape, b_letter, p.b)
            b.fill(b_values)
        c = Matrix.place(device, spec.dtype_c, (*batch, p.m, p.n), c_letter, p.c)
        c.mark()
        placed = [_d_tensor(spec, p, i, device, random) for i in range(spec.d_count)]
        ds = tuple(matrix for matrix, _ in placed)
        return cls(p, a, b, c, ds, (a_values, b_values), tuple(values for _, values in placed))

    @property
    def addresses(self) -> list[int]:
        """As a run takes them."""
        return [one.address for one in (self.a, self.b, self.c, *self.ds)]

    @property
    def group(self) -> GemmGroup:
        """The product as one of several."""
        p = self.problem
        strides = (self.a.leading, self.b.leading, self.c.leading)
        return GemmGroup(p.m, p.n, p.k, *strides)

    def asked(self, spec: GemmSpec) -> GemmProblem:
        """The product as a problem of its own."""
        p, words = self.problem, _words(spec)
        if spec.variant is Variant.PRESHUFFLE:
            words |= {"weights": "{}x{}".format(*_block(spec, self.b.whole.device))}
        else:
            words |= {"stride_b": self.b.leading}
        if spec.fused_op is not FusedOp.PASS_THROUGH:
            words |= {"fused_op": spec.fused_op.value}
        if spec.d_count:
            repeated = p.repeated_ds
            strides = (
                0 if again else d.leading for d, again in zip(self.ds, repeated, strict=True)
            )
            words |= {
                "d_count": spec.d_count,
                "dtype_d": spec.dtype_d,
                "d_layout": spec.d_layout,
                "d_strides": tuple(strides),
            }
        if p.batch > 1:
            apart = (self.a.batch_stride, self.b.batch_stride, self.c.batch_stride)
            words |= {"batch": p.batch, "batch_strides": apart}
        return GemmProblem(
            p.m,
            p.n,
            p.k,
            stride_a=self.a.leading,
            stride_c=self.c.leading,
            split_k=p.parts,
            **words,
        )

    def compared(self, parts: int, spec: GemmSpec) -> Comparison:
        """How C differs from the reference of a kernel that adds up ``parts``."""
        a, b = self.values
        return expected(parts, spec.to_json(), a, b, ds=self.d_values).compare(self.c.read())


@dataclass(frozen=True, eq=False)
class PlacedLaunch:
    """One launch with its operands on the device: several products for a grouped kernel,
    else one.
    """

    spec: GemmSpec
    products: tuple[Placed, ...]

    @classmethod
    def of(
        cls, spec: GemmSpec, problems: Sequence[Problem], device: Device, seed: int
    ) -> PlacedLaunch:
        """Random operands for ``problems``."""
        random = np.random.default_rng(seed)
        return cls(spec, tuple(Placed.of(spec, one, device, random) for one in problems))

    def run(self, dispatcher: Dispatcher) -> Plan[GemmProblem]:
        """Launch the kernel on one product, or on many as a group, and wait for it."""
        if self.spec.variant is Variant.GROUPED:
            asked = GemmProblem.grouped([one.group for one in self.products], **_words(self.spec))
        else:
            (only,) = self.products
            asked = only.asked(self.spec)
        addresses = [address for one in self.products for address in one.addresses]
        ran = dispatcher.run(asked, *addresses, kernel=self.spec.name)
        dispatcher.synchronize()
        return ran.plan

    def untouched(self) -> bool:
        """Whether nothing was written to any C, or beside it."""
        return all(one.c.untouched() for one in self.products)

    def complaint(self, plan: Plan[GemmProblem]) -> str | None:
        """The first C that is wrong, or that something was written beside."""
        for one in self.products:
            found = one.compared(plan.parts, self.spec)
            if not found.ok:
                return str(found)
            if strays := one.c.stray_writes():
                return f"{strays} elements beside C were written to"
        return None


def _words(spec: GemmSpec) -> dict[str, Any]:
    return {
        "dtype": spec.dtype_a,
        "dtype_b": spec.dtype_b,
        "dtype_c": spec.dtype_c,
        "layout": spec.layout,
    }


def _block(spec: GemmSpec, device: Device) -> tuple[int, int]:
    return read_block(spec.warp_tile, device.gpu)


def _d_tensor(
    spec: GemmSpec, p: Problem, index: int, device: Device, random: np.random.Generator
) -> tuple[Matrix, NDArray[Any]]:
    shape: tuple[int, int] = (p.m, p.n)
    if p.repeated_ds[index]:
        shape = (1, p.n) if spec.d_layout is DLayout.ROWS else (p.m, 1)
    values = random_values(random, shape, device.numpy_dtype(spec.dtype_d), largest=d_limit(spec))
    matrix = Matrix.place(device, spec.dtype_d, shape, spec.d_layout.value, p.d)
    matrix.fill(values)
    return matrix, values
