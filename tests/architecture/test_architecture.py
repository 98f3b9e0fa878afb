# SPDX-License-Identifier: MIT
"""The folders use each other only as ARCHITECTURE.md says, and GPU facts live in arch/ alone."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

import pytest
from ckfamilies import FAMILIES

from tests.architecture.family_names import CODE, names
from tests.architecture.reasons import without_reason
from tests.architecture.rooms import read_rooms, room_of, tracked_files, uses

REPOSITORY = Path("MODULE.bazel").resolve().parent
ROOMS = read_rooms((REPOSITORY / "ARCHITECTURE.md").read_text())
FILES = tracked_files(REPOSITORY)


def test_every_folder_with_code_is_a_room() -> None:
    code = {".py", ".bzl", ".hpp", ".h", ".cpp", ".sh", ".j2"}
    homeless = [str(file) for file in FILES if file.suffix in code and room_of(file, ROOMS) is None]
    assert homeless == []


# What rules give to targets that they make for others: the Python library of a set depends on it.
_FOR_OTHERS = {("rules/private/python_library.bzl", "python")}


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_a_room_uses_only_what_its_row_allows(room: str) -> None:
    found = [
        use
        for file in FILES
        if room_of(file, ROOMS) == room
        for use in uses(REPOSITORY, file, ROOMS)
    ]
    wrong = [
        f"{use.file}:{use.line} uses {use.used}"
        for use in found
        if use.used not in ROOMS[room] and (str(use.file), use.used) not in _FOR_OTHERS
    ]
    assert wrong == []


def test_what_is_given_to_others_is_one_label_and_is_loaded_nowhere() -> None:
    for name, room in _FOR_OTHERS:
        text = (REPOSITORY / name).read_text()
        assert len(re.findall(rf'"//{room}\b', text)) == text.count(f'Label("//{room}:') == 1


def test_a_row_names_only_rooms_and_only_what_is_used() -> None:
    for room, allowed in ROOMS.items():
        assert allowed <= ROOMS.keys(), room


def test_the_check_sees_a_forbidden_use(tmp_path: Path) -> None:
    (tmp_path / "arch").mkdir()
    (tmp_path / "arch/bad.py").write_text("import ckgen.core.spec\n")
    (tmp_path / "arch/bad.bzl").write_text('load("//rules:defs.bzl", "ck_kernel")\n')
    (tmp_path / "arch/bad.hpp").write_text('#include "ck_kernel/plan/gemm/product.hpp"\n')
    seen = [
        use
        for name in ("bad.py", "bad.bzl", "bad.hpp")
        for use in uses(tmp_path, PurePosixPath("arch") / name, ROOMS)
    ]
    assert [use.used for use in seen] == ["tools/codegen", "rules", "kernel_library"]


# The places that may name a GPU: the facts themselves, examples and expectations, and declarations
# of where a kernel is meant to run.
_MAY_NAME_GPUS = ("arch", "tests", "docs", "kernels", "tools/bench")


def test_no_code_outside_arch_decides_by_the_name_of_a_gpu() -> None:
    wrong = []
    for file in FILES:
        if file.suffix not in {".py", ".bzl", ".hpp", ".h", ".cpp", ".j2", ".inc"}:
            continue
        if any(file.is_relative_to(place) for place in _MAY_NAME_GPUS):
            continue
        for number, line in enumerate((REPOSITORY / file).read_text().splitlines(), 1):
            # Comments, documentation and help texts show GPU names as examples; code that compares
            # or maps them is a fact.
            if (
                re.search(r"""(==|!=|\bin\b|:|\(|\[|,)\s*["']gfx[0-9a-f]+["']""", line)
                and "help=" not in line
            ):
                wrong.append(f"{file}:{number}: {line.strip()}")
    assert wrong == []


def test_every_starlark_file_that_others_may_load_is_in_a_library() -> None:
    builds = {file.parent: (REPOSITORY / file).read_text() for file in FILES if _is_build(file)}
    libraries = {
        package: "".join(re.findall(r"^bzl_library\(\n(.*?)^\)", text, re.DOTALL | re.MULTILINE))
        for package, text in builds.items()
    }
    missing = []
    for file in FILES:
        if file.suffix == ".bzl" and file.parts[0] != "tests" and _is_ours(file):
            package = next(folder for folder in file.parents if folder in builds)
            name = file.relative_to(package)
            here = f'"{name}"' in libraries[package] or 'glob(["*.bzl"])' in libraries[package]
            if not here and f'"//{package}:{name}"' not in "".join(libraries.values()):
                missing.append(str(file))
    assert missing == []


def _is_build(file: PurePosixPath) -> bool:
    return file.name == "BUILD.bazel"


def _is_ours(file: PurePosixPath) -> bool:
    """Modules of others lie in the registry of the sealed root."""
    return not file.is_relative_to("tools/sealed/registry")


# What is about some families and not for all of them: shipped sets, programs that show or measure
# one, and what is fetched.
_MAY_NAME_FAMILIES = (
    "MODULE.bazel",
    "dispatcher/examples",
    "docs",
    "kernels",
    "python/examples",
    "tests",
    "third_party",
    "tools/accuracy",
    "tools/bench",
)
# The namespace of the product in kernel libraries is part of symbols in code objects, which do not
# change; //tests/families looks at what they include.
_NAMESPACE = re.compile(r"(kernel_library/|tools/codegen/ckgen/\w+/templates/).* names gemm")


def test_only_a_familys_own_files_name_it() -> None:
    families = [row.name for row in FAMILIES]
    wrong = []
    for file in FILES:
        if file.suffix in CODE and not any(
            file.is_relative_to(place) for place in _MAY_NAME_FAMILIES
        ):
            found = names(REPOSITORY, file, families)
            wrong += [place for place in found if not _NAMESPACE.match(place)]
    assert wrong == []


@pytest.mark.parametrize(
    ("name", "line", "seen"),
    [
        ("core/a.py", 'chosen = spec.family == "gemm"', True),
        ("core/a.py", "from ckgen.gemm.spec import X", True),
        ("core/a.cpp", "class GemmRegistry;", True),
        ("core/a.cpp", "if (family == CKD_GEMM) {}", True),
        ("core/a.bzl", 'FAMILIES = ["gemm"]', True),
        ("core/a.py", "x = 1  # such as gemm", False),
        ("core/a.py", '"""Such as gemm."""', False),
        ("core/a.cpp", "// such as gemm", False),
        ("core/a.cpp", "using T = ck_tile::GemmKernel<X>;", False),
        ("gemm/a.py", "from ckgen.gemm.spec import X", False),
        ("abi/ck_gemm_problem.h", "typedef struct ck_gemm_problem {} ck_gemm_problem;", False),
    ],
)
def test_the_check_sees_a_name(tmp_path: Path, name: str, line: str, seen: bool) -> None:
    file = tmp_path / name
    file.parent.mkdir()
    file.write_text(line + "\n")
    assert bool(names(tmp_path, PurePosixPath(name), ["gemm", "grouped_conv"])) is seen


def test_whoever_switches_a_check_off_says_why() -> None:
    wrong = [
        f"{file}:{number}"
        for file in FILES
        if file.suffix in {*CODE, ".sh"}
        for number in without_reason((REPOSITORY / file).read_text(encoding="utf-8"))
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("x = 1  # no" + "qa: F403", [1]),
        ("x = 1  # no" + "qa: F403 - all of them", []),
        ("x = 1  # type: " + "ignore[index, misc]", [1]),
        ("x = 1  # type: " + "ignore[index]  # found", []),
        ("x = 1  # fmt: " + "skip", [1]),
        (
            "# What is tested.\na  # buildifier: "
            + "disable=b-c\na  # buildifier: "
            + "disable=b-c",
            [],
        ),
        ("load()\na  # buildifier: " + "disable=b-c\n\n# Another matter.", [2]),
        ("// NO" + "LINTNEXTLINE(a-b): a name\nint a;", []),
        ("} catch {  // NO" + "LINT(a-b)\n    // It is done without.", []),
        ("#!/bin/sh\n# shell" + "check disable=SC2016\necho", [2]),
        ("#!/bin/sh\n# shell" + "check disable=SC2016 # The inner shell expands it.", []),
    ],
)
def test_the_check_sees_where_a_reason_is_missing(text: str, lines: list[int]) -> None:
    assert [*without_reason(text)] == lines
