# SPDX-License-Identifier: MIT
"""The sealed root is made once, whole or not at all, whatever happens meanwhile."""

from __future__ import annotations

import fcntl
import os
import re
import signal
from pathlib import Path

import pytest
from made_up_archive import PLAN
from made_up_machine import BAD_SURROUNDINGS, BWRAP, MMDEBSTRAP, ORDINARY_USER, ROOT, Machine

# Writes half a root, says so, and hangs for longer than any test.
_HANGING_MMDEBSTRAP = MMDEBSTRAP + "echo 'I: extracting archives...' >&2; sleep 600"
_HALFWAY = "unpacking the base system"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def _wait_until_released(machine: Machine) -> None:
    """Returns when no process holds the bootstrap's lock any more."""
    with (machine.cache / "sealed" / "lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)


@pytest.mark.parametrize("user", [ROOT, ORDINARY_USER])
def test_the_first_command_makes_the_root_and_the_second_only_uses_it(
    machine: Machine, user: int
) -> None:
    first = machine.run("build", "//:x", user=user)
    second = machine.run("build", "//:x", user=user)
    assert (first.code, second.code) == (0, 0)
    assert "is ready" in first.stderr
    assert second.stderr == ""
    assert len(machine.bootstraps()) == 1
    assert [call[-2:] for call in machine.calls("bazel")] == [["build", "//:x"]] * 2


def test_the_root_is_renamed_into_place_and_nothing_else_is_left(machine: Machine) -> None:
    machine.run("info")
    assert len(machine.roots()) == 1
    assert machine.leftovers() == []


def test_the_marker_records_the_version_of_every_package(machine: Machine) -> None:
    machine.run("info")
    (key,) = machine.roots()
    marker = (machine.cache / "sealed" / key / "etc" / "ckdispatch-sealed").read_text().splitlines()
    assert key in marker[0]
    assert marker[1:] == ["bazel-bootstrap 7.7.1+ds-8", "clang-21 1:21.1.8-13"]


def test_settings_that_leave_sandboxes_behind_are_taken_out_of_the_root(machine: Machine) -> None:
    machine.run("info")
    (key,) = machine.roots()
    settings = (machine.cache / "sealed" / key / "etc" / "bazel" / "bazelrc").read_text()
    assert settings == "common --override_module=a=/b\n"


def test_mmdebstrap_gets_the_package_list_and_the_proxy_of_apt(machine: Machine) -> None:
    machine.run("info")
    (call,) = machine.bootstraps()
    (include,) = (word for word in call if word.startswith("--include="))
    assert {"bazel-bootstrap", "hipcc", "clang-21"} <= set(
        include.removeprefix("--include=").split(",")
    )
    assert '--aptopt=Acquire::https::Proxy "proxy.example:3128";' in call
    assert "--architectures=arm64" in call


def test_a_mirror_of_the_users_choice_is_handed_to_mmdebstrap(machine: Machine) -> None:
    machine.run("info", env={"CKDISPATCH_MIRROR": "file:///mirror"})
    assert [call[-1] for call in machine.calls("mmdebstrap")] == ["file:///mirror"] * 2


def test_after_kill_9_the_next_run_removes_the_half_and_makes_the_root(machine: Machine) -> None:
    machine.install("mmdebstrap", _HANGING_MMDEBSTRAP)
    killed = machine.start("info")
    killed.wait_for(_HALFWAY)
    killed.kill_everything()
    assert machine.roots() == []
    (left,) = machine.leftovers()

    machine.install("mmdebstrap", MMDEBSTRAP)
    again = machine.run("info")
    assert again.code == 0
    assert f"removing what an interrupted run left in {left}" in again.stderr
    assert len(machine.roots()) == 1
    assert machine.leftovers() == []


def test_after_kill_9_of_bazelw_alone_the_next_run_waits_for_what_it_left_running(
    machine: Machine,
) -> None:
    machine.install("mmdebstrap", MMDEBSTRAP + "echo 'I: extracting archives...' >&2; sleep 1")
    killed = machine.start("info")
    killed.wait_for(_HALFWAY)
    killed.process.kill()
    again = machine.run("info")
    assert again.code == 0
    assert "waiting for another bazelw" in again.stderr
    assert len(machine.roots()) == 1
    assert machine.leftovers() == []


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_an_interrupted_bootstrap_stops_everything_and_leaves_nothing(
    machine: Machine, sent: signal.Signals, code: int
) -> None:
    machine.install("mmdebstrap", _HANGING_MMDEBSTRAP)
    running = machine.start("info")
    running.wait_for(_HALFWAY)
    os.kill(running.process.pid, sent)
    assert running.wait().code == code
    _wait_until_released(machine)
    assert machine.roots() == []
    assert machine.leftovers() == []


def test_of_two_starts_at_once_one_waits_and_both_succeed(machine: Machine) -> None:
    go = machine.folder / "go"
    machine.install(
        "mmdebstrap",
        MMDEBSTRAP
        + f"echo 'I: extracting archives...' >&2; until [[ -e {go} ]]; do sleep 0.05; done",
    )
    first = machine.start("info")
    first.wait_for(_HALFWAY)
    second = machine.start("info")
    second.wait_for(
        f"waiting for another bazelw that is making a sealed root in {machine.cache}/sealed"
    )
    go.touch()
    assert (first.wait().code, second.wait().code) == (0, 0)
    assert len(machine.bootstraps()) == 1
    assert len(machine.calls("bazel")) == 2


def test_a_failed_bootstrap_leaves_no_root_and_can_be_repeated(machine: Machine) -> None:
    machine.install("mmdebstrap", MMDEBSTRAP + "echo 'E: something odd' >&2; exit 25")
    failed = machine.run("info")
    assert failed.code == BAD_SURROUNDINGS
    assert "could not make the sealed root (E: something odd)" in failed.stderr
    assert machine.roots() == []
    assert machine.leftovers() == []
    machine.install("mmdebstrap", MMDEBSTRAP)
    assert machine.run("info").code == 0


def test_with_a_root_neither_apt_nor_mmdebstrap_is_needed(machine: Machine) -> None:
    machine.run("info")
    machine.remove("apt-get", "apt-config", "mmdebstrap", "newuidmap", "unshare", "df")
    assert machine.run("info", user=ORDINARY_USER).code == 0
    assert len(machine.calls("bazel")) == 2


def _key(machine: Machine) -> str:
    found = re.search(r"sealed root +(\S+),", machine.run("--doctor").stdout)
    assert found
    return found.group(1)


def test_the_key_follows_the_packages_and_neither_comments_nor_their_order(
    machine: Machine,
) -> None:
    packages = machine.repository / "tools" / "sealed" / "packages.txt"
    before = _key(machine)
    lines = packages.read_text().splitlines()
    packages.write_text("# another comment\n" + "\n".join(reversed(lines)))
    assert _key(machine) == before
    packages.write_text("\n".join([*lines, "libbenchmark-dev"]))
    assert _key(machine) != before


def test_the_key_follows_the_architecture(machine: Machine) -> None:
    arm = _key(machine)
    machine.install("uname", "echo x86_64")
    assert (arm[:6], _key(machine)[:6]) == ("arm64-", "amd64-")


def test_a_changed_package_list_makes_a_new_root_beside_the_old_one(machine: Machine) -> None:
    machine.run("info")
    (old,) = machine.roots()
    with (machine.repository / "tools" / "sealed" / "packages.txt").open("a") as packages:
        packages.write("libbenchmark-dev\n")
    machine.run("info")
    assert len(machine.roots()) == 2
    folders = [call[0].rpartition("/")[2] for call in machine.calls("bazel")]
    assert folders[0] == old
    assert folders[1] in set(machine.roots()) - {old}


def test_a_missing_bubblewrap_is_installed_again(machine: Machine) -> None:
    machine.run("info")
    machine.remove("bwrap")
    (machine.folder / "spare").write_text(f"#!{machine.programs}/bash\n{BWRAP}")
    machine.install(
        "apt-get",
        f"{PLAN}[[ $1 != install ]] || {{ cp {machine.folder}/spare {machine.programs}/bwrap;"
        f" chmod +x {machine.programs}/bwrap; }}",
    )
    assert machine.run("info").code == 0
    assert machine.installations()[-1] == ["install", "-y", "--no-install-recommends", "bubblewrap"]
