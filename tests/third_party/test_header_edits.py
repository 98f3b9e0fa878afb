# SPDX-License-Identifier: MIT
"""Downloaded headers are edited where the edits fit, kept as they were beside that, and else
refused.
"""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest
from ckfetch import composable_kernel
from ckfetch.edit import Cut, Edit, Insertion, StructEdit
from ckfetch.edits import attention, attention_gfx11, attention_gfx950
from ckfetch.wheelhouse import FetchError

INSIDE = "aiter_meta/3rdparty/composable_kernel/"


def test_an_edit_replaces_every_place_that_it_expects() -> None:
    edit = Edit(path="a.hpp", why="shorter", old="one two", new="1 2", count=2)
    assert edit.apply("one two, one two, one") == "1 2, 1 2, one"


@pytest.mark.parametrize("text", ["", "one two", "one two one two one two"])
def test_headers_with_more_or_fewer_places_are_refused(text: str) -> None:
    edit = Edit(path="a.hpp", why="shorter", old="one two", new="1 2", count=2)
    places = text.count("one two")
    with pytest.raises(
        FetchError,
        match=f"a.hpp has {places} places to edit where 2 were expected: the edit «shorter»",
    ):
        edit.apply(text)


@pytest.mark.parametrize(
    ("side", "edited"), [("before", "one NEW two three"), ("after", "one two NEW three")]
)
def test_an_insertion_keeps_the_place_that_it_is_at(side: str, edited: str) -> None:
    place = {"before": "two"} if side == "before" else {"after": "two "}
    insertion = Insertion(path="a.hpp", why="more", text="NEW ", **place)
    assert insertion.apply("one two three") == edited


@pytest.mark.parametrize("text", ["one", "two two"])
def test_an_insertion_at_no_single_place_is_refused(text: str) -> None:
    with pytest.raises(FetchError, match="places to edit where 1 were expected: the edit «more»"):
        Insertion(path="a.hpp", why="more", text="NEW", before="two").apply(text)


def _cut(passage: str) -> Cut:
    digest = hashlib.sha256(passage.encode()).hexdigest()
    return Cut(path="a.hpp", why="shorter", first="{", last="}", sha256=digest, new="-")


def test_a_passage_is_cut_where_its_hash_fits_and_nowhere_else() -> None:
    assert _cut("{two}").apply("{one} {two} {three}") == "{one} - {three}"


@pytest.mark.parametrize("text", ["", "{one}", "{two", "{tw0} }"])
def test_a_passage_that_reads_otherwise_is_refused(text: str) -> None:
    with pytest.raises(FetchError, match=r"a.hpp has 0 places to edit where 1 were expected"):
        _cut("{two}").apply(text)


def test_an_edit_of_a_struct_leaves_the_rest_alone() -> None:
    edit = StructEdit(path="a.hpp", why="y", struct="B", pattern="x", replacement="y", count=1)
    text = "struct A\n{ x\n};\nstruct B\n{ x\n};\n"
    assert edit.apply(text) == "struct A\n{ x\n};\nstruct B\n{ y\n};\n"


def test_headers_without_the_struct_are_refused() -> None:
    edit = StructEdit(path="a.hpp", why="y", struct="B", pattern="x", replacement="y", count=1)
    with pytest.raises(FetchError, match="does not fit these headers"):
        edit.apply("struct A\n{ x\n};\n")


@pytest.fixture
def unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What is unpacked from a wheel with two headers, one of which has an edit."""
    monkeypatch.setenv("CKDISPATCH_CACHE", str(tmp_path))
    edit = Edit(path="include/ck_tile/a.hpp", why="shorter", old="one", new="1")
    monkeypatch.setattr(composable_kernel, "EDITS", (edit,))
    wheel = tmp_path / "wheels" / "amd_aiter-1-py3-none-any.whl"
    wheel.parent.mkdir()
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(INSIDE + "include/ck_tile/a.hpp", "one two")
        archive.writestr(INSIDE + "include/ck_tile/b.hpp", "one two")
        archive.writestr(INSIDE + "include/ck/c.hpp", "not wanted")
        archive.writestr(INSIDE + "example/ck_tile/01_fmha/generate.py", "one two")
        archive.writestr(INSIDE + "example/ck_tile/03_gemm/generate.py", "not wanted")
    lock = tmp_path / "ck.lock"
    lock.write_text(
        f"amd-aiter==1 --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"
    )
    composable_kernel.unpack(lock, tmp_path / "out")
    return tmp_path / "out"


def test_edited_headers_are_kept_as_they_were_shipped_in_a_folder_of_their_own(
    unpacked: Path,
) -> None:
    files = {str(path.relative_to(unpacked)): path.read_text() for path in unpacked.rglob("*.hpp")}
    assert files == {
        "include/ck_tile/a.hpp": "1 two",
        "include/ck_tile/b.hpp": "one two",
        "shipped/include/ck_tile/a.hpp": "one two",
    }


def test_of_the_examples_that_of_attention_is_unpacked(unpacked: Path) -> None:
    assert [str(path.relative_to(unpacked)) for path in unpacked.rglob("generate.py")] == [
        "example/ck_tile/01_fmha/generate.py"
    ]


@pytest.mark.parametrize(
    "edit",
    [*attention.EDITS, *attention_gfx11.EDITS, *attention_gfx950.EDITS],
    ids=lambda edit: edit.why,
)
def test_edits_of_attention_touch_what_no_other_family_includes_and_fit_or_are_refused(
    edit: Edit | Insertion,
) -> None:
    assert edit.path.startswith("include/ck_tile/ops/fmha/")
    with pytest.raises(FetchError, match="does not fit these headers"):
        edit.apply("struct of_other_headers\n{\n};\n")
