# SPDX-License-Identifier: MIT
"""MODULE.bazel says the version, the package has it from there, and pages show the same."""

from __future__ import annotations

import re
from pathlib import Path

import ckdispatch
import pytest
from ckdispatch.version import said_by

MODULE = Path("MODULE.bazel").read_text()
(VERSION,) = re.findall(r'^    version = "([^"]+)",$', MODULE, re.MULTILINE)


def test_the_package_has_the_modules_version() -> None:
    assert ckdispatch.__version__ == VERSION


def test_a_clone_that_bazel_did_not_build_reads_it_in_module_bazel() -> None:
    assert said_by(MODULE) == VERSION


@pytest.mark.parametrize("page", ["README.md", "docs/consuming.md"])
def test_a_page_names_no_other(page: str) -> None:
    shown = r'bazel_dep\(name = "ckdispatch", version = "([^"]+)"\)'
    assert set(re.findall(shown, Path(page).read_text())) == {VERSION}


def test_the_newest_changes_are_of_this_version() -> None:
    newest = re.search(r"^## (\S+?),? ", Path("CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is not None and newest[1] == VERSION
