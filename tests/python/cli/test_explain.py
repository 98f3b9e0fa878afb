# SPDX-License-Identifier: MIT
"""``explain`` ranks kernels by times that it calls predicted, and says why others do not fit."""

from __future__ import annotations

from cli_support import ESSENTIAL, PADDED, UNPADDED, VARIANTS, ckdispatch


def test_the_ranking_is_in_the_order_of_predicted_times_and_says_so() -> None:
    ended = ckdispatch("explain", "512x256x1024", "fp16", "rcr", *ESSENTIAL)
    assert (ended.code, ended.err) == (0, "")
    head, table = ended.out.split("\n\n")
    assert head == (
        "gemm 512x256x1024 fp16 rcr on gfx942: 6 ways to compute it, 0 kernels refused. "
        "Times are predicted by a cost model; nothing was measured."
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
        "kernel", "microseconds", "parts", "priority", "workspace_bytes"
    }  # fmt: skip


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
