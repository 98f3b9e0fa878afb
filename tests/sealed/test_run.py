# SPDX-License-Identifier: MIT
"""What a command in the sealed root gets, sees and hears."""

from __future__ import annotations

import os
import pty
import re
import signal
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from made_up_machine import BWRAP, ORDINARY_USER, Machine

_PROPERTY = "common:sealed --remote_default_exec_properties=sealed-root="


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def _mounts(machine: Machine, option: str) -> set[str]:
    """The paths that bubblewrap was last told to show in the root at their
    own place by `option`.
    """
    call = machine.calls("bwrap")[-1]
    return {
        source
        for (word, source), (_, target) in zip(pairwise(call), pairwise(call[1:]), strict=False)
        if word == option and source == target
    }


def _settings(machine: Machine) -> list[str]:
    """The lines of the bazelrc that Bazel was last told to read."""
    (rc,) = (word for word in machine.calls("bazel")[-1] if word.startswith("--bazelrc="))
    return Path(rc.removeprefix("--bazelrc=")).read_text().splitlines()


@pytest.mark.parametrize("code", [0, 1, 3, 8, 37])
def test_the_exit_code_is_bazels(machine: Machine, code: int) -> None:
    machine.install("bazel", f"exit {code}")
    assert machine.run("test", "//:x").code == code


def test_what_bazel_prints_is_all_that_is_on_standard_output(machine: Machine) -> None:
    machine.install("bazel", "echo answer")
    assert machine.run("info", "release").stdout == "answer\n"


def test_arguments_arrive_unchanged(machine: Machine) -> None:
    odd = ["build", "--define=a=b c", "--", "-//:x", "$HOME", "*", ""]
    machine.run(*odd)
    assert machine.calls("bazel")[-1][-len(odd) :] == odd


def test_the_sealed_configuration_and_its_registry_are_switched_on(machine: Machine) -> None:
    machine.run("info")
    assert "common --config=sealed" in _settings(machine)
    registry = machine.repository / "tools" / "sealed" / "registry"
    assert f"common:sealed --registry=file://{registry}" in _settings(machine)


def _identity(machine: Machine) -> str:
    """What the key of every action has of the root that the last command ran in."""
    (identity,) = (
        line.removeprefix(_PROPERTY) for line in _settings(machine) if line.startswith(_PROPERTY)
    )
    return identity


def _marker(machine: Machine) -> Path:
    (key,) = machine.roots()
    return machine.cache / "sealed" / key / "etc" / "ckdispatch-sealed"


def test_every_action_is_keyed_by_the_packages_of_the_root(machine: Machine) -> None:
    machine.run("info")
    assert re.fullmatch(r"[0-9a-f]{32}", _identity(machine))


def test_roots_of_one_list_that_differ_in_one_version_have_different_identities(
    machine: Machine,
) -> None:
    machine.run("info")
    first, (root,) = _identity(machine), machine.roots()
    text = _marker(machine).read_text()
    _marker(machine).write_text(text.replace("clang-21 1:21.1.8-13", "clang-21 1:21.1.8-14"))
    assert _marker(machine).read_text() != text
    machine.run("info")
    assert machine.roots() == [root]
    assert _identity(machine) != first


def test_roots_of_the_same_packages_made_on_different_days_have_one_identity(
    machine: Machine,
) -> None:
    machine.run("info")
    first = _identity(machine)
    header, packages = _marker(machine).read_text().split("\n", 1)
    _marker(machine).write_text(
        re.sub(r"of \d{4}-\d\d-\d\d", "of 2026-01-01", header) + "\n" + packages
    )
    assert "2026-01-01" in _marker(machine).read_text()
    machine.run("info")
    assert _identity(machine) == first


def test_a_moved_cache_moves_the_disk_cache_and_the_output(machine: Machine) -> None:
    machine.run("info")
    (key,) = machine.roots()
    assert f"common --disk_cache={machine.cache}/disk" in _settings(machine)
    assert machine.calls("bazel")[-1][0] == f"--output_user_root={machine.cache}/bazel/{key}"


