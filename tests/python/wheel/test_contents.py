# SPDX-License-Identifier: MIT
"""What is in the wheel, and that its name and its metadata say what is true."""

from __future__ import annotations

import ast
import base64
import csv
import hashlib
import os
import re
import subprocess
import sys
from email.message import Message
from email.parser import BytesParser
from pathlib import Path, PurePosixPath

import pytest
from wheel_support import PACKAGES, built_wheel, wheel_files

FILES = wheel_files()
(ABOUT,) = {name.split("/")[0] for name in FILES if ".dist-info/" in name}
ELF = {name: content for name, content in FILES.items() if content.startswith(b"\x7fELF")}
OPTIONAL = {"ckcharts", "lightgbm", "pyarrow", "scipy", "torch"}
"""Imported only where somebody uses them, with a sentence where they are missing."""


def metadata() -> Message:
    return BytesParser().parsebytes(FILES[f"{ABOUT}/METADATA"])


def test_everything_is_in_the_folders_of_our_packages() -> None:
    assert {PurePosixPath(name).parts[0] for name in FILES} == PACKAGES | {ABOUT}


def test_the_record_has_every_file_and_its_hash() -> None:
    rows = {row[0]: row[1:] for row in csv.reader(FILES[f"{ABOUT}/RECORD"].decode().splitlines())}
    assert rows.pop(f"{ABOUT}/RECORD") == ["", ""]
    assert rows.keys() == FILES.keys() - {f"{ABOUT}/RECORD"}
    for name, (digest, size) in rows.items():
        hashed = base64.urlsafe_b64encode(hashlib.sha256(FILES[name]).digest()).decode()
        assert (digest, int(size)) == (f"sha256={hashed.rstrip('=')}", len(FILES[name])), name


def test_no_header_of_composable_kernel_is_in_it_but_the_recipe_is() -> None:
    assert [name for name in FILES if "ck_tile" in name or name.endswith(".tar")] == []
    assert "ckfetch/edits/__init__.py" in FILES
    digest = FILES["ckdispatch/repository/python/packaging/ck_headers.sha256"]
    assert re.fullmatch(rb"[0-9a-f]{64}\n", digest)


def test_nothing_names_a_folder_of_the_machine_that_made_it() -> None:
    home, here = os.path.expanduser("~").encode(), os.fsencode(Path.cwd())
    for name, content in FILES.items():
        assert here not in content, name
        assert len(home) < 5 or home + b"/" not in content, name
        assert b"/execroot/" not in content, name


def test_its_name_says_the_oldest_c_library_that_it_runs_with(tmp_path: Path) -> None:
    needed, told = set(), ""
    for number, content in enumerate(ELF.values()):
        file = tmp_path / str(number)
        file.write_bytes(content)
        told = subprocess.run(
            ["objdump", "-p", file], capture_output=True, text=True, check=True
        ).stdout
        needed |= {(int(a), int(b)) for a, b in re.findall(r" GLIBC_(\d+)\.(\d+)", told)}
    major, minor = max(needed)
    machine = os.uname().machine
    tag = f"py3-none-manylinux_{major}_{minor}_{machine}"
    assert built_wheel().name == f"{ABOUT.removesuffix('.dist-info')}-{tag}.whl"
    assert f"\nTag: {tag}\n" in FILES[f"{ABOUT}/WHEEL"].decode()


def test_pip_installs_what_it_imports_and_nothing_newer_than_was_tested() -> None:
    imported = set()
    for name, content in FILES.items():
        if name.endswith(".py"):
            for node in ast.walk(ast.parse(content)):
                if isinstance(node, ast.Import):
                    imported |= {alias.name.split(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                    imported.add(node.module.split(".")[0])
    foreign = imported - set(sys.stdlib_module_names) - PACKAGES - OPTIONAL
    lock = Path("third_party/python/requirements.lock").read_text()
    required = dict(one.split(">=") for one in metadata().get_all("Requires-Dist", []))
    assert {name.replace("-", "_") for name in required} == foreign
    for name, oldest in required.items():
        locked = re.findall(rf"^{name}==(\S+)", lock, re.MULTILINE)
        assert oldest == min(locked, key=lambda version: [int(part) for part in version.split(".")])


def test_it_says_which_versions_of_python_it_is_for() -> None:
    assert metadata()["Requires-Python"] == ">=3.10"


@pytest.mark.parametrize("name", ["ckdispatch/repository/tools/gfxsim/gfxsim_disassembler"])
def test_programs_may_be_run(name: str) -> None:
    import zipfile

    with zipfile.ZipFile(built_wheel()) as archive:
        modes = {one.filename: one.external_attr >> 16 & 0o777 for one in archive.infolist()}
    assert {file for file, mode in modes.items() if mode & 0o111} == {name}
    assert set(modes.values()) == {0o644, 0o755}
