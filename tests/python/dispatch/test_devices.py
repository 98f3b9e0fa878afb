# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import pytest
from dispatch_support import ESSENTIAL, dispatcher, everything

from ckdispatch import Dispatcher, Registry, devices
from ckdispatch.errors import InvalidArgument, NotFound, WrongGpu


def test_the_simulator_has_every_gpu() -> None:
    simulated = {device.gpu: device for device in devices() if device.simulated}
    assert {"gfx942", "gfx950", "gfx1100"} <= set(simulated)
    assert simulated["gfx942"].usable
    assert simulated["gfx942"].product


def test_listing_loads_no_hip() -> None:
    devices()
    assert "amdhip64" not in Path("/proc/self/maps").read_text()


def test_auto_takes_a_device_that_the_kernels_have_code_for() -> None:
    assert Dispatcher(everything()).device_name.removeprefix("hip:") in ("sim:gfx942", "0")


def test_the_environment_says_what_auto_means(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CKDISPATCH_DEVICE", "sim:gfx950")
    assert Dispatcher(everything()).device_name == "sim:gfx950"
    monkeypatch.setenv("CKDISPATCH_DEVICE", "auto")
    with pytest.raises(InvalidArgument, match="which is what it is to decide"):
        _ = Dispatcher(everything()).device_name


def test_no_device_for_a_registry_gets_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CKDISPATCH_DEVICE", raising=False)
    with pytest.raises(NotFound, match="which hold code for no GPU"):
        _ = Dispatcher(Registry()).device_name


@pytest.mark.parametrize("name", ["", "gpu", "hip:", "hip:x", "hip:-1", "sim:", "sim:gfx1"])
def test_a_wrong_device_gets_a_sentence(name: str) -> None:
    with pytest.raises(InvalidArgument, match="was asked for"):
        _ = Dispatcher(everything(), name).device


def test_one_process_simulates_one_gpu() -> None:
    device = dispatcher().device
    if not device.simulated:
        pytest.skip("this process has a real GPU")
    with pytest.raises(InvalidArgument, match="already simulates gfx942"):
        _ = Dispatcher(Registry.load(ESSENTIAL), "sim:gfx950").device


def test_a_dispatcher_does_not_change_its_gpu() -> None:
    if not dispatcher().device.simulated:
        pytest.skip("this process has a real GPU")
    with pytest.raises((InvalidArgument, WrongGpu)):
        _ = Dispatcher(everything(), "sim:gfx1100").device
