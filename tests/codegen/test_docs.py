# SPDX-License-Identifier: MIT
"""The documentation says what the code does."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from ckgen.cli.list_commands import rules_markdown
from ckgen.cli.main import build_parser
from ckgen.core.declaration import parse_declaration
from ckgen.core.expand import expand
from ckgen.core.family import Family
from ckgen.core.sets import named_sets
from ckgen.core.spec import field_types
from ckgen.families import FAMILIES
from ckgen.fmha.profiles import PROFILES
from ckgen.gemm.spec import Variant
from ckgen.product.spec import FusedOp
from codegen_support import ARCH

DOCS = Path(__file__).parents[2] / "docs"
DECLARING = (DOCS / "declaring-kernels.md").read_text(encoding="utf-8")


def fenced(language: str) -> list[str]:
    """The code blocks of the page in ``language``, which is empty for plain ones."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", DECLARING, re.MULTILINE | re.DOTALL)
    return [text for found, text in blocks if found == language]


def table_rows(heading: str) -> str:
    section = DECLARING.split(f"## {heading}\n", 1)[1]
    return section.split("\n## ", 1)[0]


def test_the_page_of_rules_is_not_stale() -> None:
    page = (DOCS / "rules.md").read_text(encoding="utf-8")
    assert page == rules_markdown(FAMILIES), "run: python3 -m ckgen rules > docs/rules.md"


@pytest.mark.parametrize("text", fenced("json"))
def test_examples_of_declarations_expand(text: str) -> None:
    expansion = expand(parse_declaration(json.loads(text), FAMILIES, ARCH.gpus, "example"), ARCH)
    assert expansion.errors == () and expansion.kernels


def test_there_is_an_example_of_a_set_of_variants_and_of_several_sets() -> None:
    assert len(fenced("json")) == 3


def test_the_example_of_variants_has_a_kernel_of_each() -> None:
    data = json.loads(fenced("json")[1])
    kernels = expand(parse_declaration(data, FAMILIES, ARCH.gpus, "example"), ARCH).kernels
    assert {kernel.spec.variant for kernel in kernels} == set(Variant)  # type: ignore[attr-defined]  # all are of this family


def test_the_names_of_the_example_of_several_sets_are_the_quoted_ones() -> None:
    data = json.loads(fenced("json")[2])
    sets = named_sets(parse_declaration(data, FAMILIES, ARCH.gpus, "example"), "default")
    assert ", ".join(f"`{one.name}`" for one in sets) in DECLARING


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)
def test_every_field_of_an_entry_is_documented_and_no_other(family: Family) -> None:
    section = table_rows(f"An entry of the family `{family.name}`")
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", section, re.MULTILINE)
    documented = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert documented == {field.name for field in family.entry_fields} | {"gpus", "subsets"}


@pytest.mark.parametrize(
    ("family", "fields"),
    [
        ("gemm", "pipeline epilogue scheduler layout variant split_k d_layout"),
        ("grouped_conv", "epilogue layout variant specialization"),
        ("fmha", "variant dtype mode bias rotary pipeline"),
    ],
)
def test_every_choice_of_an_entry_is_documented(family: str, fields: str) -> None:
    text = table_rows(f"An entry of the family `{family}`")
    for field in fields.split():
        for member in field_types(FAMILIES[family].spec_type)[field]:  # type: ignore[attr-defined]  # its choices
            assert f"`{member.value}`" in text, f"{field} {member.value}"


def test_every_variant_and_fused_operation_is_explained() -> None:
    text = table_rows("Variants")
    rows = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)
    assert rows == [variant.value for variant in Variant]
    for op in FusedOp:
        assert op is FusedOp.PASS_THROUGH or f"`{op.value}`" in text, op


def test_every_option_of_the_command_is_documented_and_no_other(
    capsys: pytest.CaptureFixture[str],
) -> None:
    section = DECLARING.split("## Without Bazel\n", 1)[1]
    documented = set(re.findall(r"`(--[\w-]+)`", section))
    for family in FAMILIES:
        with pytest.raises(SystemExit):
            build_parser().parse_args([family, "--help"])
    named = re.findall(r"^  (?:-\w, )?(--\w.*?)(?:  |$)", capsys.readouterr().out, re.MULTILINE)
    existing = {option for line in named for option in re.findall(r"--[\w-]+", line)}
    assert documented == existing


def test_command_lines_in_the_page_can_be_parsed() -> None:
    lines = [line for block in fenced("") for line in block.splitlines() if " -m ckgen " in line]
    assert len(lines) == 7
    for line in lines:
        build_parser().parse_args(shlex.split(line)[3:])


def test_the_path_of_the_page_is_enough() -> None:
    (path,) = re.findall(r"^export PYTHONPATH=(.+)$", DECLARING, re.MULTILINE)
    done = subprocess.run(
        [sys.executable, "-m", "ckgen", "families"],
        cwd=DOCS.parent,
        env={"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == [*FAMILIES]


def test_the_numbers_of_receipts_are_those_of_the_profiles() -> None:
    text = DECLARING[DECLARING.index("CK's numbers are other names: ") :].split(".\n", 1)[0]
    numbers = [number for number in PROFILES if number.isdecimal()]
    assert re.findall(r"\d+", text.replace("fp32", "").replace("fp8", "")) == numbers


def test_the_quoted_refusal_is_the_real_one() -> None:
    entry = {
        "tile": [100, 128, 32],
        "waves": [2, 2, 1],
        "warp_tile": [32, 32, 16],
        "pipeline": "compv4",
        "dtype": "fp16",
        "layout": "rcr",
        "gpus": ["gfx942"],
    }
    data = {"family": "gemm", "kernels": [entry]}
    (error,) = expand(parse_declaration(data, FAMILIES, ARCH.gpus, "kernels/x.json"), ARCH).errors
    assert error.replace("entry 1", "entry 4") in DECLARING
