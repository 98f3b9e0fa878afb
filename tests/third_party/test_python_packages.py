# SPDX-License-Identifier: MIT
"""A lock file's packages become Bazel targets."""

from __future__ import annotations

import json
from importlib.util import cache_from_source
from pathlib import Path

import pytest
from ckfetch import python_packages, wheelhouse

LOCK = """\
here==1.0 \\
    --hash=sha256:00
Only.Elsewhere==2.0 ; python_full_version < '3' \\
    --hash=sha256:11
"""


@pytest.fixture
def build_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The BUILD file for the lock on a machine where pip installs only the first package."""

    def install(_lock: Path, _cache: Path, site: Path) -> None:
        info = site / "here-1.0.dist-info"
        info.mkdir(parents=True)
        (site / "here").mkdir()
        (site / "here" / "BUILD.bazel").write_text("")
        (site / "here" / "template.py").write_text("import {module}\n")
        (site / "here.py").write_text("ANSWER = 42\n")
        (info / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: here\nVersion: 1.0\nRequires-Dist: only-elsewhere\n"
        )
        files = [
            "here.py",
            "here/BUILD.bazel",
            "here/template.py",
            "here/tests/test_it.py",
            "here/include/api.h",
            "here-1.0.dist-info/RECORD",
        ]
        (info / "RECORD").write_text("".join(f"{file},,\n" for file in files))

    monkeypatch.setattr(wheelhouse, "install", install)
    lock = tmp_path / "requirements.lock"
    lock.write_text(LOCK)
    python_packages.unpack(lock, tmp_path)
    return (tmp_path / "BUILD.bazel").read_text()


def test_an_installed_package_is_a_library_with_its_files(build_file: str) -> None:
    library = build_file.partition('name = "here"')[2].partition(")")[0]
    assert 'srcs = ["site/here.py", "site/here/template.py"]' in library
    assert "deps = []" in library
    assert "target_compatible_with" not in library


def test_sources_are_compiled_to_the_same_bytecode_wherever_they_lie(
    build_file: str, tmp_path: Path
) -> None:
    compiled = cache_from_source("site/here.py")
    assert json.dumps(compiled) in build_file.partition("data = ")[2].partition("\n")[0]
    content = (tmp_path / compiled).read_bytes()
    # Nobody looks whether the source has changed, whose time Bazel does not keep.
    assert int.from_bytes(content[4:8], "little") == 0b01
    assert str(tmp_path).encode() not in content and b"site/here.py" in content


def test_what_cannot_be_compiled_is_left_out(build_file: str, tmp_path: Path) -> None:
    assert "site/here/template.py" in build_file
    assert not (tmp_path / cache_from_source("site/here/template.py")).exists()
    assert cache_from_source("site/here/template.py") not in build_file


def test_all_packages_are_those_that_are_installed(build_file: str) -> None:
    library = build_file.partition('name = "all_packages"')[2].partition(")")[0]
    assert 'deps = [":here"]' in library


def test_nothing_has_the_package_s_own_tests_and_headers(build_file: str) -> None:
    assert "test_it.py" not in build_file and "api.h" not in build_file


def test_the_build_files_of_a_package_are_gone(build_file: str, tmp_path: Path) -> None:
    assert "here/BUILD.bazel" not in build_file
    assert [path.parent for path in tmp_path.rglob("BUILD.bazel")] == [tmp_path]


def test_a_package_for_another_python_is_a_target_whose_users_are_skipped(build_file: str) -> None:
    library = build_file.partition('name = "only_elsewhere"')[2].partition(")")[0]
    assert 'target_compatible_with = ["@platforms//:incompatible"]' in library
