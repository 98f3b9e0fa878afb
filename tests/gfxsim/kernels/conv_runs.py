# SPDX-License-Identifier: MIT
"""Running grouped convolution kernels on the simulator, on problems drawn at random."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from ckabi import KernelLibrary, Status
from ckabi.grouped_conv import ConvProblem, conv_axis, conv_problem
from ckarch import load_specs
from ckdispatch.grouped_conv.reference import grouped_conv_reference
from ckdispatch.grouped_conv.sizes import TENSORS, ConvAxis, ConvSizes
from ckdispatch.product.sums import Parts
from ckdispatch.reference.dtypes import fp8_encoding, numpy_dtype
from ckgen.grouped_conv.spec import GroupedConvSpec
from ckgen.product.pipelines import loop_variants
from ckgen.product.spec import Pipeline
from kernel_runs import GPU, Device, Placed, random_matrix, unreal
from numpy.typing import NDArray

Spec = dict[str, Any]
Random = np.random.Generator


def kernels_of(direction: str) -> list[Path]:
    """The libraries of a direction, which a name calls fwd, bwd_data or bwd_weight; of all with
    ``*``.
    """
    pattern = f"libgrouped_conv_{direction}_*.so"
    return sorted(
        path for folder in ("kernels", "tests/kernels") for path in Path(folder).glob(pattern)
    )


def loops(spec: Spec) -> set[str]:
    """The device functions of a kernel that multiply, each with another loop.

    Of the pipeline mem, which has one for every number of turns up to sixteen, those that are
    likely.
    """
    product = GroupedConvSpec.from_json(spec)
    if product.pipeline is Pipeline.MEM:
        return {"cold_one", "cold_two"}
    return {variant.suffix for variant in loop_variants(product, load_specs())}


def random_axis(random: Random, spec: Spec, largest: int) -> ConvAxis:
    """An axis that the kernel's specialization takes."""
    special = spec["specialization"]
    taps, stride, dilation = (int(random.integers(1, most + 1)) for most in (4, 3, 3))
    left, right = (int(pad) for pad in random.integers(0, 4, 2))
    if special.startswith("filter_1x1"):
        taps, left, right = 1, 0, 0
    if special == "filter_1x1_stride1_pad0":
        stride = 1
    if special == "filter_3x3":
        taps = 3
    least = max(1, dilation * (taps - 1) + 1 - left - right)
    return ConvAxis(least + int(random.integers(0, largest)), taps, stride, dilation, left, right)


def random_sizes(random: Random, spec: Spec) -> ConvSizes:
    """Sizes that the kernel computes: any groups and channels that its vectors divide."""
    dimensions = spec["ndim_spatial"]
    vector = max(spec["vector_a"], spec["vector_b"], spec["vector_c"])
    some = 40 // vector + 2
    # With few taps, channels alone make a sum long.
    few_taps = dimensions == 1 or spec["specialization"].startswith("filter_1x1")
    most = max(40, some) if few_taps and random.integers(0, 2) else some
    c, k = (vector * int(random.integers(1, most)) for _ in range(2))
    if random.integers(0, 8) == 0:
        c, k = (int(channels) for channels in random.integers(1, 40, 2))
    groups = spec["merged_groups"] * int(random.choice([1, 2, 3, 5]))
    if spec["specialization"] == "filter_3x3" or (vector == 1 and random.integers(0, 3) == 0):
        c = 1
        k = 1 if random.integers(0, 2) else k
    largest = {1: 60, 2: 12, 3: 5}[dimensions]
    axes = [random_axis(random, spec, largest) for _ in range(dimensions)]
    if channels_first(spec):
        axes[-1] = widened(axes[-1], spec["vector_c"])
    # The sum of backward_weight is over images and positions.
    long_sum = spec["variant"] == "backward_weight" and (
        dimensions == 1 or spec["split_k"] != "none"
    )
    images = int(random.integers(1, 24 if long_sum else 4))
    return ConvSizes(images, groups, c, k, tuple(axes))


def widened(axis: ConvAxis, vector: int) -> ConvAxis:
    """With so many more inputs that there are whole vectors of outputs."""
    return replace(axis, input=axis.input + -axis.output % vector * axis.stride)


def channels_first(spec: Spec) -> bool:
    """Whether positions are innermost in memory."""
    return str(spec["layout"]).startswith("ng")


def in_memory(spec: Spec, name: str) -> list[int]:
    """The axes of the reference's tensor in the order in which the kernel has them.

    Those of an image are n, positions, g and channels, those of w are g, k, positions and c.
    """
    axes = list(range(spec["ndim_spatial"] + 3))
    if not channels_first(spec):
        return axes
    if name == "w":
        return [*axes[:2], axes[-1], *axes[2:-1]]
    return [axes[0], *axes[-2:], *axes[1:-2]]


