# SPDX-License-Identifier: MIT
"""The convolutions of ResNet-50, each once: those of a stage's later blocks are the same."""

from __future__ import annotations

from dataclasses import dataclass

from ckdispatch import GroupedConvProblem


@dataclass(frozen=True)
class Layer:
    """A square convolution of images of ``size`` x ``size``, and how often the network has it."""

    name: str
    size: int
    channels: int
    outputs: int
    filter: int = 1
    stride: int = 1
    count: int = 1

    def problem(
        self, images: int, dtype: str, direction: str, layout: str
    ) -> GroupedConvProblem:
        """What is asked of a kernel; a filter keeps the size of the image but for the stride."""
        pad = self.filter // 2
        return GroupedConvProblem(
            images, 1, self.channels, self.outputs, (self.size, self.size), self.filter,
            stride=self.stride, left_pad=pad, right_pad=pad, dtype=dtype, direction=direction,
            layout=layout,
        )  # fmt: skip


def _stage(number: int, size: int, width: int, given: int, blocks: int) -> tuple[Layer, ...]:
    """A stage of bottlenecks, whose first one halves the image in its 3x3, but not in stage 2."""
    stride = 1 if number == 2 else 2
    after = size // stride
    wide = 4 * width
    first = (
        Layer(f"conv{number}.0.reduce", size, given, width),
        Layer(f"conv{number}.0.filter", size, width, width, 3, stride),
        Layer(f"conv{number}.0.shortcut", size, given, wide, 1, stride),
        Layer(f"conv{number}.expand", after, width, wide, count=blocks),
    )
    later = (
        Layer(f"conv{number}.reduce", after, wide, width, count=blocks - 1),
        Layer(f"conv{number}.filter", after, width, width, 3, count=blocks - 1),
    )
    return (*first, *later)


LAYERS: tuple[Layer, ...] = (
    Layer("conv1", 224, 3, 64, 7, 2),
    *_stage(2, 56, 64, 64, 3),
    *_stage(3, 56, 128, 256, 4),
    *_stage(4, 28, 256, 512, 6),
    *_stage(5, 14, 512, 1024, 3),
)
