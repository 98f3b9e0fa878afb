# SPDX-License-Identifier: MIT
"""--doctor says what was found, what will be used and why, and changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_up_machine import BAD_USAGE, ORDINARY_USER, Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path)
    (machine.etc / "os-release").write_text('NAME="Made-up"\nPRETTY_NAME="Made-up Linux 12"\n')
    return machine


def _rows(stdout: str) -> dict[str, str]:
    """The table, by the name of the row."""
    table = stdout.partition("\n\n")[0]
    return {line[:16].strip(): line[17:] for line in table.splitlines()}


def test_a_fresh_machine_is_described(machine: Machine) -> None:
    machine.remove("mmdebstrap", "bazel")
    outcome = machine.run("--doctor")
    rows = _rows(outcome.stdout)
    key = rows["sealed root"].partition(",")[0]
    assert outcome.code == 0
    assert rows == {
        "machine": "aarch64, Made-up Linux 12, Linux 6.1.0",
        "namespaces": "work",
        "apt": "found, and this user may install packages",
        "mmdebstrap": "not installed",
        "bubblewrap": "bubblewrap 0.8.0",
        "own Bazel": "none (7.7.1 is wanted)",
        "own ROCm": "none (ROCM_PATH and /opt/rocm were looked at)",
        "cache": f"{machine.cache}, 85.8 GB free",
        "sealed root": f"{key}, not made yet",
        "used": "the sealed root, because this machine has no ROCm (ROCM_PATH or /opt/rocm)",
        "archive": "not known before mmdebstrap is installed",
    }
    assert outcome.stdout.endswith("\nUsable.\n")


def test_nothing_is_written_or_installed(machine: Machine) -> None:
    machine.remove("mmdebstrap")
    machine.run("--doctor")
    assert machine.calls("apt-get") == []
    assert not machine.cache.exists()


def test_a_finished_root_is_described_by_the_versions_in_it(machine: Machine) -> None:
    machine.run("info")
    (key,) = machine.roots()
    assert _rows(machine.run("--doctor").stdout)["sealed root"] == (
        f"{key}, with Bazel 7.7.1+ds-8 and clang 1:21.1.8-13"
    )


def test_everything_that_is_wrong_is_listed(machine: Machine) -> None:
    machine.remove("mmdebstrap")
    machine.install("bwrap", "echo 'bwrap: no namespaces' >&2; exit 1")
    machine.install("df", "printf '%s\\n' header '/dev/x 9 9 1024 99% /'")
    outcome = machine.run("--doctor", user=ORDINARY_USER)
    problems = outcome.stdout.partition("Not usable:\n")[2].splitlines()
    assert outcome.code == 1
    assert [
        problem.partition(" needs ")[2].partition(",")[0].split(" in /")[0] for problem in problems
    ] == ["4.0 GB", "mmdebstrap", "user namespaces"]


def test_an_unknown_architecture_is_not_usable(machine: Machine) -> None:
    machine.install("uname", "echo riscv64")
    outcome = machine.run("--doctor")
    assert outcome.code == 1
    assert (
        "- no sealed root can be made on this machine because its architecture is riscv64"
        in outcome.stdout
    )


def test_own_tools_are_usable_on_any_architecture(machine: Machine) -> None:
    machine.install("uname", "echo riscv64")
    outcome = machine.run("--doctor", env={"CKDISPATCH_SEALED": "0"})
    assert outcome.code == 0
    assert _rows(outcome.stdout)["used"] == (
        "this machine's own Bazel, because CKDISPATCH_SEALED=0 asks for it"
    )


def test_a_demand_that_cannot_be_met_is_not_usable(machine: Machine) -> None:
    machine.remove("bazel")
    outcome = machine.run("--doctor", env={"CKDISPATCH_SEALED": "0"})
    assert outcome.code == 1
    assert _rows(outcome.stdout)["used"] == "nothing"


def test_an_argument_is_refused(machine: Machine) -> None:
    outcome = machine.run("--doctor", "--fix")
    assert (outcome.code, outcome.stderr) == (
        BAD_USAGE,
        "bazelw: --doctor takes no argument, and '--fix' was given.\n",
    )