def channel_steps(spec: Spec) -> tuple[int, int]:
    """What the channels in and out of a group must be multiples of: the vectors that move them."""
    if channels_first(
        spec
    ):  # one vector of w along its channels and taps; the others move positions
        return spec["vector_a"], 1
    if spec["variant"] == "forward":
        return math.lcm(spec["vector_a"], spec["vector_b"]), spec["vector_c"]
    return math.lcm(spec["vector_b"], spec["vector_c"]), spec["vector_a"]


def fits(spec: Spec, sizes: ConvSizes) -> bool:
    """Whether the kernel has no reason to refuse the sizes: they are whole vectors wherever it
    wants some.
    """
    c, k = channel_steps(spec)
    if sizes.c % c or sizes.k % k:
        return False
    if not channels_first(spec):
        return True
    positions = math.prod(axis.output for axis in sizes.axes)
    return positions % math.lcm(spec["vector_b"], spec["vector_c"]) == 0


def random_numbers(shape: tuple[int, ...], dtype: str, seed: int) -> NDArray[Any]:
    """Numbers between -1 and 1, or whole ones between -9 and 9.

    None of them is subnormal: gfx90a takes those of 16 bits for zero.
    """
    encoding = fp8_encoding(GPU) if dtype in ("fp8", "bf8") else None
    kind = numpy_dtype(dtype, encoding)
    wide = random_matrix(shape, "fp32", seed)
    if kind.kind == "i":
        return np.round(wide * 9).astype(kind)
    steps = 512
    return (np.round(wide * steps) / steps).astype(kind)


def problem_of(sizes: ConvSizes, **changes: Any) -> ConvProblem:
    """The problem of the kernel ABI that has these sizes."""
    axes = [
        conv_axis(
            axis.input,
            axis.filter,
            stride=axis.stride,
            dilation=axis.dilation,
            pads=(axis.left_pad, axis.right_pad),
        )
        for axis in sizes.axes
    ]
    return conv_problem(sizes.n, sizes.g, sizes.c, sizes.k, axes, **changes)


@dataclass(frozen=True)
class Case:
    """A problem whose tensors lie amid NaN in device memory; what is to be written is NaN too."""

    spec: Spec
    sizes: ConvSizes
    parts: int
    arrays: dict[str, NDArray[Any]]
    bias: NDArray[Any] | None
    output: Placed
    problem: ConvProblem

    @classmethod
    def place(cls, device: Device, spec: Spec, sizes: ConvSizes, parts: int, seed: int) -> Case:
        """With random numbers in the tensors."""
        arrays = {
            name: random_numbers(sizes.shape(name), spec[f"dtype_{name}"], seed + i)
            for i, name in enumerate("xwy")
        }
        written = TENSORS[spec["variant"]][2]
        arrays[written] = np.full_like(arrays[written], unreal(arrays[written].dtype))
        placed = {
            name: device.place([array.transpose(in_memory(spec, name)).reshape(1, -1)], gap=0)
            for name, array in arrays.items()
        }
        addresses = {name: on.address for name, on in placed.items()}
        problem = problem_of(sizes, k_batch=parts, **addresses)
        bias = None
        if spec["d_count"]:
            bias = random_numbers((sizes.g, sizes.k), spec["dtype_y"], seed + 3)
            problem.d[0] = device.upload(bias)
        return cls(spec, sizes, parts, arrays, bias, placed[written], problem)

    def compute(self, device: Device, library: KernelLibrary) -> None:
        """Computes the problem, and compares all of the result with the reference."""
        device.launch(library, self.problem)
        (got,) = self.output.read()
        first, second, written = TENSORS[self.spec["variant"]]
        apart = "accumulator" if self.spec["split_k"] == "workspace" else "output"
        expected = grouped_conv_reference(
            self.spec["variant"],
            self.arrays[first],
            self.arrays[second],
            self.sizes,
            bias=self.bias,
            fused_op=self.spec["fused_op"],
            output=self.spec[f"dtype_{written}"],
            parts=Parts(self.parts, self.spec["tile"][2], parts_in=apart),
        )
        order = in_memory(self.spec, written)
        shape = [self.arrays[written].shape[axis] for axis in order]
        expected.compare(got.reshape(shape).transpose(np.argsort(order))).raise_if_bad()

    def be_refused(self, library: KernelLibrary) -> None:
        """Asks for the problem, which must be refused with a reason before anything is written."""
        status, why = library.launch(self.problem, gpu=GPU.encode())
        assert status is Status.UNSUPPORTED and why
        (now,) = self.output.read()
        assert now.tobytes() == self.arrays[TENSORS[self.spec["variant"]][2]].tobytes()


def takes(library: KernelLibrary, sizes: ConvSizes, parts: int) -> bool:
    """Whether the kernel computes such a problem; it says why not otherwise."""
    status, why = library.supports(problem_of(sizes, k_batch=parts), GPU)
    assert status in (Status.OK, Status.UNSUPPORTED), why
    assert (status is Status.OK) == (why == "")
    return status is Status.OK
