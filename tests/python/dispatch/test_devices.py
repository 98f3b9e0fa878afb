# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import pytest
from ckdispatch import Dispatcher, Registry, device_list, devices
from ckdispatch.errors import InvalidArgument, NotFound, WrongGpu
from dispatch_support import ESSENTIAL, dispatcher, everything


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


def made_up_gpus(monkeypatch: pytest.MonkeyPatch, folder: Path, versions: list[int]) -> None:
    """As the kernel driver would list them; 0 is a processor."""
    for number, version in enumerate(versions):
        node = folder / "nodes" / str(number)
        node.mkdir(parents=True)
        (node / "properties").write_text(
            f"simd_count 1216\nsimd_per_cu 4\ngfx_target_version {version}\n"
            "max_engine_clk_fcompute 2100\n"
        )
    (folder / "kfd").touch()
    monkeypatch.setattr(device_list, "_TOPOLOGY", folder / "nodes")
    monkeypatch.setattr(device_list, "_DRIVER", folder / "kfd")


def test_kernels_are_built_for_the_first_gpu_of_the_machine(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("CKDISPATCH_DEVICE", raising=False)
    made_up_gpus(monkeypatch, tmp_path, [0, 90500, 90402])
    assert device_list.default_gpu() == "gfx950"
    monkeypatch.setenv("CKDISPATCH_DEVICE", "hip:1")
    assert device_list.default_gpu() == "gfx942"


def test_compute_units_and_clock_are_what_the_driver_tells(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made_up_gpus(monkeypatch, tmp_path, [0, 90402, 90402])
    (tmp_path / "nodes" / "2" / "properties").write_text("gfx_target_version 90402\n")
    first, second, *simulated = device_list.devices()
    assert (first.name, first.compute_units, first.clock_mhz) == ("hip:0", 304, 2100)
    assert (second.name, second.compute_units, second.clock_mhz) == ("hip:1", None, None)
    assert all(one.compute_units and one.clock_mhz is None for one in simulated)


def test_kernels_are_built_for_a_simulated_gpu_where_there_is_no_other(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("CKDISPATCH_DEVICE", raising=False)
    made_up_gpus(monkeypatch, tmp_path, [0])
    assert device_list.default_gpu() == "gfx942"
    monkeypatch.setenv("CKDISPATCH_DEVICE", "sim:gfx1100")
    assert device_list.default_gpu() == "gfx1100"
    monkeypatch.setenv("CKDISPATCH_DEVICE", "hip:7")
    with pytest.raises(NotFound, match="CKDISPATCH_DEVICE is hip:7, and there is no such device"):
        device_list.default_gpu()


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
