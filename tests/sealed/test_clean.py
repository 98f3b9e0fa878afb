# SPDX-License-Identifier: MIT
"""--clean-sealed removes the roots that are no longer asked for, and none that is in use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from made_up_machine import BAD_SURROUNDINGS, BAD_USAGE, MMDEBSTRAP, Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine with the root of an older package list and that of the present one."""
    machine = Machine(tmp_path)
    machine.run("info")
    with (machine.repository / "tools" / "sealed" / "packages.txt").open("a") as packages:
        packages.write("libbenchmark-dev\n")
    return machine


def _make_current(machine: Machine) -> tuple[str, str]:
    """Makes the present root too and returns the keys of both."""
    (old,) = machine.roots()
    machine.run("info")
    (current,) = set(machine.roots()) - {old}
    return old, current


def test_the_root_of_an_older_list_is_removed_and_the_present_one_kept(machine: Machine) -> None:
    old, current = _make_current(machine)
    outcome = machine.run("--clean-sealed")
    assert outcome.code == 0
    assert f"removed the sealed root {old}" in outcome.stderr
    assert machine.roots() == [current]
    assert machine.leftovers() == []


def test_all_removes_the_present_root_too(machine: Machine) -> None:
    _make_current(machine)
    assert machine.run("--clean-sealed", "--all").code == 0
    assert machine.roots() == []


def test_what_was_freed_is_said(machine: Machine) -> None:
    (old,) = machine.roots()
    large = machine.cache / "sealed" / old / "usr" / "large"
    with large.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, 5 * 1024 * 1024)
    outcome = machine.run("--clean-sealed")
    assert outcome.stderr.splitlines()[-1] == "bazelw: 5 MB were freed"


def test_what_bazel_built_in_a_root_goes_with_it(machine: Machine) -> None:
    (old,) = machine.roots()
    output = machine.cache / "bazel" / old / "output"
    output.mkdir(parents=True)
    (output / "artifact").touch()
    output.chmod(0o555)
    machine.run("--clean-sealed")
    assert not (machine.cache / "bazel" / old).exists()


def test_a_root_of_the_same_list_for_another_architecture_is_kept(machine: Machine) -> None:
    _, current = _make_current(machine)
    other = current.replace("arm64-", "amd64-")
    (machine.cache / "sealed" / other / "etc").mkdir(parents=True)
    (machine.cache / "sealed" / other / "etc" / "ckdispatch-sealed").touch()
    machine.run("--clean-sealed")
    assert machine.roots() == [other, current]


def test_a_root_in_which_a_command_runs_is_not_removed(machine: Machine) -> None:
    _, current = _make_current(machine)
    running = machine.start("--sealed-shell", "bash", "-c", "echo ready >&2; sleep 600")
    running.wait_for("ready")
    outcome = machine.run("--clean-sealed", "--all")
    running.kill_everything()
    assert outcome.code == BAD_SURROUNDINGS
    assert f"the sealed root {current} was not removed because it is in use" in outcome.stderr
    assert machine.roots() == [current]


def test_a_root_whose_server_outlives_its_command_is_not_removed(machine: Machine) -> None:
    """Bazel's client ends and leaves a server behind, which the lock must see."""
    go = machine.folder / "go"
    machine.install(
        "bazel", f"(until [[ -e {go} ]]; do sleep 0.05; done) </dev/null >/dev/null 2>&1 &"
    )
    _, current = _make_current(machine)
    assert machine.run("--clean-sealed", "--all").code == BAD_SURROUNDINGS
    assert machine.roots() == [current]
    go.touch()


def test_nothing_is_removed_while_a_root_is_being_made(machine: Machine) -> None:
    machine.install("mmdebstrap", f"{MMDEBSTRAP}\nsleep 600")
    making = machine.start("info")
    making.wait_for("reading the list of packages")
    outcome = machine.run("--clean-sealed")
    making.kill_everything()
    assert outcome.code == BAD_SURROUNDINGS
    assert outcome.stderr.startswith("bazelw: nothing was removed because another bazelw is making")
    assert len(machine.roots()) == 1


def test_an_empty_cache_is_no_error(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    outcome = machine.run("--clean-sealed")
    assert outcome.code == 0
    assert "nothing to remove" in outcome.stderr


def test_an_unknown_argument_removes_nothing(machine: Machine) -> None:
    outcome = machine.run("--clean-sealed", "--everything")
    assert outcome.code == BAD_USAGE
    assert len(machine.roots()) == 1
