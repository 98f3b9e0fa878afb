# SPDX-License-Identifier: MIT
"""One call of attention: from its tensors to a problem, a plan, a launch, and back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ckdispatch.device import stream_address
from ckdispatch.fmha.placing import Input, Output, by_row_head_batch
from ckdispatch.fmha.problem import STRIDED_TENSORS, FmhaProblem
from ckdispatch.fmha.structure import PLACES
from ckdispatch.fmha.tables import Table
from ckdispatch.tensors.device_tensor import DeviceTensor

if TYPE_CHECKING:
    from ckdispatch.base_dispatcher import BaseDispatcher
    from ckdispatch.device import Device
    from ckdispatch.fmha.options import Options
    from ckdispatch.plan import Plan


@dataclass
class AttentionCall:
    """``fields`` are those of the problem, but for its strides, which are those of ``inputs`` and
    ``outputs``.
    """

    dispatcher: BaseDispatcher
    options: Options
    fields: dict[str, Any]
    inputs: dict[str, Input] = field(default_factory=dict)
    outputs: dict[str, Output] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    strides: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    """Of tensors that are not seen as others are: biases, slopes, lse."""
    changes: list[str] = field(default_factory=list)
    placed: dict[str, DeviceTensor] = field(default_factory=dict)

    @property
    def device(self) -> Device:
        return self.dispatcher.device

    @property
    def on_device(self) -> bool:
        """Whether new results stay on the device, as one of q, k and v is there."""
        return any(self.inputs[name].one.tensor is not None for name in "qkv")

    @property
    def like(self) -> Any:
        """What the caller's arrays are."""
        return self.inputs["q"].one.given

    def plan(self) -> Plan[FmhaProblem]:
        """The best plan, which is known if all of this was there before."""
        strides, alignment = self._strides(), self._alignment()
        pad = self.options.pad
        # Before a problem is made of it, which takes longer than to find it.
        key = (FmhaProblem, strides, alignment, pad, *self.fields.items())
        remembered = self.dispatcher.remembered()
        found: Plan[FmhaProblem] | None = remembered.get(key)
        if found is None:
            problem = FmhaProblem(**self.fields, strides=strides, alignment=alignment)
            found = remembered[key] = self.dispatcher.plan(problem, pad=pad)
        return found

    def _strides(self) -> tuple[tuple[str, int, int, int], ...]:
        given: dict[str, Input | Output] = {**self.inputs, **self.outputs}
        found = [
            (name, *(self.strides.get(name) or by_row_head_batch(one.shape, one.strides)))
            for name, one in given.items()
            if name in STRIDED_TENSORS
        ]
        return tuple(sorted(found, key=lambda one: PLACES[one[0]]))

    def _alignment(self) -> int:
        """Bytes that all addresses of the caller's are multiples of; memory of our own is aligned
        to any kernel's wish.
        """
        bits = 16
        for given in self.inputs.values():
            bits |= given.address
        for made in self.outputs.values():
            bits |= made.address
        for table in self.tables.values():
            bits |= table.tensor.address if table.tensor is not None else 0
        return bits & -bits

    def launch(self, plan: Plan[FmhaProblem]) -> float | None:
        """Puts everything where the plan wants it, and enqueues it; milliseconds if they were asked
        for.
        """
        self.changes.extend(plan.changes)
        stream = stream_address(self.options.stream)
        device = self.device
        for name, given in self.inputs.items():
            self.placed[name] = given.staged(device, self.changes, stream)
        for name, made in self.outputs.items():
            self.placed[name] = made.staged(device)
        for name, table in self.tables.items():
            self.placed[name] = table.staged(device)
        addresses = [self.placed[name].address for name in plan.problem.tensors]
        return self.dispatcher.launch(plan, addresses, stream, self.options.timing)

    def delivered(self, name: str) -> Any:
        """A result, if there is one of that name."""
        one = self.outputs.get(name)
        if one is None:
            return None
        return one.delivered(
            self.like, self.on_device, self.device, stream_address(self.options.stream)
        )
