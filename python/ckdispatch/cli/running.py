# SPDX-License-Identifier: MIT
"""What the commands that run something share."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from ckdispatch.cli.families import add_problem_options, commands_of
from ckdispatch.cli.kernel_sources import load_kernels, only_kernel
from ckdispatch.cli.options import whole
from ckdispatch.errors import NoKernel, Unsupported

if TYPE_CHECKING:
    from ckdispatch.dispatcher import Dispatcher
    from ckdispatch.plan import Plan
    from ckdispatch.problem import Problem
    from ckdispatch.registry import Registry


def add_running(parser: argparse.ArgumentParser) -> None:
    """Where and how something runs."""
    parser.add_argument(
        "--device",
        default="auto",
        metavar="NAME",
        help="hip:0, sim:gfx942 and so on; by default CKDISPATCH_DEVICE or the first that fits",
    )
    parser.add_argument(
        "--kernel", metavar="NAME", help="run this kernel, by name or key, and no other"
    )
    add_problem_options(parser)
    parser.add_argument(
        "--pad",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="pad the problem if no kernel takes it as it is",
    )
    parser.add_argument(
        "--seed", type=whole(0), metavar="N", help="of the random inputs; a new one by default"
    )


NUMPY, ON_DEVICE = REFERENCES = ("numpy", "device")
"""What computes a reference's sums."""


def add_reference(parser: argparse.ArgumentParser, default: str | None) -> None:
    """What a result is compared with; without a default it depends on the device."""
    parser.add_argument(
        "--reference",
        choices=REFERENCES,
        default=default,
        help="what computes the sums that results are compared with: NumPy, or plain kernels on "
        "the device, which is fast where NumPy takes minutes; by default "
        f"{default or 'the device if it is a GPU, and NumPy for a simulator'}",
    )


def sums_on_device(options: argparse.Namespace, dispatcher: Dispatcher) -> bool:
    """Whether plain kernels compute a reference's sums. A simulated one takes longer than NumPy."""
    if options.reference is None:
        return not dispatcher.device_name.startswith("sim:")
    return bool(options.reference == ON_DEVICE)


def kernels_of(options: argparse.Namespace) -> Registry:
    """The kernels of the options."""
    registry = load_kernels(options.kernels)
    return registry if options.kernel is None else only_kernel(registry, options.kernel)


def make_dispatcher(options: argparse.Namespace, registry: Registry | None = None) -> Dispatcher:
    """A dispatcher for the device of the options and their kernels, which may be loaded; nothing is
    opened yet.
    """
    from ckdispatch.dispatcher import Dispatcher

    return Dispatcher(kernels_of(options) if registry is None else registry, options.device)


def seed_of(options: argparse.Namespace) -> int:
    """The seed that was given, or a new one."""
    if options.seed is not None:
        return int(options.seed)
    return int.from_bytes(os.urandom(4), "little")


def planned(
    choose: Callable[..., Plan[Problem]], problem: Problem, options: argparse.Namespace
) -> tuple[Plan[Problem], tuple[str, ...]]:
    """The best plan, and in sentences how what it computes differs from the problem.

    ``choose`` is ``plan`` of a dispatcher or ``select`` of a selection; if a kernel is named, it
    has no other.
    """
    try:
        plan = choose(problem, kernel=options.kernel)
    except (NoKernel, Unsupported):
        if not options.pad:
            raise
        plan = choose(problem, pad=True)
    return plan, (*plan.changes, *commands_of(problem.family).notes(plan))
