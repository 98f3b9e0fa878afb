# SPDX-License-Identifier: MIT
"""The sets that ship are what the files of kernels/ declare, whatever else lies there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ckgen.cli import selection
from ckgen.cli.selection import preselected_sets, shipped_declarations
from ckgen.core.errors import DeclarationError
from ckgen.core.sets import named_sets
from ckgen.families import FAMILIES
from codegen_support import ARCH, GEMM

MINE = {
    "family": "gemm",
    "dtype": "fp16",
    "layout": "rcr",
    "kernels": [
        {"tile": [64, 64, 64], "waves": [2, 2, 1], "warp_tile": [32, 32, 16], "pipeline": "compv3"}
    ],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    kernels = tmp_path / "kernels"
    kernels.mkdir()
    monkeypatch.setattr(selection, "_SHIPPED", kernels)
    return kernels


def write(folder: Path, name: str, document: object) -> None:
    (folder / name).write_text(json.dumps(document))


def test_a_new_file_is_a_set_of_its_name_or_of_the_names_in_it(folder: Path) -> None:
    assert preselected_sets(GEMM, ARCH) == {}
    write(folder, "mine.json", MINE)
    write(folder, "ours.json", {**MINE, "sets": {"our_{dtype}": {"dtype": "fp16"}}})
    found = preselected_sets(GEMM, ARCH)
    assert list(found) == ["mine", "our_fp16"]
    assert found["mine"].source == "kernels/mine.json"


def test_what_was_built_of_declarations_is_none(folder: Path) -> None:
    write(folder, "mine.json", MINE)
    write(folder, "mine.manifest.json", {"kernels": [], "schema_version": 1, "set": "mine"})
    spec = {"family": "gemm", "name": "gemm_x"}
    write(folder, "gemm_x.json", {"gpus": {}, "name": "gemm_x", "schema_version": 1, "spec": spec})
    write(folder, "a_list.json", [MINE])
    assert list(shipped_declarations(GEMM, ARCH)) == ["mine"]


def test_each_family_has_its_own(folder: Path) -> None:
    write(folder, "mine.json", MINE)
    # Wrong, which is for its own family to say.
    write(folder, "other.json", {"family": "grouped_conv"})
    assert list(shipped_declarations(GEMM, ARCH)) == ["mine"]
    with pytest.raises(DeclarationError, match=r"^kernels/other\.json, field 'kernels': expected"):
        shipped_declarations(FAMILIES["grouped_conv"], ARCH)


def test_a_file_that_cannot_be_read_is_named(folder: Path) -> None:
    (folder / "mine.json").write_text("{")
    with pytest.raises(DeclarationError, match=r"^kernels/mine\.json is not valid JSON: "):
        shipped_declarations(GEMM, ARCH)


def test_no_two_files_of_this_repository_declare_one_set() -> None:
    names = [
        one.name
        for family in FAMILIES.values()
        for stem, declaration in shipped_declarations(family, ARCH).items()
        for one in named_sets(declaration, stem)
    ]
    assert len(names) == len({*names}) >= 100
