# SPDX-License-Identifier: MIT
"""What a problem needs of the tensors that it is run on, where that is known of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ckdispatch.errors import InvalidArgument
from ckdispatch.tensors.device_tensor import DeviceTensor
from ckdispatch.wording import several

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

class Need:
    """The dtype and the elements, from the first to the last, of one tensor of a problem."""

    __slots__ = ("dtype", "elements", "name")

    def __init__(self, name: str, dtype: str, elements: int) -> None:
        self.name = name
        self.dtype = dtype
        self.elements = elements

    def check(self, problem: Any, tensor: DeviceTensor) -> None:
        """Refuses a tensor of another dtype, or one that is too small; marks one that suits."""
        if tensor.dtype != self.dtype:
            raise InvalidArgument(
                f"{problem.text} was to be run with {self.name} of {tensor.dtype}; it is of "
                f"{self.dtype}"
            )
        if tensor.span < self.elements:
            raise InvalidArgument(
                f"{problem.text} was to be run with {self.name} of "
                f"{several(tensor.span, 'element')}; it has {self.elements}"
            )
        tensor.suits = self


def needs_of(problem: Any, spec: Mapping[str, Any]) -> tuple[Need, ...]:
    """Of each tensor, as a kernel has them."""
    wanted = zip(problem.tensors, problem.dtypes(spec), problem.spans(), strict=True)
    return tuple(Need(name, dtype, span) for name, dtype, span in wanted)


def check_tensors(problem: Any, needs: Sequence[Need], tensors: Sequence[Any]) -> None:
    """Refuses tensors that do not suit; addresses alone are trusted."""
    for need, one in zip(needs, tensors, strict=True):
        if type(one) is DeviceTensor and one.suits is not need:
            need.check(problem, one)
