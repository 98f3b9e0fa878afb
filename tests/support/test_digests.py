# SPDX-License-Identifier: MIT
"""The digest of a kernel follows what the compiler sees of it in the device pass,
and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from ckarch import load_specs
from ckdispatch.jit.cache import Cache
from ckdispatch.jit.compiler import find_compiler
from ckdispatch.jit.headers import composable_kernel, own_headers, unpack
from ckdispatch.jit.sources import source_text
from ckgen.cli.selection import preselected_sets
from ckgen.core.expand import expand
from ckgen.core.family import Family
from ckgen.core.recipe import load_recipe
from ckgen.families import FAMILIES
from cksupport.digests import Digests
from cksupport.errors import SupportError
from cksupport.preprocessor import preprocessed
from cksupport.skeleton import Skeleton, without_numbers

ARCH = load_specs()
GPU = "gfx942"
FLAGS = load_recipe().for_device_pass(ARCH.gpu(GPU))
GEMM = "gemm_fp16_rcr_compv3_cshuffle_intrawave_True_True_True_False_64x64x32_2x2x1_32x32x8"

HEADERS = {
    "lib/a.hpp": (
        '#pragma once\n#include <cstdint>\n#include "lib/b.hpp"\n#define SIZE 4\n'
        "std::int32_t a[B];\n"
    ),
    "lib/b.hpp": (
        "#pragma once\n#if defined(__HIP_DEVICE_COMPILE__)\n#define B 1\n#else\nint host;\n#endif\n"
    ),
}
SOURCE = '#include "lib/a.hpp"\nck_text_0\n'


def seen(folder: Path, headers: Mapping[str, str], source: str = SOURCE) -> str:
    for name, text in headers.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return preprocessed(find_compiler(Cache().layout.memos).clang, FLAGS, [folder], source)


def edited(name: str, old: str, new: str) -> dict[str, str]:
    assert old in HEADERS[name]
    return {**HEADERS, name: HEADERS[name].replace(old, new)}


def test_of_the_headers_their_text_and_macros_are_seen(tmp_path: Path) -> None:
    assert seen(tmp_path, HEADERS) == "#define B 1\n#define SIZE 4\nstd::int32_t a[1];\nck_text_0"


def test_a_moved_header_is_the_same(tmp_path: Path) -> None:
    moved = {
        "other/top.hpp": HEADERS["lib/a.hpp"].replace("lib/b.hpp", "b.hpp"),
        "b.hpp": "// new\n" + HEADERS["lib/b.hpp"],
    }
    source = SOURCE.replace("lib/a.hpp", "other/top.hpp")
    assert seen(tmp_path / "new", moved, source) == seen(tmp_path / "old", HEADERS)


@pytest.mark.parametrize(
    ("name", "old", "new", "same"),
    [
        ("lib/a.hpp", "a[B];", "a  [B]; // comment", True),
        ("lib/a.hpp", "a[B];", "a[B], b;", False),
        ("lib/a.hpp", "\nstd", "\n\n\n   std", True),
        ("lib/b.hpp", "int host", "float host", True),
        ("lib/a.hpp", "SIZE 4", "SIZE 8", False),
        ("lib/b.hpp", "B 1", "B 2", False),
    ],
)
def test_what_is_changed_is_seen_in_the_device_pass_alone(
    name: str, old: str, new: str, same: bool, tmp_path: Path
) -> None:
    found = seen(tmp_path / "new", edited(name, old, new))
    assert (found == seen(tmp_path / "old", HEADERS)) is same


def test_a_name_of_a_file_in_the_text_is_without_its_folder(tmp_path: Path) -> None:
    assert seen(tmp_path, {"lib/a.hpp": "const char* where = __FILE__;\n"}).startswith(
        'const char*where="lib/a.hpp";'
    )


def test_what_cannot_be_preprocessed_is_told_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(
        SupportError, match=r"could not be preprocessed by /.*: .*lib/none.hpp.* not found"
    ):
        seen(tmp_path, {}, '#include "lib/none.hpp"\n')


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_a_skeleton_and_the_texts_are_what_the_compiler_sees_of_a_kernel(family: Family) -> None:
    """The whole source, preprocessed, is the pieces around the places with the texts between, their
    macros expanded.
    """
    declaration = next(iter(preselected_sets(family, ARCH).values()))
    kernel = next(one for one in expand(declaration, ARCH).kernels if GPU in one.gpus)
    source = source_text(family, kernel.spec, ARCH).decode()
    skeleton, cache = Skeleton.of(source), Cache()
    clang = find_compiler(cache.layout.memos).clang
    with cache.lease() as lease:
        headers = [composable_kernel(cache.layout.memos), own_headers(family)]
        folders = [unpack(one, cache, lease, lambda: None) for one in headers]
        whole = preprocessed(clang, FLAGS, folders, source)
        around, places = without_numbers(preprocessed(clang, FLAGS, folders, skeleton.directives))
    assert len(places) > 1
    left = whole
    texts = iter(skeleton.texts[place] for place in places)
    expected: list[str] = []
    for piece in map(str.strip, around.split("ck_text_")):
        if piece:
            expanded, found, left = left.partition(piece)
            assert found and plain(expanded) == expected
            expected = []
        expected += plain(next(texts, ""))
    assert plain(left) == expected


def plain(text: str) -> list[str]:
    """The statements without a macro of HIP, which stand as they are in what is preprocessed."""
    marks = ("__global__", "__shared__", "__attribute__", "__device__")
    parts = (part.strip() for part in re.split(r"(?<=[;{}\n])", text))
    return [part for part in parts if part and not any(mark in part for mark in marks)]


def test_a_digest_is_of_one_kernel_on_one_gpu() -> None:
    digests, spec = Digests(ARCH), FAMILIES["gemm"].parse_name(GEMM)
    other = FAMILIES["gemm"].parse_name(GEMM.replace("cshuffle", "default"))
    found = {digests.of(spec, "gfx942"), digests.of(spec, "gfx950"), digests.of(other, "gfx942")}
    assert len(found) == 3
    assert Digests(ARCH).of(spec, "gfx942") in found
