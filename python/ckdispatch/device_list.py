# SPDX-License-Identifier: MIT
"""What kernels can run on: the machine's AMD GPUs, read from the kernel driver, and the simulator.
Loads no HIP.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ckdispatch.errors import InvalidArgument, NotFound
from ckdispatch.native import places
from ckdispatch.wording import quoted

_TOPOLOGY = Path("/sys/class/kfd/kfd/topology/nodes")
_DRIVER = Path("/dev/kfd")
_SIMULATED_GPU = "gfx942"
"""What kernels are built for where there is no AMD GPU."""


@dataclass(frozen=True)
class DeviceInfo:
    """A device by the name that ``Dispatcher(device=…)`` takes. ``usable`` is false with the
    ``reason``.

    ``clock_mhz`` is the highest that the driver tells; None is not known. A simulated GPU has no
    clock.
    """

    name: str
    gpu: str
    product: str
    simulated: bool
    usable: bool = True
    reason: str = ""
    compute_units: int | None = None
    clock_mhz: float | None = None


def devices() -> list[DeviceInfo]:
    """The AMD GPUs of this machine, and each GPU that the simulator has."""
    return [*_gpus(), *_simulated()]


def choose(name: str, gpus: tuple[str, ...]) -> str:
    """The device that ``name`` stands for: itself, or for "auto" the first that some kernel
    (``gpus``) holds code for.

    CKDISPATCH_DEVICE, where it is set, is what "auto" means.
    """
    if not isinstance(name, str):
        raise InvalidArgument(
            f"the device {quoted(name)} was asked for; it is called hip:0, sim:gfx942 or auto"
        )
    if name != "auto":
        return name
    if wanted := os.environ.get("CKDISPATCH_DEVICE"):
        if wanted == "auto":
            raise InvalidArgument(
                "CKDISPATCH_DEVICE is 'auto', which is what it is to decide; "
                "name a device such as hip:0 or sim:gfx942"
            )
        return wanted
    found = devices()
    for device in found:
        if device.usable and device.gpu in gpus:
            return device.name
    there = (
        ", ".join(f"{device.name} ({device.gpu})" for device in found if device.usable) or "none"
    )
    raise NotFound(
        "no device runs the kernels of the registry, which hold code for "
        f"{', '.join(gpus) or 'no GPU'}; there is {there}"
    )


def default_gpu() -> str:
    """The GPU that kernels are built for unless one is named.

    That of CKDISPATCH_DEVICE, or of the first usable AMD GPU of the machine; without any gfx942, on
    the simulator.
    """
    wanted = os.environ.get("CKDISPATCH_DEVICE")
    for device in devices():
        if device.name == wanted or (not wanted and not device.simulated and device.usable):
            return device.gpu
    if wanted:
        raise NotFound(
            f"CKDISPATCH_DEVICE is {wanted}, and there is no such device; "
            "`ckdispatch devices` lists them"
        )
    return _SIMULATED_GPU


def _gpus() -> list[DeviceInfo]:
    found: list[DeviceInfo] = []
    nodes = (
        sorted(_TOPOLOGY.glob("[0-9]*"), key=lambda node: int(node.name))
        if _TOPOLOGY.is_dir()
        else []
    )
    for node in nodes:
        told = _properties(node)
        version = told.get("gfx_target_version", 0)
        if not version:  # a processor
            continue
        gpu = f"gfx{version // 10000}{version // 100 % 100:x}{version % 100:x}"
        usable = os.access(_DRIVER, os.R_OK | os.W_OK)
        reason = "" if usable else f"this user may not open {_DRIVER}; join the group that owns it"
        name, units, clock = (
            f"hip:{len(found)}",
            _compute_units(told),
            told.get("max_engine_clk_fcompute") or None,
        )
        found.append(DeviceInfo(name, gpu, _product(gpu), False, usable, reason, units, clock))
    return found


def _compute_units(told: Mapping[str, int]) -> int | None:
    """Those of the device itself: GPUs of one name may differ in them."""
    simds, of_each = told.get("simd_count", 0), told.get("simd_per_cu", 0)
    return simds // of_each if simds and of_each else None


def _properties(node: Path) -> dict[str, int]:
    try:
        lines = (node / "properties").read_text().splitlines()
    except OSError:
        return {}
    pairs = (line.split(maxsplit=1) for line in lines)
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdigit()}


def _simulated() -> list[DeviceInfo]:
    from ckarch import load_specs

    reason = ""
    try:
        places.simulator_library()
    except NotFound as error:
        reason = str(error)
    return [
        DeviceInfo(
            f"sim:{gpu.name}", gpu.name, gpu.product, True, not reason, reason, gpu.compute_units
        )
        for gpu in load_specs().architectures.values()
    ]


def _product(gpu: str) -> str:
    from ckarch import load_specs

    known = load_specs().architectures
    return known[gpu].product if gpu in known else "an AMD GPU that this version does not know"
