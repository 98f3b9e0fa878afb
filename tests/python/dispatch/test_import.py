# SPDX-License-Identifier: MIT
"""Importing the package brings nothing along that was not asked for."""

from __future__ import annotations

import subprocess
import sys

import ckdispatch
import pytest


def loaded_by(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint(*sys.modules)\nprint(open('/proc/self/maps').read())"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    names, maps = done.stdout.split("\n", 1)
    found = {name.partition(".")[0] for name in names.split()}
    return (
        found
        | ({"HIP"} if "amdhip64" in maps else set())
        | ({"libckdispatch"} if "libckdispatch" in maps else set())
    )


def test_importing_loads_neither_hip_nor_numpy_nor_the_generator() -> None:
    heavy = {"HIP", "libckdispatch", "numpy", "ml_dtypes", "jinja2", "rich", "ckgen", "ckarch"}
    assert loaded_by("import ckdispatch") & heavy == set()


def test_every_public_name_is_there() -> None:
    for name in ckdispatch.__all__:
        assert getattr(ckdispatch, name) is not None, name


def test_dir_lists_the_public_names() -> None:
    assert {"Registry", "Dispatcher", "GemmProblem", "devices"} <= set(dir(ckdispatch))


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'nothing'"):
        _ = ckdispatch.nothing
