# SPDX-License-Identifier: MIT
"""What was selected for a problem."""

from __future__ import annotations

import weakref
from typing import Any, Generic

from ckdispatch.native.library import native
from ckdispatch.problem import P


class Plan(Generic[P]):
    """One kernel launch, or a few in order. Belongs to the registry that selected it."""

    __slots__ = ("__weakref__", "_facts", "handle", "kernel", "problem")

    def __init__(self, handle: int, problem: P) -> None:
        functions = native().functions
        self.handle = handle
        self.problem = problem
        self.kernel: str = functions.ckd_plan_kernel(handle).decode()
        self._facts: dict[str, Any] | None = None
        weakref.finalize(self, functions.ckd_plan_destroy, handle)

    def to_json(self) -> dict[str, Any]:
        """The stages with their kernels and libraries, the launches, the workspace and the
        predicted time.
        """
        if self._facts is None:
            self._facts = native().json("ckd_plan_to_json", self.handle)
        return self._facts

    @property
    def padded(self) -> str | None:
        """The larger problem that is computed in place of the one that was asked for, in words."""
        padded: str | None = self.to_json().get("padded")
        return padded

    @property
    def changes(self) -> tuple[str, ...]:
        """In sentences how what is computed differs from the problem."""
        asked = self.to_json()["problem"]
        if self.padded is None:
            return ()
        if self.padded == asked:
            return (
                (
                    f"the tensors of {asked} were copied, "
                    "because no kernel takes their addresses or strides as they are"
                ),
            )
        return (f"{asked} was padded to {self.padded}, because no kernel takes it as it is",)

    @property
    def parts(self) -> int:
        """Parts that the sum is split into."""
        stages = self.to_json()["stages"]
        return int(stages[0]["parts"]) if stages else 1

    @property
    def kernels(self) -> tuple[str, ...]:
        """Of its stages: one, several if no kernel computes the problem at once, or none if there
        is nothing to compute.
        """
        return tuple(str(stage["kernel"]) for stage in self.to_json()["stages"])

    @property
    def launches(self) -> int:
        """Such as one for each matrix of a batch that no kernel computes at once."""
        return int(self.to_json()["launches"])

    @property
    def workspace_bytes(self) -> int:
        return int(self.to_json()["workspace_bytes"])

    @property
    def predicted_microseconds(self) -> float:
        """By the cost model, or the model in use; nothing was measured."""
        return float(self.to_json()["predicted_microseconds"])

    def __repr__(self) -> str:
        return (
            f"Plan({self.kernel}, parts={self.parts}, predicted "
            f"{self.predicted_microseconds:.1f} us)"
        )
