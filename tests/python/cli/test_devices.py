# SPDX-License-Identifier: MIT
"""``devices`` lists what kernels can run on, and why something cannot be used."""

from __future__ import annotations

from pathlib import Path

from cli_support import ckdispatch

GPUS = ("gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1200", "gfx1201")


def test_the_table_has_every_gpu_of_the_simulator_with_its_product() -> None:
    ended = ckdispatch("devices")
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert lines[0].split() == ["device", "GPU", "product", "usable"]
    assert [line.split()[0] for line in lines if line.startswith("sim:")] == [
        f"sim:{g}" for g in GPUS
    ]
    (line,) = (line for line in lines if line.startswith("sim:gfx942"))
    assert line.split("  ")[-1].strip() == "yes" and "AMD Instinct MI300X" in line


def test_the_document_has_the_same() -> None:
    found = ckdispatch("devices", "--json").document["devices"]
    simulated = [device for device in found if device["simulated"]]
    assert [device["gpu"] for device in simulated] == list(GPUS)
    assert simulated[2] == {
        "name": "sim:gfx942",
        "gpu": "gfx942",
        "product": "AMD Instinct MI300X",
        "simulated": True,
        "usable": True,
        "reason": "",
        "compute_units": 304,
        "clock_mhz": None,
    }


def test_what_cannot_be_used_has_its_reason_and_nothing_usable_is_an_exit_code(
    tmp_path: Path,
) -> None:
    missing = tmp_path / "no_simulator.so"
    ended = ckdispatch("devices", "--json", env={"CKDISPATCH_SIMULATOR": str(missing)})
    simulated = [one for one in ended.document["devices"] if one["simulated"]]
    assert not any(one["usable"] for one in simulated)
    assert str(missing) in simulated[0]["reason"]
    if not any(one["usable"] for one in ended.document["devices"]):
        assert ended.code == 3
        assert ended.err == "ckdispatch: there is no device that kernels can run on.\n"
    told = ckdispatch("devices", env={"CKDISPATCH_SIMULATOR": str(missing)})
    assert f"no: CKDISPATCH_SIMULATOR names {missing}" in told.out
