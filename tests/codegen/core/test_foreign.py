# SPDX-License-Identifier: MIT
"""Words of AMD's pages: what means the same is done, and what does not is answered."""

from __future__ import annotations

import re
from pathlib import PurePath

import pytest
from ckgen.cli.main import build_parser, main
from ckgen.core import foreign
from ckgen.core.errors import FieldError
from ckgen.families import FAMILIES
from codegen_support import GEMM, TOY

WORDS = sorted(foreign.OPTIONS[foreign.GENERATOR])


@pytest.mark.parametrize("family", FAMILIES)
def test_no_option_of_ours_is_foreign(family: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        build_parser().parse_args([family, "--help"])
    ours = set(re.findall(r"--?[a-z][\w-]*", capsys.readouterr().out))
    assert "--output-dir" in ours and not ours & set(WORDS)


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("form", ["{} x", "{}=x", "--list {}"])
@pytest.mark.parametrize("command", ["gemm", "fmha", "rules", ""])
def test_a_foreign_option_is_one_sentence(
    capsys: pytest.CaptureFixture[str], word: str, form: str, command: str
) -> None:
    assert main([*command.split(), *form.format(word).split()]) == 2
    printed = capsys.readouterr()
    instead = foreign.OPTIONS[foreign.GENERATOR][word]
    told = f"the option {word} is one of AMD's dispatcher, and there is none here: {instead}"
    assert (printed.out, printed.err) == ("", f"ckgen: {told}\n")


@pytest.mark.parametrize("name", foreign.files(FAMILIES))
@pytest.mark.parametrize("form", ["{}", "somewhere/codegen/{}"])
@pytest.mark.parametrize("whole", [True, False])
def test_a_foreign_file_is_one_sentence(
    capsys: pytest.CaptureFixture[str], name: str, form: str, whole: bool
) -> None:
    called = form.format(name if whole else PurePath(name).stem)
    assert main([called, "--kernel-dir", "x"]) == 2
    instead = foreign.files(FAMILIES)[name]
    told = f"ckgen: {name} is a file of AMD's, and there is none here: {instead}\n"
    assert capsys.readouterr().err == told
    assert foreign.objection(foreign.DISPATCHER, FAMILIES, [called]) == told[7:-1]


def test_no_file_is_told_of_twice() -> None:
    told = [foreign.FILES, *(family.foreign_files for family in FAMILIES.values())]
    assert sum(map(len, told)) == len(foreign.files(FAMILIES))


@pytest.mark.parametrize("family", ["gemm", "grouped_conv"])
def test_a_generator_of_a_family_is_its_command(
    capsys: pytest.CaptureFixture[str], family: str
) -> None:
    lists = []
    for command in (family, f"unified_{family}_codegen.py"):
        assert main([command, "--datatype", "fp32", "--list", "--parallel", "-v"]) == 0
        lists.append(capsys.readouterr().out)
    assert lists[0] == lists[1] != ""
    told = foreign.objection(foreign.DISPATCHER, FAMILIES, [f"unified_{family}_codegen.py"])
    assert told is not None and told.endswith(f"by `python3 -m ckgen {family} --output-dir DIR`")


def test_another_command_is_no_script() -> None:
    assert foreign.command_of(FAMILIES, "rules") is None
    assert foreign.command_of(FAMILIES, "unified_codegen.py") is None
    words = ["gemm", "--pat", "pattern", "kernel-dir", "codegen_common.py"]
    assert foreign.objection(foreign.GENERATOR, FAMILIES, words) is None


def test_single_extents_become_whole_ones_with_what_is_usual() -> None:
    assert foreign.with_whole_extents(GEMM, {"wave_m": 4, "warp_tile_k": 8, "layout": "rrr"}) == {
        "dtype": "fp16",
        "layout": "rrr",
        "tile": [128, 128, 32],
        "waves": [4, 2, 1],
        "warp_tile": [32, 32, 8],
        "pipeline": "compv3",
    }
    again = foreign.with_whole_extents(GEMM, {"tile_n": 16})
    assert again["waves"] == [2, 2, 1] and again["tile"] == [128, 16, 32], "nothing is shared"


def test_whole_extents_stay_as_they_are_said() -> None:
    for fields in ({"tile": [1, 1, 1]}, {}):
        assert foreign.with_whole_extents(GEMM, fields) == fields
    assert foreign.with_whole_extents(TOY, {"tile_m": 1}) == {"tile_m": 1}
    with pytest.raises(
        FieldError, match=r"^warp_tile_m was said beside warp_tile; say one of them$"
    ):
        foreign.with_whole_extents(GEMM, {"warp_tile": [1, 1, 1], "warp_tile_m": 1})
