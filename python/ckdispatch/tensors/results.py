# SPDX-License-Identifier: MIT
"""Results as the caller's library has its arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray


def like(given: Any, array: NDArray[Any]) -> Any:
    """The array, packed, of the kind that ``given`` is."""
    import numpy as np

    array = np.ascontiguousarray(array)
    if isinstance(given, np.ndarray):
        return array
    if type(given).__module__.partition(".")[0] == "torch":
        import torch  # type: ignore[import-not-found, unused-ignore]

        opaque = array.dtype.kind == "V"
        if not opaque:
            return torch.from_numpy(array)
        empty = torch.empty(array.shape, dtype=given.dtype)
        empty.view(torch.uint8).numpy()[...] = array.view(np.uint8)
        return empty
    return array


def transposed(made: Any, order: tuple[int, ...]) -> Any:
    """A view with its axes in that order, of a NumPy array or a torch tensor."""
    return made.permute(order) if hasattr(made, "permute") else made.transpose(order)
