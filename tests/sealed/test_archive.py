# SPDX-License-Identifier: MIT
"""A root is made of what the archive has: a tested compiler, an archive that is not replayed, or a
sentence that says what works.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from made_up_archive import VERSIONS
from made_up_machine import BAD_SURROUNDINGS, MMDEBSTRAP, Machine

_NOW = datetime.now(timezone.utc)
_CHECKED = '--aptopt=Acquire::Check-Valid-Until "true"'
_UNCHECKED = '--aptopt=Acquire::Check-Valid-Until "false"'
_MIRROR = {"CKDISPATCH_MIRROR": "file:///mirror"}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def _known_good(machine: Machine, word: str) -> str:
    found = re.search(
        rf"^{word} (\S+)$",
        (machine.repository / "tools/sealed/known-good.txt").read_text(),
        re.MULTILINE,
    )
    assert found
    return found.group(1)


def _record_known_good(machine: Machine, published: datetime) -> None:
    file = machine.repository / "tools" / "sealed" / "known-good.txt"
    file.write_text(
        re.sub(r"(?m)^archive .*", published.strftime("archive %Y%m%dT%H%M%SZ"), file.read_text())
    )


def _packages(call: list[str]) -> set[str]:
    (include,) = (word for word in call if word.startswith("--include="))
    return set(include.removeprefix("--include=").split(","))


def _row(machine: Machine, name: str, env: dict[str, str] | None = None) -> str:
    rows = {
        line[:16].strip(): line[17:]
        for line in machine.run("--doctor", env=env).stdout.splitlines()
    }
    return rows.get(name, "")


def test_the_preferred_compiler_is_taken_while_the_archive_has_it(machine: Machine) -> None:
    outcome = machine.run("info")
    (call,) = machine.bootstraps()
    assert outcome.code == 0
    assert {"clang-21", "lld-21", "llvm-21", "rocm-device-libs-21"} <= _packages(call)
    assert "{llvm}" not in " ".join(call)
    assert "cannot be installed" not in outcome.stderr


@pytest.mark.parametrize("gone", ["clang-21", "lld-21", "llvm-21", "rocm-device-libs-21"])
def test_without_it_the_next_tested_one_is_taken_and_the_reason_said(
    machine: Machine, gone: str
) -> None:
    machine.archive.lacks(gone)
    outcome = machine.run("info")
    (call,) = machine.bootstraps()
    assert outcome.code == 0
    assert {"clang-22", "lld-22", "llvm-22", "rocm-device-libs-22", "hipcc"} <= _packages(call)
    assert not {"clang-21", "lld-21", "llvm-21", "rocm-device-libs-21"} & _packages(call)
    assert (
        "clang 22 is used, because what is preferred cannot be installed"
        f" (clang 21: E: Unable to locate package {gone})" in outcome.stderr
    )


def test_the_key_contains_the_compiler_and_the_root_is_found_again_without_the_archive(
    machine: Machine,
) -> None:
    machine.run("info")
    (preferred,) = machine.roots()
    machine.run("--clean-sealed", "--all")
    machine.archive.lacks("clang-21")
    machine.run("info")
    (other,) = machine.roots()
    assert other != preferred
    machine.archive.complains("E: Could not resolve 'x'")
    again = machine.run("info")
    assert (again.code, again.stderr) == (0, "")
    assert machine.roots() == [other]
    assert _row(machine, "sealed root") == f"{other}, with Bazel 7.7.1+ds-8 and clang 1:22.1.8-3"


def test_cleaning_keeps_the_root_that_is_used_and_that_of_the_other_architecture(
    machine: Machine,
) -> None:
    machine.archive.lacks("clang-21")
    machine.run("info")
    (other_machine,) = machine.roots()
    machine.install("uname", "[[ $1 == -r ]] && echo 6.1.0 || echo x86_64")
    machine.run("info")
    (with_22,) = set(machine.roots()) - {other_machine}
    assert machine.run("--clean-sealed").code == 0
    assert set(machine.roots()) == {other_machine, with_22}


def test_an_archive_without_any_tested_compiler_is_refused_with_the_known_good_state(
    machine: Machine,
) -> None:
    machine.archive.lacks("clang-21", "clang-22")
    outcome = machine.run("info")
    assert outcome.code == BAD_SURROUNDINGS
    assert outcome.stderr.splitlines()[-1] == (
        f"bazelw: Debian forky of {_NOW:%Y-%m-%d} cannot install what tools/sealed/packages.txt "
        "names for arm64"
        " (clang 21: E: Unable to locate package clang-21; clang 22: E: Unable to locate package "
        "clang-22);"
        " set CKDISPATCH_MIRROR to Debian's snapshot archive at "
        f"{_known_good(machine, 'snapshot')}, a state that is"
        " known to be good (tools/sealed/known-good.txt)."
    )
    assert machine.bootstraps() == []
    assert machine.leftovers() == []
    assert machine.run("--doctor").code == 1


def test_the_date_of_a_live_archive_is_checked(machine: Machine) -> None:
    outcome = machine.run("info")
    assert all(_CHECKED in call and _UNCHECKED not in call for call in machine.calls("mmdebstrap"))
    assert "past its date" not in outcome.stderr
    assert (
        _row(machine, "archive")
        == f"Debian forky of {_NOW:%Y-%m-%d}, whose date and signature are checked"
    )


@pytest.mark.parametrize("env", [{}, _MIRROR])
def test_the_date_of_a_snapshot_is_not_checked_and_that_is_said(
    machine: Machine, env: dict[str, str]
) -> None:
    published = _NOW - timedelta(days=30)
    _record_known_good(machine, published)
    machine.archive.date_of(published)
    outcome = machine.run("info", env=env)
    (call,) = machine.bootstraps()
    assert outcome.code == 0
    assert _UNCHECKED in call and _CHECKED not in call
    assert (
        f"Debian forky is of {published:%Y-%m-%d} and past its date; its signature is checked"
        in outcome.stderr
    )
    assert _row(machine, "archive", env) == (
        f"Debian forky of {published:%Y-%m-%d}, valid until "
        f"{published + timedelta(days=7):%Y-%m-%d}:"
        " its signature is checked, its date cannot be"
    )


def test_a_replayed_archive_is_refused_unless_the_user_named_it(machine: Machine) -> None:
    """An archive that is past its date, and much older than what was tested."""
    _record_known_good(machine, _NOW - timedelta(days=30))
    machine.archive.date_of(_NOW - timedelta(days=121))
    refused = machine.run("info")
    assert refused.code == BAD_SURROUNDINGS
    assert "someone may be replaying it" in refused.stderr
    assert (machine.bootstraps(), machine.leftovers()) == ([], [])
    assert machine.run("--doctor").code == 1
    assert machine.run("info", env=_MIRROR).code == 0


def test_a_mirror_may_lag_behind_the_known_good_state(machine: Machine) -> None:
    _record_known_good(machine, _NOW - timedelta(days=30))
    machine.archive.date_of(_NOW - timedelta(days=119))
    assert machine.run("info").code == 0


@pytest.mark.parametrize(
    ("complaint", "sentence"),
    [
        (
            "E: Failed to fetch http://x/InRelease  Could not resolve 'x'",
            "bazelw: Debian forky cannot be reached",
        ),
        (
            "W: GPG error: x: NO_PUBKEY 6ED0E7B82643E131",
            "bazelw: the signature of Debian forky could not be checked",
        ),
    ],
)
def test_an_archive_that_cannot_be_asked_is_explained(
    machine: Machine, complaint: str, sentence: str
) -> None:
    machine.archive.complains(complaint)
    outcome = machine.run("info")
    assert outcome.code == BAD_SURROUNDINGS
    assert outcome.stderr.splitlines()[-1].startswith(sentence)
    assert (machine.bootstraps(), machine.leftovers()) == ([], [])


def test_doctor_says_what_a_new_root_would_have(machine: Machine) -> None:
    machine.archive.has(
        {**VERSIONS, "clang-21": _known_good(machine, "arm64 clang-21"), "hipcc": "9.0"}
    )
    assert _row(machine, "new root") == (
        f"clang {_known_good(machine, 'arm64 clang-21')}, Bazel {VERSIONS['bazel-bootstrap']}, "
        "hipcc 9.0"
    )
    assert _row(machine, "known good") == (
        f"hipcc {_known_good(machine, 'arm64 hipcc')},"
        f" at {_known_good(machine, 'snapshot')} of Debian's snapshot archive"
    )
    machine.archive.lacks("clang-21")
    assert _row(machine, "new root").startswith("clang 1:22.1.8-3, ")
    assert machine.bootstraps() == []
    assert not machine.cache.exists()


def test_doctor_without_a_network_says_so_in_one_line_and_does_not_fail(machine: Machine) -> None:
    machine.archive.complains("E: Could not resolve 'x'")
    outcome = machine.run("--doctor")
    assert outcome.code == 0
    assert (
        "archive          cannot be asked (E: Could not resolve 'x'): "
        "a new root needs the network\n"
    ) in outcome.stdout
    assert "\nnew root" not in outcome.stdout


def test_doctor_does_not_wait_for_ever(machine: Machine) -> None:
    script = machine.repository / "tools" / "sealed" / "doctor.sh"
    script.write_text(script.read_text().replace("archive_seconds=60", "archive_seconds=1"))
    machine.install("mmdebstrap", "[[ $1 != --version ]] || exit 0\nsleep 600")
    outcome = machine.run("--doctor")
    assert outcome.code == 0
    assert "cannot be asked (E: no answer within 1 s)" in outcome.stdout


def test_an_interrupted_question_leaves_nothing(machine: Machine) -> None:
    machine.install("mmdebstrap", "[[ $1 != --version ]] || exit 0\nsleep 600" + MMDEBSTRAP)
    running = machine.start("info")
    running.wait_for("asking Debian forky what it has")
    running.process.terminate()
    assert running.wait().code == 143
    assert machine.leftovers() == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("# none\n", "names none."),
        ("21\nlatest\n", "has 'latest', which is not a version of LLVM such as 21."),
    ],
)
def test_a_wrong_list_of_compilers_is_refused(machine: Machine, text: str, sentence: str) -> None:
    (machine.repository / "tools" / "sealed" / "compilers.txt").write_text(text)
    outcome = machine.run("info")
    assert outcome.code == BAD_SURROUNDINGS
    assert outcome.stderr.endswith(f"{sentence}\n")


@pytest.mark.parametrize("arch", ["amd64", "arm64"])
def test_the_known_good_state_has_every_package_of_the_list(machine: Machine, arch: str) -> None:
    llvm = _known_good(machine, "llvm")
    lines = (machine.repository / "tools" / "sealed" / "packages.txt").read_text().splitlines()
    listed = {line.replace("{llvm}", llvm) for line in lines if line and not line.startswith("#")}
    text = (machine.repository / "tools" / "sealed" / "known-good.txt").read_text()
    assert set(re.findall(rf"(?m)^{arch} (\S+) \S+$", text)) == listed
    compilers = (machine.repository / "tools" / "sealed" / "compilers.txt").read_text().splitlines()
    assert llvm == next(line for line in compilers if not line.startswith("#"))