def test_the_usual_cache_leaves_the_disk_cache_to_the_workspace(machine: Machine) -> None:
    machine.run("info", env={"CKDISPATCH_CACHE": ""})
    assert not [line for line in _settings(machine) if "disk_cache" in line]
    cache = machine.home / ".cache" / "ckdispatch"
    (key,) = (path.name for path in cache.glob("sealed/arm64-*"))
    assert machine.calls("bazel")[-1][0] == f"--output_user_root={cache}/bazel/{key}"


def test_a_home_that_is_not_the_accounts_moves_the_disk_cache_too(machine: Machine) -> None:
    home = machine.folder / "another_home"
    home.mkdir()
    machine.run("info", env={"CKDISPATCH_CACHE": "", "HOME": str(home)})
    assert f"common --disk_cache={home}/.cache/ckdispatch/disk" in _settings(machine)


def test_xdg_cache_home_is_heeded(machine: Machine) -> None:
    xdg = machine.folder / "xdg"
    machine.run("info", env={"CKDISPATCH_CACHE": "", "XDG_CACHE_HOME": str(xdg)})
    assert f"common --disk_cache={xdg}/ckdispatch/disk" in _settings(machine)


def test_own_bazel_gets_options_only_when_the_cache_is_moved(machine: Machine) -> None:
    machine.run("info", env={"CKDISPATCH_SEALED": "0", "CKDISPATCH_CACHE": ""})
    assert machine.calls("bazel")[-1] == ["info"]
    machine.run("info", env={"CKDISPATCH_SEALED": "0"})
    assert machine.calls("bazel")[-1][0] == f"--output_user_root={machine.cache}/bazel"
    assert _settings(machine) == [f"common --disk_cache={machine.cache}/disk"]


def test_a_subfolder_of_a_workspace_stays_the_current_folder(machine: Machine) -> None:
    folder = machine.workspace / "some" / "folder"
    folder.mkdir(parents=True)
    machine.install("bazel", "pwd")
    assert machine.run("info", cwd=folder).stdout == f"{folder}\n"


def test_outside_of_any_workspace_bazel_runs_in_the_repository(machine: Machine) -> None:
    machine.install("bazel", "pwd")
    assert machine.run("info", cwd=machine.home).stdout == f"{machine.repository}\n"


def test_the_hosts_compilers_and_libraries_are_hidden(machine: Machine) -> None:
    machine.run("info")
    call = machine.calls("bwrap")[-1]
    unset = {name for option, name in pairwise(call) if option == "--unsetenv"}
    assert {"LD_LIBRARY_PATH", "LD_PRELOAD", "CC", "ROCM_PATH", "PYTHONPATH", "JAVA_HOME"} <= unset
    path = call[call.index("PATH") + 1]
    assert str(machine.programs) not in path


def test_system_folders_are_read_only(machine: Machine) -> None:
    machine.run("info")
    (key,) = machine.roots()
    call = machine.calls("bwrap")[-1]
    assert call[call.index("/usr") - 2 : call.index("/usr") + 1] == [
        "--ro-bind",
        f"{machine.cache}/sealed/{key}/usr",
        "/usr",
    ]
    assert ["--remount-ro", "/"] in [list(pair) for pair in pairwise(call)]


def test_the_hosts_resolver_certificates_and_pip_settings_are_shown(machine: Machine) -> None:
    for name in ("resolv.conf", "hosts", "pip.conf"):
        (machine.etc / name).write_text("# of the host\n")
    certificates = machine.etc / "ssl" / "certs"
    certificates.mkdir(parents=True)
    (certificates / "ca-certificates.crt").touch()
    machine.run("info")
    assert {"/etc/resolv.conf", "/etc/hosts", "/etc/pip.conf", "/etc/ssl/certs"} <= _mounts(
        machine, "--ro-bind"
    )


