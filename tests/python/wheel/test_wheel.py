# SPDX-License-Identifier: MIT
"""The wheel in a new environment: what README shows, a kernel built just in time, the commands."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from wheel_support import PACKAGES, Environment, built_wheel

from tests.docs.pages import blocks

SECTION = "Pick a kernel and run it"

BUILD = """\
import json
import sys

import ckdispatch
import numpy as np

config = ckdispatch.GemmConfig(
    dtype="fp16",
    layout="rcr",
    tile=(64, 64, 32),
    waves=(2, 2, 1),
    warp_tile=(32, 32, 16),
    pipeline="compv3",
    epilogue="default",
    pad=(True, True, True),
)
registry = ckdispatch.Registry([config], name="built")
(built,) = registry.build("gfx942", check=False)
told = {"cached": built.cached, "error": built.error}
if built.ok:
    a, b = np.ones((72, 40), np.float16), np.full((40, 56), 2, np.float16)
    result = ckdispatch.Dispatcher(registry).gemm(a, b, validate=True)
    right = bool((result.out == 80).all())
    told |= {"kernel": result.kernel == config.name, "right": right, "device": result.device}
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """One with the wheel, and what pip brings with it."""
    made = Environment.new(tmp_path_factory.mktemp("user"))
    made.pip("install", str(built_wheel()))
    return made


def test_readmes_example_computes_the_product_on_the_simulator(environment: Environment) -> None:
    (shown,) = (
        block
        for block in blocks(Path("README.md"))
        if (block.section, block.language) == (SECTION, "python")
    )
    printed = environment.python(
        f"{shown.text}\n"
        "print(result.out.shape, (result.out == 72).all(), result.device, result.simulated)\n"
        "print(ckdispatch.__file__)\n"
    )
    values, module = printed.splitlines()
    assert values == "(200, 136) True sim:gfx942 True"
    assert Path(module).is_relative_to(environment.site)


def test_a_kernel_is_built_with_headers_by_the_recipe_and_is_right(
    environment: Environment,
) -> None:
    wheels = environment.cache / "wheels"
    wheels.mkdir(parents=True)
    headers = Path(os.environ["CK_HEADERS_WHEEL"]).absolute()
    (wheels / headers.name).symlink_to(headers)
    expected = {"error": None, "kernel": True, "right": True, "device": "sim:gfx942"}
    assert json.loads(environment.python(BUILD)) == expected | {"cached": False}
    assert json.loads(environment.python(BUILD)) == expected | {"cached": True}


def test_without_headers_one_sentence_says_what_to_do(environment: Environment) -> None:
    empty = str(environment.folder / "empty")
    # Should there be a network and pip, nothing is downloaded all the same.
    told = json.loads(environment.python(BUILD, CKDISPATCH_CACHE=empty, PIP_NO_INDEX="1"))
    assert told["error"].startswith(
        "a kernel was to be compiled and the headers of Composable Kernel could not be brought: "
        "pip could not download the packages of composable_kernel.lock: "
    )
    assert told["error"].endswith(
        "Or set CKDISPATCH_CK to a checkout of it, or to `rocm` for an installed one."
    )


def test_the_commands_are_on_path(environment: Environment) -> None:
    version = built_wheel().name.split("-")[1]
    assert environment.command("ckdispatch", "--version") == f"ckdispatch {version}\n"
    printed = environment.python(
        "import importlib.metadata, ckdispatch\n"
        "print(ckdispatch.__version__, importlib.metadata.version('ckdispatch'))"
    )
    assert printed == f"{version} {version}\n"
    devices = environment.command("ckdispatch", "devices", "--json")
    simulated = [one for one in json.loads(devices)["devices"] if one["simulated"]]
    assert simulated and all(one["usable"] for one in simulated)


def test_the_generator_writes_the_sources_of_a_set_that_comes_along(
    environment: Environment,
) -> None:
    folder = environment.folder / "sources"
    environment.command(
        "ckgen",
        "gemm",
        "--preselected",
        "gemm_fp16_rcr_essential",
        "--gpu-target",
        "gfx942",
        "--output-dir",
        str(folder),
        "--generate-ninja",
    )
    assert len(list(folder.glob("gemm_fp16_rcr_*.cpp"))) == 6
    assert (folder / "build.ninja").is_file()
    # The headers that the sources include are files of the wheel.
    own = environment.site / "ckdispatch/repository/abi/ck_kernel_abi.h"
    assert (folder / "include/ck_kernel_abi.h").read_bytes() == own.read_bytes()


def test_uninstalling_leaves_nothing(tmp_path: Path) -> None:
    environment = Environment.new(tmp_path)
    assert environment.left() == set()
    environment.pip("install", "--no-deps", str(built_wheel()))
    environment.command("ckdispatch", "--version")
    installed = environment.left()
    folders = {name.partition("site-packages/")[2].partition("/")[0] for name in installed}
    assert folders >= PACKAGES
    assert any(name.endswith(".pyc") for name in installed)
    environment.pip("uninstall", "--yes", "ckdispatch")
    assert environment.left() == set()
