# SPDX-License-Identifier: MIT
"""Declarations that ask for too much, or are not what they should be: one bounded sentence each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ckgen.cli.main import main
from ckgen.core import limits
from codegen_support import ENTRY, declaration

_STARS = dict.fromkeys(
    (
        "variant",
        "dtype",
        "dtype_a",
        "dtype_b",
        "dtype_c",
        "layout",
        "tile",
        "waves",
        "warp_tile",
        "pipeline",
        "epilogue",
        "scheduler",
        "pad",
        "persistent",
        "split_k",
        "fused_op",
        "d_count",
        "dtype_d",
        "d_layout",
    ),
    "*",
)
_CONV_STARS = dict.fromkeys(
    (
        "variant",
        "ndim_spatial",
        "dtype",
        "dtype_b",
        "dtype_c",
        "layout",
        "tile",
        "waves",
        "warp_tile",
        "pipeline",
        "epilogue",
        "scheduler",
        "vector",
        "lds_buffers",
        "wave_groups",
        "blocks_per_cu",
        "merged_groups",
        "specialization",
        "split_k",
        "fused_op",
        "d_count",
    ),
    "*",
)
_TEXT = json.dumps(declaration(ENTRY))


def _nested(levels: int) -> str:
    return "[" * levels + "]" * levels


_HOSTILE: dict[str, tuple[str, str]] = {
    "every field of gemm": (
        json.dumps({"family": "gemm", "kernels": [_STARS]}),
        (
            "entry 1: has 4,750,812,518,400 choices on all GPUs together, and a declaration may "
            "have 10,000,000; say which ones"
        ),
    ),
    "every field of grouped_conv": (
        json.dumps({"family": "grouped_conv", "kernels": [_CONV_STARS]}),
        "choices on all GPUs together, and a declaration may have 10,000,000",
    ),
    "many entries that are wide": (
        json.dumps(
            declaration(
                *[{**ENTRY, "dtype_d": ["fp16"], "fused_op": "*", "d_count": [*range(1000)]}] * 99
            )
        ),
        "entry 1: has 105,000 choices of the 10,395,000 of all entries on all GPUs together",
    ),
    "a list of a million": (
        json.dumps(declaration({**ENTRY, "d_count": [*range(1_500_000)]})),
        "entry 1: has 10,500,000 choices on all GPUs together",
    ),
    "too many entries": (
        json.dumps(declaration(*[{}] * 100_001)),
        "field 'kernels': has 100,001 entries, and a declaration may have 100,000; divide it",
    ),
    "too many sets": (
        json.dumps(
            {
                **declaration(ENTRY),
                "sets": {"x_{dtype}": {"dtype": ["fp16"] * 101, "layout": ["rcr"] * 100}},
            }
        ),
        "set 'x_{dtype}': makes 10,100 sets, and a declaration may have 10,000; name fewer choices",
    ),
    "nested document": (_nested(200_000), "is nested too deeply to be read as JSON"),
    "nested value": (
        _TEXT.replace('"compv4"', _nested(200_000)),
        "is nested too deeply to be read as JSON",
    ),
    "nested but readable": (_TEXT.replace('"compv4"', _nested(300)), "field 'pipeline': "),
    "4,000 digits": (
        _TEXT.replace("[128, 128, 32]", f"[{'9' * 4000}, 128, 32]"),
        "a number has 4,000 digits",
    ),
    "5,000 digits": (
        _TEXT.replace("[128, 128, 32]", f"[{'9' * 5000}, 128, 32]"),
        "a number has 5,000 digits",
    ),
    "an extent beyond all": (
        _TEXT.replace("[128, 128, 32]", f"[{2**31}, 128, 32]"),
        "field 'tile': expected three numbers of at most 2147483647, not [2147483648, 128, 32]",
    ),
    "a count beyond all": (
        _TEXT.replace('"tile"', '"d_count": 4294967296, "tile"'),
        "a whole number of at most 2147483647",
    ),
    "infinity": (
        _TEXT.replace('"tile"', '"d_count": 1e999, "tile"'),
        "expected a whole number, not Infinity",
    ),
    "a repeated key": (
        '{"a": 1, ' + ", ".join(f'"k{n}": 1' for n in range(100_000)) + ', "a": 2}',
        "the key 'a' appears",
    ),
    "no object": ("[]", "expected a JSON object, not []"),
    "nothing": ("", "is not valid JSON"),
    "entries of the wrong types": (
        json.dumps({"family": "gemm", "kernels": [None]}),
        "entry 1: expected a JSON object, not null",
    ),
}


def _run(folder: Path, text: str, *options: str) -> tuple[int, Path]:
    source, output = folder / "x.json", folder / "out.json"
    source.write_text(text, encoding="utf-8")
    return main(["expand", "--declaration", str(source), "--output", str(output), *options]), output


@pytest.mark.parametrize("case", _HOSTILE)
def test_a_hostile_declaration_gets_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], case: str
) -> None:
    text, expected = _HOSTILE[case]
    code, output = _run(tmp_path, text)
    said = capsys.readouterr()
    assert (code, said.out) == (1, "")
    assert said.err.startswith("ckgen: ")
    first = said.err.splitlines()[0]
    assert expected in first
    assert len(first) < 1000
    assert not output.exists()


def _illegal(number: int) -> list[dict[str, Any]]:
    return [{**ENTRY, "tile": [101 + 2 * index, 128, 32]} for index in range(number)]


@pytest.mark.parametrize(
    "entries", [_illegal(5_000), [{}] * 5_000, [{**ENTRY, "tile": [[1, 1, 1]]}] * 300]
)
def test_of_many_errors_the_first_are_listed_and_the_others_counted(
    tmp_path: Path, entries: list[dict[str, Any]]
) -> None:
    code, output = _run(tmp_path, json.dumps(declaration(*entries)), "--errors-as-data")
    (one,) = json.loads(output.read_text(encoding="utf-8"))["sets"]
    assert code == 0
    assert len(one["errors"]) == limits.LISTED_ERRORS + 1
    assert [error.split(":")[0].rpartition(" ")[2] for error in one["errors"][:3]] == [
        "1",
        "2",
        "3",
    ]
    more = len(entries) - limits.LISTED_ERRORS
    assert one["errors"][-1].endswith(f"x.json: {more:,} more errors were found; mend these first")
    assert one["kernels"] == []


def test_a_file_without_an_end_is_not_read_to_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    output = tmp_path / "out.json"
    assert main(["expand", "--declaration", "/dev/zero", "--output", str(output)]) == 1
    assert (
        capsys.readouterr().err
        == "ckgen: /dev/zero has more than 67,108,864 bytes, the most that is read\n"
    )


def test_a_wildcard_that_stands_for_too_many_kernels_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ckgen.core.expand.MOST_KERNELS", 3)
    code, _ = _run(tmp_path, json.dumps(declaration({**ENTRY, "pad": "*"})))
    assert code == 1
    assert (
        "entry 1: more than 3 of its 56 choices are legal kernels, and 3 are the most"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize("name", ["9" * 5000, "4294967296" + "0" * 5])
def test_a_kernels_name_with_too_many_digits_is_refused(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = "False_False_False_False"
    kernel = f"gemm_fp16_rcr_compv4_cshuffle_intrawave_{flags}_{name}x128x32_2x2x1_32x32x16"
    assert main(["gemm", "--gpu-target", "gfx942", "--explain", kernel]) == 1
    assert "is more than 2147483647" in capsys.readouterr().err
