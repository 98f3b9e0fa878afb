# SPDX-License-Identifier: MIT
"""docs/dispatcher.md: its code is that of the examples, its figures are those of the sources."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ckdispatch import errors
from tests.docs.pages import Block, blocks, shows, table

PAGE = Path("docs/dispatcher.md")
EXAMPLES = sorted(Path("dispatcher/examples").glob("*.c*"))
HEADER = Path("dispatcher/ckdispatch.h").read_text()
COST = Path("dispatcher/core/cost.cpp").read_text()
TILES = Path("dispatcher/product/tiles.cpp").read_text()
GEMM = Path("dispatcher/gemm/work.cpp").read_text()
CONV = Path("dispatcher/grouped_conv/work.cpp").read_text()


@pytest.mark.parametrize("block", blocks(PAGE), ids=lambda block: f"line {block.line}")
def test_code_on_the_page_is_an_excerpt_of_an_example(block: Block) -> None:
    assert shows(block, EXAMPLES), f"{PAGE}:{block.line}: no example has these lines"


def test_every_example_is_on_the_page() -> None:
    assert {path for block in blocks(PAGE) for path in shows(block, EXAMPLES)} == set(EXAMPLES)


def test_the_constants_of_the_cost_model_are_those_of_the_source() -> None:
    shown = {cells[0].strip("`"): float(cells[1]) for cells in table(PAGE, r"`k\w+`")}
    source = re.findall(r"constexpr double (k\w+)\s*= ([\d.]+);", COST)
    assert shown == {name: float(value) for name, value in source}


def test_what_a_gemm_tells_the_cost_model_is_what_the_page_says() -> None:
    (_, share), _ = table(PAGE, "`compute_share`")
    ((_, tiles),) = table(PAGE, "`tiles_in_flight`")
    shown = [*re.findall(r"r \+ (\d+)", share), *re.findall(r"× ([\d.]+)", share)]
    source = [
        *re.findall(r"reuse / \(reuse \+ ([\d.]+)\)", TILES),
        *re.findall(r"share \*= ([\d.]+);", TILES + GEMM),
    ]
    assert [float(value) for value in shown] == [float(value) for value in source]
    ((mem, other),) = re.findall(r"return pipeline == .*mem \? (\d) : (\d);", TILES)
    assert tiles == f"{mem} for the pipeline `mem`, else {other}"


def test_what_a_convolution_tells_the_cost_model_is_what_the_page_says() -> None:
    _, (_, share) = table(PAGE, "`compute_share`")
    shown = [
        *re.findall(r"× ([\d.]+)", share),
        *re.findall(r"− ([\d.]+) · log₂\((\d+) /", share)[0],
    ]
    source = [
        *re.findall(r"share \*= ([\d.]+);", CONV),
        *re.findall(r"return 1 - ([\d.]+) \* std::log2\((\d+) /", CONV)[0],
    ]
    assert [float(value) for value in shown] == [float(value) for value in source]
    (at_least,) = re.findall(r"at least (\d) bytes / vector", PAGE.read_text())
    (moved,) = re.findall(r"std::max\(bytes, ([\d.]+) / std::max\(1, vector\)\)", CONV)
    assert float(at_least) == float(moved)


def test_the_page_names_every_part_of_a_launch_that_the_model_sees() -> None:
    header = Path("dispatcher/core/cost.hpp").read_text()
    fields = re.findall(r"^    (?:double|bool) (\w+)\s*=", header, flags=re.MULTILINE)
    shown = {cells[0].strip("`") for cells in table(PAGE, r"`\w+`")}
    assert set(fields) - shown == set()


def test_the_page_has_every_error() -> None:
    (statuses,) = re.findall(r"typedef CKD_ENUM\(ckd_status\) \{(.*?)\}", HEADER, flags=re.DOTALL)
    declared = re.findall(r"(CKD_\w+)\s*= (\d+)", statuses)
    codes = [(name, int(value)) for name, value in declared if name != "CKD_OK"]
    rows = [[cell.strip("`") for cell in cells] for cells in table(PAGE, r"\d+")]
    assert [(row[2], int(row[0])) for row in rows] == codes
    for number, cxx, c, python in rows:
        assert c == f"CKD_{cxx.upper()}"
        assert errors.error_class(int(number)).__name__ == python


def test_the_page_names_the_versions_of_the_headers() -> None:
    (version,) = re.findall(r"#define CKD_ABI_VERSION (\d+)u", HEADER)
    assert f"`libckdispatch.so.{version}`" in PAGE.read_text()
