# SPDX-License-Identifier: MIT
"""How a plan is timed: the options for it, and what they are if nothing is said."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from ckdispatch.cli.exits import UsageError
from ckdispatch.cli.options import whole

if TYPE_CHECKING:
    from ckdispatch.dispatcher import Dispatcher
    from ckdispatch.plan import Plan


SIMULATED, SIMULATOR = "simulated", "simulator"
"""Times of the simulated GPU, by a model of it, and of the program that simulates."""

_HEADS = {
    SIMULATED: "{} is simulated: these times are the GPU's by a model of it. None was measured.",
    SIMULATOR: (
        "{} is simulated: these times are the simulator's own, on this machine's CPU. They "
        "say nothing about a GPU."
    ),
}


def head(device: str, times: str) -> str:
    """What people have to know before they read times of this kind."""
    return _HEADS.get(times, "Timed on {}.").format(device)


def ask_for_times(device: str, *, of_all: bool) -> None:
    """Has the simulator, which is not loaded yet, tell the time of its GPU where it can.

    Unless results count (``of_all``), only the workgroups that a time needs are run.
    """
    if device.startswith("sim:"):
        os.environ.setdefault(_TIMING, "auto" if of_all else "auto-sample")


def _samples() -> bool:
    return os.environ.get(_TIMING, "").endswith("sample")


def seed_for(device: str, seed: int) -> int | None:
    """That of operands; nothing where the simulator runs only what a time needs, whatever they
    hold.
    """
    return None if device.startswith("sim:") and _samples() else seed


def check_results_count(option: str) -> None:
    """Refuses a simulator that computes nothing that is right."""
    if _samples():
        raise UsageError(
            f"{option} was asked for with {_TIMING}={os.environ[_TIMING]}, which runs only "
            f"some workgroups, and a time counts only if the result is right; set {_TIMING}=1"
        )


_TIMING = "GFXSIM_TIMING"


@dataclass(frozen=True)
class Timing:
    """As ``Dispatcher.benchmark`` takes it."""

    warmup: int
    repeat: int
    flush_cache: bool
    rotating_buffers: int
    cpu_timer: bool = False

    def measure(
        self, dispatcher: Dispatcher, plan: Plan[Any], tensors: Sequence[Any]
    ) -> dict[str, Any]:
        """The times of a plan."""
        times: dict[str, Any] = dispatcher.benchmark(plan, tensors, **asdict(self))
        return times


QUICK = Timing(warmup=3, repeat=10, flush_cache=False, rotating_buffers=1)
"""For whoever looks at a few problems."""

SIMULATING = Timing(warmup=0, repeat=1, flush_cache=False, rotating_buffers=1)
"""A simulated time is the same each time."""

THOROUGH = Timing(warmup=3, repeat=20, flush_cache=True, rotating_buffers=4)
"""For tables: neither caches nor a single slow run decide."""


def add_timing(parser: argparse.ArgumentParser) -> None:
    """The options; what is not said depends on what is timed."""
    parser.add_argument(
        "--warmup",
        type=whole(0),
        metavar="N",
        help=f"untimed runs first; {QUICK.warmup} by default",
    )
    parser.add_argument(
        "--repeat",
        type=whole(1),
        metavar="N",
        help=f"measured runs; {QUICK.repeat} by default, {THOROUGH.repeat} with --all-kernels, "
        f"{SIMULATING.repeat} on the simulator",
    )
    parser.add_argument(
        "--flush-cache",
        action=argparse.BooleanOptionalAction,
        help="overwrite the GPU's caches before each run; --all-kernels does",
    )
    parser.add_argument(
        "--rotating-buffers",
        type=whole(1),
        metavar="N",
        help="copies of the operands that runs take in turn;"
        f" {QUICK.rotating_buffers} by default, {THOROUGH.rotating_buffers} with --all-kernels",
    )
    parser.add_argument(
        "--cpu-timer", action="store_true", help="the CPU's clock in place of the GPU's"
    )


def timing_of(options: argparse.Namespace, device: str, otherwise: Timing) -> Timing:
    """What the options say, and on a GPU ``otherwise`` what they do not."""
    otherwise = SIMULATING if device.startswith("sim:") else otherwise
    said = {field.name: getattr(options, field.name) for field in fields(Timing)}
    return Timing(
        **{
            name: getattr(otherwise, name) if value is None else value
            for name, value in said.items()
        }
    )


def check_thorough(timing: Timing) -> None:
    """Refuses to measure a GPU in a way whose times cannot stand beside others."""
    wrong = {
        f"--repeat {timing.repeat}": timing.repeat < THOROUGH.repeat,
        "--warmup 0": timing.warmup < 1,
        "--no-flush-cache": not timing.flush_cache,
        "--rotating-buffers 1": timing.rotating_buffers < 2,
        "--cpu-timer": timing.cpu_timer,
    }
    for option, is_wrong in wrong.items():
        if is_wrong:
            raise UsageError(
                f"{option} was asked for with --all-kernels on a GPU; a time of a table is by the "
                f"GPU's clock the median of at least {THOROUGH.repeat} runs after a warm-up, with "
                "flushed caches and rotating buffers"
            )
