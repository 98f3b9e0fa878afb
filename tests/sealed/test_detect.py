# SPDX-License-Identifier: MIT
"""The machine's own Bazel and ROCm are used where both are good, and otherwise the sealed root."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_up_machine import BAD_SURROUNDINGS, BAD_USAGE, Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def _install_rocm(folder: Path, program: str = "bin/hipcc") -> None:
    path = folder / program
    path.parent.mkdir(parents=True)
    path.touch(mode=0o755)


def _install_bazel(machine: Machine, answer: str, name: str = "bazel") -> None:
    machine.install(name, f"[[ $1 != --version ]] || echo '{answer}'")


def _choice(machine: Machine, **env: str) -> str:
    (line,) = (
        line
        for line in machine.run("--doctor", env=env).stdout.splitlines()
        if line.startswith("used")
    )
    return line.removeprefix("used").strip()


@pytest.mark.parametrize("program", ["bin/hipcc", "llvm/bin/clang++"])
def test_own_bazel_and_rocm_are_used_without_a_sealed_root(machine: Machine, program: str) -> None:
    _install_bazel(machine, "bazel 7.7.1")
    _install_rocm(machine.opt / "rocm", program)
    outcome = machine.run("build", "//:x", env={"CKDISPATCH_CACHE": ""})
    assert outcome.code == 0
    assert machine.calls("bazel")[-1] == ["build", "//:x"]
    assert machine.calls("bwrap") == []
    assert machine.calls("mmdebstrap") == []


def test_rocm_path_is_looked_at_before_opt(machine: Machine) -> None:
    _install_bazel(machine, "bazel 7.7.1")
    _install_rocm(machine.opt / "rocm")
    _install_rocm(machine.folder / "mine")
    rocm = str(machine.folder / "mine")
    assert _choice(machine, ROCM_PATH=rocm) == (
        f"this machine's own Bazel, because Bazel 7.7.1 and the ROCm in {rocm} are on this machine"
    )


@pytest.mark.parametrize(
    "answer", ["bazel 7.7.1-2", "bazel 7.7.1- (@non-git)", "Bazelisk v1.20\nbazel 7.7.1"]
)
def test_a_packagers_suffix_and_bazelisks_own_line_do_not_matter(
    machine: Machine, answer: str
) -> None:
    _install_bazel(machine, answer)
    _install_rocm(machine.opt / "rocm")
    assert _choice(machine).startswith("this machine's own Bazel")


def test_bazelisk_serves_where_there_is_no_bazel(machine: Machine) -> None:
    machine.remove("bazel")
    _install_bazel(machine, "bazel 7.7.1", name="bazelisk")
    _install_rocm(machine.opt / "rocm")
    assert machine.run("info").code == 0
    assert machine.calls("bazelisk")[-1][-1] == "info"


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("bazel 7.7.10", "7.7.10"),
        ("bazel 8.0.0", "8.0.0"),
        ("bazel no_version", "of no known version"),
        ("", "of no known version"),
    ],
)
def test_another_bazel_is_not_used(machine: Machine, answer: str, found: str) -> None:
    _install_bazel(machine, answer)
    _install_rocm(machine.opt / "rocm")
    assert (
        _choice(machine)
        == f"the sealed root, because this machine's Bazel is {found} and not 7.7.1"
    )


def test_without_rocm_the_sealed_root_is_used(machine: Machine) -> None:
    _install_bazel(machine, "bazel 7.7.1")
    assert _choice(machine) == (
        "the sealed root, because this machine has no ROCm (ROCM_PATH or /opt/rocm)"
    )


def test_without_bazel_the_sealed_root_is_used(machine: Machine) -> None:
    machine.remove("bazel")
    _install_rocm(machine.opt / "rocm")
    assert _choice(machine) == "the sealed root, because this machine has no Bazel"


def test_the_sealed_root_can_be_demanded(machine: Machine) -> None:
    _install_bazel(machine, "bazel 7.7.1")
    _install_rocm(machine.opt / "rocm")
    assert _choice(machine, CKDISPATCH_SEALED="1") == (
        "the sealed root, because CKDISPATCH_SEALED=1 asks for it"
    )


def test_the_sealed_root_can_be_refused(machine: Machine) -> None:
    assert machine.run("info", env={"CKDISPATCH_SEALED": "0"}).code == 0
    assert machine.calls("bazel")[-1][-1] == "info"
    assert machine.calls("bwrap") == []


def test_refusing_the_sealed_root_without_a_bazel_is_an_error(machine: Machine) -> None:
    machine.remove("bazel")
    outcome = machine.run("info", env={"CKDISPATCH_SEALED": "0"})
    assert outcome.code == BAD_SURROUNDINGS
    assert outcome.stderr.startswith(
        "bazelw: CKDISPATCH_SEALED=0 asks for this machine's own Bazel"
    )


def test_another_value_of_the_switch_is_an_error(machine: Machine) -> None:
    outcome = machine.run("info", env={"CKDISPATCH_SEALED": "yes"})
    assert outcome.code == BAD_USAGE
    assert outcome.stderr == "bazelw: CKDISPATCH_SEALED is 'yes'; it can be 0, 1 or unset.\n"


def test_inside_a_sealed_root_its_bazel_is_used_directly(machine: Machine) -> None:
    (machine.etc / "ckdispatch-sealed").write_text(
        "# sealed root arm64-0123456789ab: forky, recipe 1\n"
    )
    outcome = machine.run("build", "//:x")
    assert outcome.code == 0
    (call,) = machine.calls("bazel")
    assert call[0] == f"--output_user_root={machine.cache}/bazel/arm64-0123456789ab"
    assert call[-2:] == ["build", "//:x"]
    assert machine.calls("bwrap") == []
