# SPDX-License-Identifier: MIT
"""The registry of the sealed root answers what Bazel's own module graph asks."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

_REGISTRY = Path(__file__).absolute().parents[2] / "tools" / "sealed" / "registry"
_MODULES = sorted(
    path.parent.relative_to(_REGISTRY / "modules")
    for path in _REGISTRY.glob("modules/*/*/MODULE.bazel")
)


def test_every_module_that_bazel_7_and_this_repository_ask_for_is_there() -> None:
    assert {str(module) for module in _MODULES} == {
        "apple_support/1.23.1",
        "buildozer/7.1.2",
        "googletest/1.15.2",
        "nlohmann_json/3.11.3",
        "protobuf/21.7",
        "protobuf/3.19.6",
        "zlib/1.3.1.bcr.3",
    }


@pytest.mark.parametrize("module", _MODULES, ids=str)
def test_a_module_says_the_name_and_version_of_its_folder(module: Path) -> None:
    text = (_REGISTRY / "modules" / module / "MODULE.bazel").read_text()
    declared = text.partition("bazel_dep(")[0]
    assert re.findall(r'(?:name|version) = "([^"]+)"', declared) == [
        module.parent.name,
        module.name,
    ]


@pytest.mark.parametrize("module", _MODULES, ids=str)
def test_a_module_has_its_sources_in_the_registry(module: Path) -> None:
    base = json.loads((_REGISTRY / "bazel_registry.json").read_text())["module_base_path"]
    source = json.loads((_REGISTRY / "modules" / module / "source.json").read_text())
    assert source["type"] == "local_path"
    assert (_REGISTRY / base / source["path"] / "REPO.bazel").exists()
