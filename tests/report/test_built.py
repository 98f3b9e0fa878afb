# SPDX-License-Identifier: MIT
"""A page of kernels that were built: what it predicts is what `explain` says, and from what it says
itself.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cli_support import ckdispatch

SET = "gemm_fp16_rcr_essential"


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    page = tmp_path_factory.mktemp("page") / "page.html"
    ended = ckdispatch("report", SET, "--problems", "llama3-8b", "--output", page)
    assert ended.code == 0, ended.err
    (data,) = re.findall(
        r'<script type="application/json" id="data">(.*?)</script>', page.read_text(), re.DOTALL
    )
    found: dict[str, Any] = json.loads(data)
    return found


def test_a_cell_of_the_map_is_what_explain_says(document: dict[str, Any]) -> None:
    (one,) = document["maps"]
    (each, each_values), (down, down_values), (across, across_values) = one["axes"]
    assert (each, down, across) == ("K", "M", "N")
    place = (1 * len(down_values) + down_values.index(512)) * len(
        across_values
    ) + across_values.index(1024)
    first, second = one["picks"][place][2:]
    ended = ckdispatch(
        "explain", f"512x1024x{each_values[1]}", *one["title"].split(), "--kernels", SET, "--json"
    )
    fit = ended.document["fit"]
    assert document["kernels"][first[0]]["name"] == fit[0]["kernel"]
    assert first[1] == pytest.approx(fit[0]["microseconds"], abs=1e-3)
    others = [way for way in fit if way["kernel"] != fit[0]["kernel"]]
    assert document["kernels"][second[0]]["name"] == others[0]["kernel"]


def test_the_page_says_what_its_times_are_from(document: dict[str, Any]) -> None:
    assert [
        remark
        for remark in document["remarks"]
        if "predicted by the cost model, with constants" in remark
    ]
    assert document["layers"]
    assert {layer["timed"] for layer in document["layers"]} == {None}


def test_every_kernel_has_its_instructions(document: dict[str, Any]) -> None:
    for kernel in document["kernels"]:
        for use in kernel["uses"].values():
            assert sum(sum(function[2]) for function in use["functions"]) > 100


def test_times_of_a_table_are_beside_those_that_are_predicted(
    document: dict[str, Any], tmp_path: Path
) -> None:
    name = document["kernels"][0]["name"]
    table = tmp_path / "times.csv"
    table.write_text(
        "version,family,problem,kernel,microseconds,provenance,gpu\n"
        f"1,gemm,512x512x512 fp16 rcr,{name},12.5,measured,gfx942\n"
        f"1,gemm,512x512x512 fp16 rcr,{name},11.5,measured,gfx942\n"
    )
    page = tmp_path / "page.html"
    ended = ckdispatch("report", SET, "--measurements", table, "--output", page)
    assert ended.code == 0, ended.err
    assert f'"timed":["{name}",11.5,"measured"]' in page.read_text()
