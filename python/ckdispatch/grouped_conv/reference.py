# SPDX-License-Identifier: MIT
"""The reference of a grouped convolution in its three directions.

It is a cross-correlation, as everywhere in machine learning: the filter is not flipped. Pads are
zeros that are multiplied like everything else, so that an infinite weight gives NaN there.

Each direction is computed as kernels do: as a matrix product for each group, of which one factor
is gathered from an image. K runs through the taps with the channels innermost, or backward to the
weights through the images and their outputs.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ckdispatch.comparison import Reference
from ckdispatch.errors import InvalidArgument
from ckdispatch.grouped_conv.sizes import TENSORS, ConvSizes, Indices, check_direction
from ckdispatch.product.epilogue import look_up_fused_op
from ckdispatch.product.sums import (
    WHOLE,
    Arithmetic,
    Parts,
    check_epilogue,
    finished,
    products_of,
    sum_of_products,
)
from ckdispatch.reference.formats import Wide, check_array, widened
from ckdispatch.reference.multiplication import Products, check_products
from ckdispatch.wording import quoted


def grouped_conv_reference(
    direction: str,
    a: NDArray[Any],
    b: NDArray[Any],
    sizes: ConvSizes,
    *,
    bias: NDArray[Any] | None = None,
    fused_op: str | None = None,
    output: str | None = None,
    parts: Parts = WHOLE,
    products: Products | None = None,
) -> Reference:
    """What a direction gives, with what a kernel's result may differ from it by.

    ========================  ===  ===  =====
    direction                 a    b    gives
    ========================  ===  ===  =====
    ``"forward"``             x    w    y
    ``"backward_data"``       y    w    x
    ``"backward_weight"``     y    x    w
    ========================  ===  ===  =====

    Arrays have the shapes of ``sizes.shape`` and any strides. Forward, the result goes through
    ``fused_op`` with the ``bias``, an array of the shape (g, k), as its only D tensor; by default
    a bias is added and nothing else is done. ``output`` is a dtype's name, by default what kernels
    store for these operands; 8-bit outputs take their encoding from the operands.

    Where ``products`` are given, those of the result's shape, the arrays only say what they are of.
    The gathered factor takes as much memory as its image in float64, times the taps of the filter.
    """
    check_direction(direction)
    check_products(products)
    names = TENSORS[direction]
    if not isinstance(sizes, ConvSizes):
        raise InvalidArgument(
            f"a convolution was asked for with the sizes {quoted(sizes)}; ConvSizes.of makes them"
        )
    for name, array in zip((*names[:2], "bias"), (a, b, bias), strict=True):
        if name != "bias" or array is not None:
            check_array(name, array)
    for name, tensor in zip(names, (a, b), strict=False):
        _check_shape(name, tensor, sizes.shape(name))
    arithmetic = Arithmetic.of(names[:2], a, b, output)
    ds = [] if bias is None else [bias]
    if not isinstance(parts, Parts):
        raise InvalidArgument(
            f"a convolution was asked for with the parts {quoted(parts)}; they are Parts"
        )
    op = look_up_fused_op(
        fused_op if fused_op is not None else ("MultiDAdd" if ds else "PassThrough"), len(ds)
    )
    if direction != "forward" and op.name != "PassThrough":
        raise InvalidArgument(
            f"{op.name} was asked for in the direction {direction}; "
            "only forward applies something to its result"
        )
    check_epilogue(op, names[2], arithmetic, parts)
    if bias is not None:
        _check_shape("bias", bias, (sizes.g, sizes.k))
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        if products is not None:
            k, depth = _terms(direction, sizes), sizes.depth(direction)
            product, error = sum_of_products(products, k, arithmetic, parts, depth)
        else:
            wide = widened(a), widened(b)
            product, error = _DIRECTIONS[direction](*wide, sizes, arithmetic, parts)
        wide_ds = [np.broadcast_to(widened(d), product.shape) for d in ds]
        return finished(product, error, op, wide_ds, arithmetic)


def _forward(
    x: Wide, w: Wide, sizes: ConvSizes, arithmetic: Arithmetic, parts: Parts
) -> tuple[Wide, Wide]:
    left = _gathered(x, [axis.places() for axis in sizes.axes])
    right = w.reshape(sizes.g, sizes.k, -1).swapaxes(1, 2)
    sums = _summed(left, right, arithmetic, parts, sizes.depth("forward"))
    return _as_images(sums, sizes.n, sizes.output)


def _backward_data(
    y: Wide, w: Wide, sizes: ConvSizes, arithmetic: Arithmetic, parts: Parts
) -> tuple[Wide, Wide]:
    product, error = np.zeros(sizes.shape("x")), np.zeros(sizes.shape("x"))
    depth = sizes.depth("backward_data")
    for classes in itertools.product(*(axis.classes() for axis in sizes.axes)):
        rows, taps, places = zip(*classes, strict=True)
        extents = tuple(len(positions) for positions in rows)
        # Some inputs meet no tap, and their gradient is zero.
        if not math.prod(extents) or not all(len(some) for some in taps):
            continue
        left = _gathered(y, places)
        chosen = w[np.ix_(range(sizes.g), range(sizes.k), *taps, range(sizes.c))]
        right = np.moveaxis(chosen, 1, -2).reshape(sizes.g, -1, sizes.c)
        sums = _summed(left, right, arithmetic, parts, depth)
        where = np.ix_(range(sizes.n), *rows)
        product[where], error[where] = _as_images(sums, sizes.n, extents)
    return product, error


def _backward_weight(
    y: Wide, x: Wide, sizes: ConvSizes, arithmetic: Arithmetic, parts: Parts
) -> tuple[Wide, Wide]:
    left = np.moveaxis(y.reshape(-1, sizes.g, sizes.k), 0, -1)
    right = _gathered(x, [axis.places() for axis in sizes.axes])
    sums = _summed(left, right, arithmetic, parts, sizes.depth("backward_weight"))
    product, error = (one.reshape(sizes.shape("w")) for one in sums)
    return product, error


def _summed(
    left: Wide, right: Wide, arithmetic: Arithmetic, parts: Parts, depth: int
) -> tuple[Wide, Wide]:
    return sum_of_products(products_of(left, right), left.shape[-1], arithmetic, parts, depth)


def _terms(direction: str, sizes: ConvSizes) -> int:
    """How many there are in a sum, with those of pads and of taps that are not met."""
    if direction == "backward_weight":
        return sizes.n * math.prod(sizes.output)
    return math.prod(sizes.filter) * (sizes.c if direction == "forward" else sizes.k)


_DIRECTIONS = {
    "forward": _forward,
    "backward_data": _backward_data,
    "backward_weight": _backward_weight,
}


def _gathered(image: Wide, places: Sequence[Indices]) -> Wide:
    """The values of ``image`` at the places of every axis: [g, n * rows, columns * channels]."""
    by_group = np.moveaxis(image, -2, 0)
    g, n, *extents, channels = by_group.shape
    # One zero at the end of each axis is what the place -1 reads.
    padded = np.zeros((g, n, *(extent + 1 for extent in extents), channels))
    inside: tuple[Any, ...] = tuple(slice(extent) for extent in by_group.shape)
    padded[inside] = by_group
    where: list[Any] = [slice(None), slice(None)]
    for axis, place in enumerate(places):
        shape = [1] * (2 * len(places))
        shape[axis], shape[len(places) + axis] = place.shape
        where.append(place.reshape(shape))
    values: Wide = padded[tuple(where)]
    columns = math.prod(place.shape[1] for place in places) * channels
    return values.reshape(g, -1, columns)


def _as_images(sums: tuple[Wide, Wide], n: int, extents: tuple[int, ...]) -> tuple[Wide, Wide]:
    """Products and errors of all groups, [g, n * positions, channels], as images."""
    product, error = (np.moveaxis(one.reshape(len(one), n, *extents, -1), 0, -2) for one in sums)
    return np.ascontiguousarray(product), np.ascontiguousarray(error)


def _check_shape(name: str, array: NDArray[Any], wanted: tuple[int, ...]) -> None:
    if array.shape != wanted:
        raise InvalidArgument(
            f"{name} has the shape {array.shape}, and these sizes need it to have {wanted}"
        )


def expected(
    parts: int,
    spec: Mapping[str, Any],
    sizes: ConvSizes,
    a: NDArray[Any],
    b: NDArray[Any],
    bias: NDArray[Any] | None = None,
    products: Products | None = None,
) -> Reference:
    """The reference of a direction, with the tolerance of the kernel that ``spec`` describes.

    ``a`` and ``b`` are the two tensors that the direction reads, ``parts`` what the plan divides
    its sum into. Each part is of whole tiles.
    """
    return grouped_conv_reference(
        spec["variant"], a, b, sizes, bias=bias, products=products, **arithmetic_of(parts, spec)
    )


def arithmetic_of(parts: int, spec: Mapping[str, Any]) -> dict[str, Any]:
    """How a kernel computes, as arguments of ``grouped_conv_reference``: kernels that have the same
    have the same reference.
    """
    written = TENSORS[spec["variant"]][2]
    parts_in = "accumulator" if spec["split_k"] == "workspace" else "output"
    return {
        "fused_op": spec["fused_op"],
        "output": spec[f"dtype_{written}"],
        "parts": WHOLE if parts == 1 else Parts(parts, spec["tile"][2], parts_in=parts_in),
    }
