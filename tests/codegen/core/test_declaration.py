# SPDX-License-Identifier: MIT
"""Reading declarations: what is accepted, and the sentence for what is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ckgen.core.declaration import Declaration, load_declaration, parse_declaration, parse_entry
from ckgen.core.errors import DeclarationError
from ckgen.core.tile import Dim3
from ckgen.families import FAMILIES
from codegen_support import ARCH, ENTRY, TOYS, declaration

SOURCE = "kernels/x.json"


def parse(data: Any) -> Declaration:
    return parse_declaration(data, FAMILIES, ARCH.gpus, SOURCE)


def test_an_entry_is_read_alone_under_the_label_that_it_is_given() -> None:
    said = {"dtype": "fp16", "layout": "rcr", **ENTRY}
    alone = parse_entry(said, FAMILIES["gemm"], ARCH.gpus, "mine")
    assert alone.label == "mine"
    assert alone.options == parse(declaration(ENTRY)).entries[0].options
    with pytest.raises(DeclarationError, match=r"^mine, field 'tile': expected three positive"):
        parse_entry({**said, "tile": 3}, FAMILIES["gemm"], ARCH.gpus, "mine")


def test_one_value_per_field_makes_an_explicit_entry() -> None:
    parsed = parse(declaration(ENTRY))
    assert parsed.errors == ()
    assert parsed.entries[0].explicit
    assert parsed.entries[0].options["tile"].values == (Dim3(128, 128, 32),)


@pytest.mark.parametrize(
    "change",
    [
        {"tile": "*"},
        {"tile": -1},
        {"tile": [-1, -1, -1]},
        {"tile": [[128, 128, 32]]},
        {"tile": [[128, 128, 32], [64, 64, 32]]},
        {"pipeline": ["compv4"]},
        {"pad": "*"},
        {"pad": [[True, True, True]]},
    ],
)
def test_a_wildcard_or_a_list_makes_an_entry_that_expands(change: dict[str, Any]) -> None:
    assert not parse(declaration({**ENTRY, **change})).entries[0].explicit


def test_a_list_in_the_defaults_makes_entries_expand_too() -> None:
    data = declaration({"waves": [2, 2, 1], "warp_tile": [32, 32, 16], "pipeline": "compv3"})
    data["defaults"] = {"tile": [[128, 128, 32]]}
    assert not parse(data).entries[0].explicit


def test_an_entry_beats_the_defaults_and_those_beat_the_set() -> None:
    data = declaration({**ENTRY, "epilogue": "default"}, ENTRY, layout="rcr")
    data["defaults"] = {"epilogue": "cshuffle", "layout": "rrr"}
    first, second = parse(data).entries
    epilogues = [entry.options["epilogue"].values for entry in (first, second)]
    assert epilogues == [("default",), ("cshuffle",)]
    assert first.options["layout"].values == ("rrr",)


def test_spills_are_allowed_unless_forbidden() -> None:
    assert not parse(declaration(ENTRY)).forbid_spills
    assert parse(declaration(ENTRY, forbid_spills=True)).forbid_spills


def test_gpus_come_in_the_order_of_the_arch_table() -> None:
    parsed = parse(declaration({**ENTRY, "gpus": ["gfx950", "gfx942"]}))
    assert parsed.entries[0].gpus == ("gfx942", "gfx950")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"tile": [128, 128]},
            "field 'tile': expected three positive numbers such as [128, 128, 32], not [128, 128]",
        ),
        ({"tile": []}, "field 'tile': a list of choices must not be empty"),
        (
            {"pipeline": "compv9"},
            "field 'pipeline': expected one of mem, compv3, compv4, compv5, "
            'compv6, comp_async, preshufflev2, not "compv9"',
        ),
        ({"split_k": True}, "field 'split_k': expected one of none, atomic, workspace, not true"),
        ({"d_count": "2"}, "field 'd_count': expected a whole number, not \"2\""),
        (
            {"persistent": "False"},
            "field 'persistent': \"False\" is a string; write false without quotes",
        ),
        (
            {"pad": ["False", False, False]},
            "field 'pad': \"False\" is a string; write false without quotes",
        ),
        (
            {"pad": [True]},
            "field 'pad': expected three of true or false such as [false, false, true], not [true]",
        ),
        (
            {"pad": True},
            "field 'pad': expected three of true or false such as [false, false, true], not true",
        ),
        ({"gpus": []}, "field 'gpus': expected a list of GPU names, not []"),
        ({"gpus": "gfx942"}, "field 'gpus': expected a list of GPU names, not \"gfx942\""),
    ],
)
def test_a_wrong_value_names_file_entry_and_field(change: dict[str, Any], sentence: str) -> None:
    parsed = parse(declaration(ENTRY, {**ENTRY, **change}))
    assert parsed.errors == (f"{SOURCE}, entry 2, {sentence}",)
    assert len(parsed.entries) == 1, "the other entry must survive"


def test_an_unknown_gpu_is_refused_with_the_known_ones() -> None:
    (error,) = parse(declaration({**ENTRY, "gpus": ["gfx9"]})).errors
    assert error.startswith(f"{SOURCE}, entry 1, field 'gpus': there is no GPU \"gfx9\"; known")
    assert "gfx942" in error


def test_an_unknown_field_of_an_entry_is_refused_with_the_known_ones() -> None:
    (error,) = parse(declaration({**ENTRY, "tiel": [1, 2, 3]})).errors
    assert error.startswith(f"{SOURCE}, entry 1: there is no field 'tiel'; the fields are variant")


def test_a_missing_field_of_an_entry_is_named() -> None:
    entry = {key: value for key, value in ENTRY.items() if key != "waves"}
    assert parse(declaration(entry)).errors == (f"{SOURCE}, entry 1: the field 'waves' is missing",)


def test_an_entry_that_is_no_object_is_refused() -> None:
    data = declaration(ENTRY)
    data["kernels"].append(7)
    assert parse(data).errors == (f"{SOURCE}, entry 2: expected a JSON object, not 7",)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ([], "kernels/x.json: expected a JSON object, not []"),
        (
            {"family": "gem", "kernels": [ENTRY]},
            "kernels/x.json, field 'family': there is no "
            "kernel family 'gem'; there is gemm, grouped_conv, fmha",
        ),
        (
            {"kernels": [ENTRY]},
            "kernels/x.json, field 'family': there is no kernel family None; "
            "there is gemm, grouped_conv, fmha",
        ),
        (
            {"family": ["gemm"], "kernels": [ENTRY]},
            "kernels/x.json, field 'family': there is no "
            "kernel family ['gemm']; there is gemm, grouped_conv, fmha",
        ),
        (
            declaration(),
            "kernels/x.json, field 'kernels': expected a list of at least one entry, not []",
        ),
        (
            {"family": "gemm"},
            "kernels/x.json, field 'kernels': expected a list of at least one entry, not null",
        ),
        (
            declaration(ENTRY, layout="rcx"),
            "kernels/x.json, field 'layout': expected one of rcr, rrr, crr, ccr, not \"rcx\"",
        ),
        (
            declaration(ENTRY, defaults={"tile": 3}),
            "kernels/x.json, defaults, field 'tile': "
            "expected three positive numbers such as [128, 128, 32], not 3",
        ),
        (
            declaration(ENTRY, defaults=[]),
            "kernels/x.json, field 'defaults': expected a JSON object, not []",
        ),
        (
            declaration(ENTRY, description=3),
            "kernels/x.json, field 'description': expected text, not 3",
        ),
        (
            declaration(ENTRY, forbid_spills="False"),
            "kernels/x.json, field 'forbid_spills': "
            '"False" is a string; write false without quotes',
        ),
    ],
)
def test_a_fault_outside_the_entries_is_one_sentence(data: Any, sentence: str) -> None:
    with pytest.raises(DeclarationError) as refusal:
        parse(data)
    assert str(refusal.value) == sentence


def test_an_unknown_field_of_the_set_is_refused_with_the_known_ones() -> None:
    with pytest.raises(DeclarationError, match="there is no field 'tile'; the fields are family"):
        parse(declaration(ENTRY, tile=[1, 2, 3]))
    with pytest.raises(DeclarationError, match="defaults: there is no field 'gpus'"):
        parse(declaration(ENTRY, defaults={"gpus": ["gfx942"]}))


def test_a_file_is_called_what_the_caller_wants(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("{", encoding="utf-8")
    with pytest.raises(DeclarationError, match=r"^//kernels:x\.json is not valid JSON"):
        load_declaration(path, FAMILIES, ARCH.gpus, "//kernels:x.json")
    path.write_text(json.dumps({"family": "toy", "kernels": [{"color": "red"}]}), encoding="utf-8")
    assert load_declaration(path, TOYS, ARCH.gpus).entries[0].label == f"{path}, entry 1"
