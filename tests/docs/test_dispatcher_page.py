# SPDX-License-Identifier: MIT
"""docs/dispatcher.md: its code is that of the examples, its figures are those of the sources."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from ckdispatch import errors

from tests.docs.pages import Block, blocks, shows, table

PAGE = Path("docs/dispatcher.md")
EXAMPLES = sorted(Path("dispatcher/examples").glob("*.c*"))
HEADER = Path("dispatcher/ckdispatch.h").read_text()
ERRORS = Path("dispatcher/core/error.hpp").read_text()
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
    source = re.findall(r"constexpr (?:double|int) (k\w+)\s*= ([\d.]+);", COST)
    assert shown == {name: float(value) for name, value in source}


def test_the_page_has_every_term_of_the_cost_model() -> None:
    terms = json.loads(Path("arch/cost_constants.json").read_text())["terms"]
    rows = [cells for cells in table(PAGE, r"`\w+`.*") if len(cells) == 3]
    shown = [name for cells in rows for name in re.findall(r"`(\w+)`", cells[0])]
    assert [name for name in shown if name in terms] == list(terms)


def test_what_a_gemm_tells_the_cost_model_is_what_the_page_says() -> None:
    ((_, effort),) = table(PAGE, "`effort`")
    assert re.findall(r"× ([\d.]+)", effort) == re.findall(r"effort \*= ([\d.]+);", GEMM)
    ((_, two_buffers),) = [cells for cells in table(PAGE, "`two_buffers`") if len(cells) == 2]
    assert [two_buffers.partition("`")[2].rstrip("`")] == re.findall(
        r'has_two_buffers.*?Name \w+\("(\w+)"\)', TILES, flags=re.DOTALL
    )


def test_what_a_convolution_tells_the_cost_model_is_what_the_page_says() -> None:
    loads = next(cells[1] for cells in table(PAGE, "`loads_a`, `loads_b`") if len(cells) == 2)
    (addressing,) = re.findall(r"double addressing.*?\n}", CONV, flags=re.DOTALL)
    assert re.findall(r"× ([\d.]+)", loads) == re.findall(r"return (0\.\d+);", addressing)
    assert "return 1 + (16 / std::clamp(vector * bytes, 1.0, 16.0) - 1) / 8;" in CONV


def test_the_page_names_every_part_of_a_launch_that_the_model_sees() -> None:
    (work,) = re.findall(
        r"^struct Work \{.*?^\};",
        Path("dispatcher/core/cost.hpp").read_text(),
        flags=re.DOTALL | re.MULTILINE,
    )
    fields = re.findall(r"^    (?:double|bool) (\w+)\s*=", work, flags=re.MULTILINE)
    assert len(fields) > 10
    shown = {cells[0].strip("`") for cells in table(PAGE, r"`\w+`")}
    assert set(fields) - shown == set()


def test_the_page_has_every_error() -> None:
    (statuses,) = re.findall(r"typedef CKD_ENUM\(ckd_status\)\s*\{(.*?)\}", HEADER, flags=re.DOTALL)
    declared = re.findall(r"(CKD_\w+)\s*= (\d+)", statuses)
    codes = [(name, int(value)) for name, value in declared if name != "CKD_OK"]
    rows = [[cell.strip("`") for cell in cells] for cells in table(PAGE, r"\d+")]
    assert [(row[3], int(row[0])) for row in rows] == codes
    classes = re.findall(r"^using (\w+) = ErrorOf<ErrorCode::(\w+)>;", ERRORS, flags=re.MULTILINE)
    assert [(row[2], row[1]) for row in rows] == classes
    for number, code, _, c, python in rows:
        assert c == f"CKD_{code.upper()}"
        assert errors.error_class(int(number)).__name__ == python


def test_the_page_names_the_versions_of_the_headers() -> None:
    (version,) = re.findall(r"#define CKD_ABI_VERSION (\d+)u", HEADER)
    assert f"`libckdispatch.so.{version}`" in PAGE.read_text()