@pytest.mark.parametrize("how", ["variable", "configuration"])
def test_a_folder_of_packages_for_pip_is_shown_where_the_root_would_hide_it(
    machine: Machine, how: str
) -> None:
    (machine.etc / "wheels").mkdir()
    env = {"PIP_FIND_LINKS": "https://wheels.example /etc/wheels"} if how == "variable" else {}
    if how == "configuration":
        (machine.etc / "pip.conf").write_text(
            "[global]\nextra-index-url =\n    file:///etc/wheels\n"
        )
    machine.run("info", env=env)
    assert "/etc/wheels" in _mounts(machine, "--ro-bind")


def test_a_certificate_that_a_variable_names_is_shown(machine: Machine) -> None:
    (machine.etc / "company.pem").touch()
    machine.run("info", env={"REQUESTS_CA_BUNDLE": "/etc/company.pem"})
    assert "/etc/company.pem" in _mounts(machine, "--ro-bind")


def test_a_user_that_only_a_directory_service_knows_has_a_name(machine: Machine) -> None:
    (machine.etc / "passwd").write_text("root:x:0:0::/root:/bin/sh\n")
    machine.install("getent", "echo 'someone:x:1000:1000::/home/someone:/bin/sh'")
    machine.run("info")
    machine.install(
        "bwrap", f'while [[ $1 != --ro-bind-data ]]; do shift; done; cat <&"$2" >&2\n{BWRAP}'
    )
    outcome = machine.run("info", user=ORDINARY_USER)
    assert outcome.stderr.splitlines() == [
        "root:x:0:0::/root:/bin/sh",
        "someone:x:1000:1000::/home/someone:/bin/sh",
    ]


def test_termination_reaches_bazel_and_its_exit_code_comes_back(machine: Machine) -> None:
    machine.run("info")
    machine.install("bazel", "trap 'exit 8' TERM; echo ready >&2; while :; do sleep 0.05; done")
    running = machine.start("build", "//:x")
    running.wait_for("ready")
    os.kill(running.process.pid, signal.SIGTERM)
    assert running.wait().code == 8


def test_ctrl_c_on_a_terminal_reaches_bazel_and_its_exit_code_comes_back(machine: Machine) -> None:
    machine.run("info")
    # A program that was started with Ctrl-C ignored would not get Python's KeyboardInterrupt.
    machine.install(
        "bazel",
        """exec python3 -c '
import time
try:
    print("ready", flush=True)
    time.sleep(20)
except KeyboardInterrupt:
    raise SystemExit(8)
'""",
    )
    pid, terminal = pty.fork()
    if pid == 0:
        enter = Path(__file__).absolute().with_name("enter_machine.py")
        command = [sys.executable, str(enter), "0", str(machine.etc), str(machine.opt)]
        os.chdir(machine.workspace)
        os.execve(
            sys.executable,
            [*command, str(machine.repository / "bazelw"), "build", "//:x"],
            {
                "CKDISPATCH_CACHE": str(machine.cache),
                "HOME": str(machine.home),
                "PATH": str(machine.programs),
            },
        )
    seen = b""
    while b"ready" not in seen:
        seen += os.read(terminal, 1024)
    os.write(terminal, b"\x03")
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 8


def test_a_command_of_ones_own_runs_in_the_root(machine: Machine) -> None:
    outcome = machine.run("--sealed-shell", "bash", "-c", "echo $1; exit 7", "-", "a b")
    assert (outcome.code, outcome.stdout) == (7, "a b\n")
    assert machine.calls("bwrap")[-1][-5:] == ["bash", "-c", "echo $1; exit 7", "-", "a b"]


def test_help_shows_the_own_options_and_does_not_make_a_root(machine: Machine) -> None:
    outcome = machine.run("--help")
    assert outcome.code == 0
    assert "./bazelw --clean-sealed [--all]" in outcome.stdout
    assert machine.calls("mmdebstrap") == []


def test_help_ends_with_bazels_own(machine: Machine) -> None:
    machine.run("info")
    machine.install("bazel", 'echo "Bazel was asked for ${!#}"')
    assert machine.run("--help").stdout.endswith("Bazel was asked for help\n")
