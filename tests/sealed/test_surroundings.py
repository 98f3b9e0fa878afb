# SPDX-License-Identifier: MIT
"""Bad surroundings get one clear sentence, a non-zero exit and no trace in the cache."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_up_archive import PLAN
from made_up_machine import BAD_SURROUNDINGS, MMDEBSTRAP, ORDINARY_USER, ROOT, Machine, Outcome


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def _sentence(outcome: Outcome) -> str:
    """The only sentence of a command that was refused before it began."""
    assert outcome.code == BAD_SURROUNDINGS
    assert outcome.stdout == ""
    (line,) = outcome.stderr.splitlines()
    assert line.startswith("bazelw: ")
    return line.removeprefix("bazelw: ")


def _last_sentence(outcome: Outcome) -> str:
    """The sentence that ends a bootstrap; what comes before is its progress."""
    assert outcome.code == BAD_SURROUNDINGS
    progress, _, last = outcome.stderr.rstrip("\n").rpartition("\n")
    assert all(line.startswith("bazelw: ") for line in progress.splitlines())
    return last.removeprefix("bazelw: ")


def test_an_unknown_architecture_is_refused(machine: Machine) -> None:
    machine.install("uname", "echo riscv64")
    assert _sentence(machine.run("info")) == (
        "no sealed root can be made on this machine because its architecture is riscv64 and not "
        "aarch64 or x86_64; install Bazel 7.7.1 and ROCm and set CKDISPATCH_SEALED=0."
    )


def test_a_machine_without_apt_is_refused(machine: Machine) -> None:
    machine.remove("apt-get")
    assert _sentence(machine.run("info")).startswith(
        "making the sealed root needs apt, which this machine does not have;"
    )


@pytest.mark.parametrize("program", ["flock", "find", "unshare", "df"])
def test_a_missing_program_is_named(machine: Machine, program: str) -> None:
    machine.remove(program)
    assert f"needs the program '{program}'" in _sentence(machine.run("info"))


def test_a_full_disk_is_refused_before_anything_is_downloaded(machine: Machine) -> None:
    machine.install("df", "printf '%s\\n' header '/dev/x 9 9 2097152 99% /'")
    assert _sentence(machine.run("info")) == (
        f"making the sealed root needs 4.0 GB in {machine.cache}, where only 2.0 GB are free; free "
        "some"
        " or set CKDISPATCH_CACHE to a larger disk."
    )
    assert machine.calls("mmdebstrap") == []


@pytest.mark.parametrize(
    ("complaint", "sentence"),
    [
        ("dpkg: error: cannot copy: No space left on device", "the disk of "),
        ("E: You don't have enough free space in /var/cache/apt/archives/.", "the disk of "),
        (
            "E: Failed to fetch http://x/InRelease  Could not resolve 'x'",
            "Debian forky cannot be reached",
        ),
        ("E: Unable to locate package clang-99", "Debian forky has no package clang-99 for arm64"),
        (
            "W: GPG error: x: NO_PUBKEY 6ED0E7B82643E131",
            "the signature of Debian forky could not be checked",
        ),
    ],
)
def test_a_failure_of_mmdebstrap_is_explained(
    machine: Machine, complaint: str, sentence: str
) -> None:
    machine.install("mmdebstrap", f'{MMDEBSTRAP}\necho "{complaint}" >&2\nexit 25')
    assert _last_sentence(machine.run("info")).startswith(sentence)
    assert machine.roots() == []
    assert machine.leftovers() == []


def test_a_disk_that_fills_up_without_a_word_is_noticed(machine: Machine) -> None:
    machine.install("mmdebstrap", f"{MMDEBSTRAP}\ntouch {machine.folder}/full; exit 25")
    machine.install(
        "df", f"[[ -e {machine.folder}/full ]] && n=5 || n=90000000; printf 'h\\n/ 9 9 %d\\n' $n"
    )
    assert _last_sentence(machine.run("info")).startswith(
        f"the disk of {machine.cache} became full (0 MB left)"
    )


def test_missing_user_namespaces_are_reported_with_bubblewraps_reason(machine: Machine) -> None:
    machine.install("bwrap", "echo 'bwrap: No permissions to create new namespace' >&2; exit 1")
    assert _sentence(machine.run("info")).startswith(
        "the sealed root needs user namespaces, which this machine does not allow"
        " (bwrap: No permissions to create new namespace); allow them"
    )


def test_namespaces_that_went_away_after_the_first_run_are_reported(machine: Machine) -> None:
    machine.run("info")
    machine.install("bwrap", "echo 'bwrap: No permissions to create new namespace' >&2; exit 1")
    outcome = machine.run("info")
    assert outcome.code == BAD_SURROUNDINGS
    assert "needs user namespaces" in outcome.stderr


def test_a_failed_build_is_not_mistaken_for_missing_namespaces(machine: Machine) -> None:
    machine.install("bazel", "exit 1")
    machine.run("info")
    outcome = machine.run("build", "//:broken")
    assert (outcome.code, outcome.stderr) == (1, "")


@pytest.mark.parametrize(
    ("removed", "packages"),
    [
        (["mmdebstrap"], "mmdebstrap"),
        (["mmdebstrap", "bwrap", "newuidmap"], "mmdebstrap bubblewrap uidmap"),
    ],
)
def test_who_may_not_install_packages_is_told_the_one_command(
    machine: Machine, removed: list[str], packages: str
) -> None:
    machine.remove(*removed)
    sentence = _sentence(machine.run("info", user=ORDINARY_USER))
    assert sentence.endswith(f"run: sudo apt-get install -y {packages}")
    assert machine.installations() == []


def _package_archive(machine: Machine) -> str:
    """An apt-get that installs mmdebstrap, which was removed."""
    (machine.folder / "spare").write_text(f"#!{machine.programs}/bash\n{MMDEBSTRAP}")
    machine.remove("mmdebstrap")
    target = machine.programs / "mmdebstrap"
    return (
        f"{PLAN}[[ $1 != install ]] || {{ cp {machine.folder}/spare {target}; chmod +x {target}; }}"
    )


def test_root_installs_what_is_missing(machine: Machine) -> None:
    machine.install("apt-get", _package_archive(machine))
    outcome = machine.run("info", user=ROOT)
    assert outcome.code == 0
    assert machine.installations() == [
        ["update"],
        ["install", "-y", "--no-install-recommends", "mmdebstrap"],
    ]


def test_sudo_without_a_password_is_used_to_install_what_is_missing(machine: Machine) -> None:
    machine.install("apt-get", _package_archive(machine))
    machine.install("sudo", '[[ $1 == -n ]] && shift; exec "$@"')
    assert machine.run("info", user=ORDINARY_USER).code == 0
    assert machine.calls("sudo")[:2] == [["-n", "true"], ["-n", "apt-get", "update"]]


def test_apt_that_cannot_install_is_reported_with_its_reason(machine: Machine) -> None:
    machine.remove("mmdebstrap")
    machine.install("apt-get", "echo 'E: Could not get lock /var/lib/dpkg/lock' >&2; exit 100")
    assert _last_sentence(machine.run("info")).startswith(
        "apt could not install mmdebstrap (E: Could not get lock /var/lib/dpkg/lock);"
    )


@pytest.mark.parametrize("file", ["subuid", "subgid"])
def test_a_user_without_subordinate_ids_is_told_the_one_command(
    machine: Machine, file: str
) -> None:
    (machine.etc / file).write_text("another:100000:65536\n")
    sentence = _sentence(machine.run("info", user=ORDINARY_USER))
    assert sentence.startswith(
        f"the sealed root needs a range of subordinate ids for user in /etc/{file}; run: sudo"
    )


def test_a_cache_that_cannot_be_written_is_named(machine: Machine) -> None:
    file = machine.folder / "file"
    file.touch()
    assert _sentence(machine.run("info", env={"CKDISPATCH_CACHE": f"{file}/cache"})) == (
        f"the cache folder {file}/cache cannot be written; set CKDISPATCH_CACHE to one that can."
    )


@pytest.mark.parametrize("cache", ["relative/path", "/with a/space"])
def test_a_cache_path_that_bazel_cannot_use_is_refused(machine: Machine, cache: str) -> None:
    assert f"the cache folder '{cache}' cannot be used" in _sentence(
        machine.run("info", env={"CKDISPATCH_CACHE": cache})
    )


def test_without_a_home_the_cache_must_be_named(machine: Machine) -> None:
    assert "set CKDISPATCH_CACHE" in _sentence(
        machine.run("info", env={"CKDISPATCH_CACHE": "", "HOME": ""})
    )
