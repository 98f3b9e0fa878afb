# SPDX-License-Identifier: MIT
"""Convolution kernels for the tests of dispatch."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ckdispatch import Dispatcher, Registry
from ckdispatch.grouped_conv.layouts import is_channels_first
from ckdispatch.native.places import find_manifest
from ckdispatch.native.structures import DuplicatePolicy

FORWARD = "grouped_conv_fwd_fp16_2d_essential"
BACKWARD_DATA = "grouped_conv_bwd_data_fp16_2d_essential"
BACKWARD_WEIGHT = "grouped_conv_bwd_weight_fp16_2d_essential"
ANY = "64x64x32_2x2x1_32x32x16_v1x1x1"
MANY = "64x64x64_2x2x1_32x32x16"


def kernel_name(direction: str, rest: str, layout: str = "nhwgc", dtype: str = "fp16") -> str:
    problem = f"{direction}_{dtype}_{layout}_{len(layout) - 3}d"
    return f"grouped_conv_{problem}_compv3_cshuffle_intrawave_{rest}"


def libraries() -> Path:
    """The folder of all convolution kernels that tests have."""
    return find_manifest(FORWARD).parent


@cache
def convolutions() -> Registry:
    """Of every direction and dimension: those of the sets, and what else there is."""
    registry = Registry.load(FORWARD, BACKWARD_DATA, BACKWARD_WEIGHT)
    for path in sorted(libraries().glob("libgrouped_conv_*.so")):
        registry.add_library(path, duplicates=DuplicatePolicy.KEEP)
    return registry


@cache
def convolver() -> Dispatcher:
    return Dispatcher(convolutions())


@cache
def last_convolver() -> Dispatcher:
    """With kernels that read channels last and no other."""
    return Dispatcher(
        convolutions().filter(predicate=lambda kernel: not is_channels_first(kernel.spec["layout"]))
    )


@cache
def first_convolver() -> Dispatcher:
    """With kernels that have channels first and no other."""
    return Dispatcher(
        convolutions().filter(predicate=lambda kernel: is_channels_first(kernel.spec["layout"]))
    )


def only_kernels(*names: str) -> Dispatcher:
    """With those kernels and no other."""
    return Dispatcher(convolutions().filter(predicate=lambda kernel: kernel.name in names))
