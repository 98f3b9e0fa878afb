# SPDX-License-Identifier: MIT
"""What the examples share: their command line, what they print, and their numbers."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import ckdispatch
import numpy as np
from ckdispatch.errors import CkDispatchError, InvalidArgument
from numpy.typing import NDArray

KERNELS = (
    "a manifest of kernels, the library of one kernel, or the name of a set among the program's "
    "files"
)

Array = NDArray[Any]
Results = Iterator[ckdispatch.Result | ckdispatch.GroupedResult | str]


def command_line(what: str | None, sizes: str | None = None) -> argparse.ArgumentParser:
    """KERNELS [DEVICE], which every example takes, and for a product its sizes; some add more."""
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("kernels", help=KERNELS)
    parser.add_argument(
        "device",
        nargs="?",
        default="auto",
        help="such as hip:0 or sim:gfx942 (default: the first GPU, or else the simulator)",
    )
    if sizes is not None:
        parser.add_argument(
            "sizes", nargs="?", default=sizes, help="m, n and k, such as %(default)s, the default"
        )
    return parser


def opened(options: argparse.Namespace) -> ckdispatch.Dispatcher:
    """A dispatcher with the kernels, for the device, that the command line names."""
    return ckdispatch.Dispatcher(loaded(options.kernels), options.device)


def loaded(kernels: str) -> ckdispatch.Registry:
    """The kernels that a word of the command line means."""
    if not kernels.endswith(".so"):
        return ckdispatch.Registry.load(kernels)
    registry = ckdispatch.Registry(name=kernels)
    registry.add_library(kernels)
    return registry


def product_of(sizes: str) -> ckdispatch.GemmProblem:
    """The product of fp16 that a word such as 200x136x72 means."""
    product = ckdispatch.GemmProblem.parse(sizes)
    if product != ckdispatch.GemmProblem(product.m, product.n, product.k):
        raise InvalidArgument(f"{sizes} was given for m, n and k; write them as 200x136x72")
    return product


def example(what: str | None, compute: Callable[[ckdispatch.Dispatcher], Results]) -> None:
    """The whole program, if it takes no more than KERNELS [DEVICE]."""
    run(lambda: compute(opened(command_line(what).parse_args())))


def run(compute: Callable[[], Results]) -> None:
    """Prints each result. A result or an argument that is wrong is a sentence, and exit code 1."""
    try:
        for result in compute():
            for line in described(result):
                print(line)
    except (CkDispatchError, OSError) as error:
        sys.exit(f"error: {error}")


def described(result: ckdispatch.Result | ckdispatch.GroupedResult | str) -> Iterable[str]:
    """What it is, by which kernel, what was not run as it was given, and how exact it is."""
    if isinstance(result, str):
        return [result]
    if isinstance(result, ckdispatch.Result):
        shapes, kernels, found = [result.out.shape], [result.kernel], [result.comparison]
    else:
        shapes, kernels = [out.shape for out in result.outs], list(dict.fromkeys(result.kernels))
        found = [*result.comparisons]
    first = f"{' '.join(map(str, shapes))} by {' + '.join(kernels)} on {result.device}"
    return [first, *result.changes, *map(str, found)]


def whole_numbers(*shape: int) -> Array:
    """From -2 to 4 as fp16, so that short sums are exact."""
    return (np.arange(math.prod(shape)).reshape(shape) % 7 - 2).astype(np.float16)
