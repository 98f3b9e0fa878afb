# SPDX-License-Identifier: MIT
"""``explain`` ranks kernels by times that it calls predicted, and says why others do not fit."""

from __future__ import annotations

import pytest
from ckdispatch.cli.commands.explain import _blocks
from ckdispatch.cli.report import Table
from ckdispatch.selection import Candidate, Fitted, Ranking
from cli_support import ESSENTIAL, PADDED, UNPADDED, VARIANTS, ckdispatch


def test_the_ranking_is_in_the_order_of_predicted_times_and_says_so() -> None:
    ended = ckdispatch("explain", "512x256x1024", "fp16", "rcr", *ESSENTIAL)
    assert (ended.code, ended.err) == (0, "")
    head, table = ended.out.split("\n\n")
    assert head.startswith(
        "gemm 512x256x1024 fp16 rcr on gfx942: 6 ways to compute it, 0 kernels refused. "
        "Times are predicted by a cost model; nothing was measured. "
        "Its constants are carried over: they were fitted for gemm on gfx950, on "
    )
    rows = [line.split() for line in table.splitlines()[1:]]
    assert [row[0] for row in rows] == ["1", "2", "3", "4", "5", "6"]
    times = [float(row[3]) for row in rows]
    assert times == sorted(times) and times[0] > 0


def test_the_document_has_the_same_and_says_that_times_are_predicted() -> None:
    found = ckdispatch("explain", "512x256x1024 fp16 rcr", *ESSENTIAL, "--json").document
    assert (found["problem"], found["gpu"]) == ("gemm 512x256x1024 fp16 rcr", "gfx942")
    assert found["predicted"] is True and found["refused"] == []
    times = [candidate["microseconds"] for candidate in found["fit"]]
    assert len(times) == 6 and times == sorted(times)
    assert found["fit"][0].keys() == {
        "kernel",
        "microseconds",
        "basis",
        "parts",
        "priority",
        "workspace_bytes",
    }
    assert {candidate["basis"] for candidate in found["fit"]} == {"cost_model"} and found[
        "models"
    ] == []


def test_it_says_where_the_constants_come_from() -> None:
    costs = ckdispatch("explain", "512x256x1024 fp16 rcr", *ESSENTIAL, "--json").document["costs"]
    assert costs.keys() == {"family", "gpu", "source", "tables", "carried_over"}
    assert (costs["family"], costs["gpu"], costs["carried_over"]) == ("gemm", "gfx950", True)
    ended = ckdispatch("explain", "512x256x1024", *ESSENTIAL)
    assert f"they were fitted for gemm on gfx950, on {costs['source']}." in ended.out


@pytest.mark.parametrize(
    ("bases", "said", "cells"),
    [
        (
            ("learned", "learned"),
            "that a learned one corrects; nothing was measured.",
            ["a learned model"] * 2,
        ),
        (
            ("learned", "cost_model"),
            "Its constants were fitted on a table.",
            ["a learned model", "the cost model"],
        ),
        (
            ("beyond", "beyond"),
            "outside of what the learned model has seen",
            ["a learned model, beyond what it has seen"] * 2,
        ),
    ],
)
def test_times_of_a_learned_model_are_said_to_be(
    bases: tuple[str, ...], said: str, cells: list[str]
) -> None:
    fit = tuple(Candidate(f"kernel{place}", 1.0, basis, 1, 0) for place, basis in enumerate(bases))
    head, table = _blocks(
        Ranking("a problem", "gfx950", Fitted("gemm", "gfx950", "a table", "", False), (), fit, ())
    )
    assert isinstance(head, str) and isinstance(table, Table)
    assert said in head and ("Its constants" in head) == ("cost_model" in bases)
    assert [row[-1] for row in table.rows] == cells and table.columns[-1].title == "by"


def test_each_refusal_has_its_reason() -> None:
    ended = ckdispatch("explain", "64x72x64", *ESSENTIAL)
    assert ended.code == 0
    refused = ended.out.split("\n\n")[2]
    (row,) = (line for line in refused.splitlines() if line.startswith(UNPADDED))
    assert row.split(maxsplit=1)[1].startswith("was asked for N = 72 and needs a multiple of 128")
    found = ckdispatch("explain", "64x72x64", *ESSENTIAL, "--json").document
    codes = {one["kernel"]: one["code"] for one in found["refused"]}
    assert codes[UNPADDED] == "unsupported" and PADDED not in codes


def test_no_kernel_is_an_exit_code_and_still_has_every_reason() -> None:
    ended = ckdispatch("explain", "64x64x64", "rrr", *ESSENTIAL)
    assert ended.code == 3
    assert ended.out.count("computes the layout rcr, not rrr.") == 6
    assert "predicted" not in ended.out
    assert ended.err == (
        "ckdispatch: no kernel of 6 computes gemm 64x64x64 fp16 rrr on gfx942 as it is; `run` pads "
        "it if that helps.\n"
    )


def test_split_k_may_be_the_dispatchers_choice() -> None:
    found = ckdispatch("explain", "64x64x640", *VARIANTS, "--split-k", "auto", "--json").document
    assert {candidate["parts"] for candidate in found["fit"]} == {2, 4, 8}


def test_another_gpu_can_be_asked_about() -> None:
    found = ckdispatch("explain", "64x64x64", *ESSENTIAL, "--gpu", "gfx950", "--json")
    assert found.code == 3
    reasons = {one["reason"].split(" ", 1)[1] for one in found.document["refused"]}
    assert reasons == {"holds no code for gfx950."}
    assert found.err == (
        "ckdispatch: no kernel of 6 computes gemm 64x64x64 fp16 rcr on gfx950: they hold code for "
        "gfx942; build them for gfx950.\n"
    )
