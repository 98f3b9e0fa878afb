# SPDX-License-Identifier: MIT
"""docs/from-amd.md: what people type who come from AMD's pages runs, or is answered as the page
says.
"""

from __future__ import annotations

import io
import re
import shlex
from contextlib import redirect_stdout
from pathlib import Path
from pkgutil import resolve_name

import pytest
from ckarch import load_specs
from ckdispatch import CodegenRunner, KernelConfig
from ckdispatch.cli import main as dispatcher
from ckdispatch.errors import InvalidArgument
from ckgen.cli import main as generator
from ckgen.core import foreign
from ckgen.families import FAMILIES

from tests.docs.pages import blocks

PAGE = Path("docs/from-amd.md")
TEXT = PAGE.read_text()
SHOWN = "".join(
    path.read_text()
    for path in (
        Path("docs/dispatcher.md"),
        Path("docs/declaring-kernels.md"),
        *Path("dispatcher/examples").rglob("*.cpp"),
    )
)
FEWEST = "gfx1100"
PROGRAMS = {foreign.GENERATOR: generator.main, foreign.DISPATCHER: dispatcher.main}


def rows(section: str) -> list[list[str]]:
    """The cells of the tables below a heading, without the tables' heads."""
    lines = TEXT.split(f"\n## {section}\n")[1].split("\n## ")[0].splitlines()
    pairs = zip(lines, [*lines[1:], ""], strict=True)
    body = [line for line, below in pairs if line[:3] != "| -" and below[:3] != "| -"]
    return [[cell.strip() for cell in line[1:-1].split(" | ")] for line in body if line[:1] == "|"]


def code(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


# What is typed on AMD's pages to generate sources; the folder is a shorter one.
TYPED = [
    "unified_gemm_codegen.py --output-dir out --datatype fp16 --layout rcr --variants standard",
    "unified_gemm_codegen.py --output-dir out --variants standard preshuffle multi_d",
    "unified_grouped_conv_codegen.py --output-dir out --datatype fp16 --variant forward"
    " --ndim-spatial 2",
    "unified_grouped_conv_codegen.py --output-dir out --variant backward_data --ndim-spatial 2",
    "gemm --output-dir out --preselected fp16_rcr_essential",
]


@pytest.mark.parametrize("typed", TYPED)
def test_what_generates_sources_there_does_so_here(
    typed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert generator.main(typed.split()) == 0
    assert all(
        re.fullmatch(r"(gemm|grouped_conv)_.*\.cpp", one.name) for one in Path("out").iterdir()
    )
    assert len(list(Path("out").iterdir())) >= 6


def test_the_scripts_are_the_commands_of_the_page() -> None:
    shown = {code(row[0])[0]: row[1] for row in rows("Scripts")}
    for name in FAMILIES:
        command = shown.pop(f"unified_{name}_codegen.py", None)
        assert command in (None, f"`ckgen {name}`")
    assert {f"{name}.py": told for name, told in foreign.SCRIPTS.items()}.items() <= shown.items()


def test_lines_of_our_command_line_can_be_parsed() -> None:
    lines = [text for row in rows("Scripts") for text in code(row[1]) if "ckdispatch " in text]
    assert len(lines) == 3
    for line in lines:
        dispatcher.build_parser().parse_args(shlex.split(line)[1:])


@pytest.mark.parametrize("row", rows("Options that are the same"), ids=lambda row: row[0])
def test_an_option_is_taken_with_its_values(row: list[str]) -> None:
    (said,) = code(row[0])
    family = "grouped_conv" if "of `grouped_conv`" in row[1] else "gemm"
    options = generator.build_parser().parse_args([family, *said.split()])
    assert options.run is not None


def test_every_foreign_option_is_on_the_page_with_its_answer() -> None:
    shown = [[*code(row[0]), *code(row[1]), row[2]] for row in rows("Options that are not")]
    assert shown == [
        [word, program, told]
        for program, options in foreign.OPTIONS.items()
        for word, told in options.items()
    ]


@pytest.mark.parametrize("row", rows("Options that are not"), ids=lambda row: f"{row[1]} {row[0]}")
def test_a_foreign_option_is_answered_with_one_sentence(
    row: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (word,), (program,) = code(row[0]), code(row[1])
    for command in (("gemm",), ("list", "--kernels", "x"), ()):
        assert PROGRAMS[program]([*command, word, "x"]) == 2
        printed = capsys.readouterr()
        assert printed.out == "" and printed.err.count("\n") == 1
        assert printed.err.startswith(f"{program}: the option {word} is one of AMD's dispatcher")
        assert printed.err.rstrip(".\n").endswith(row[2])


def test_no_option_of_the_command_line_is_foreign(capsys: pytest.CaptureFixture[str]) -> None:
    commands = re.search(r"{([\w,]+)}", dispatcher.build_parser().format_usage())
    names = commands[1].split(",") if commands else ["list", "run", "bench", "build", "explain"]
    for name in names:
        with pytest.raises(SystemExit):
            dispatcher.build_parser().parse_args([name, "--help"])
    ours = set(re.findall(r"(?<!`)--?[a-z][\w-]*", capsys.readouterr().out))
    assert "--kernels" in ours and not ours & set(foreign.OPTIONS[foreign.DISPATCHER])


def test_the_python_of_the_page_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, printed = blocks(PAGE)
    assert (program.language, printed.language) == ("python", "text")
    monkeypatch.chdir(tmp_path)
    with redirect_stdout(io.StringIO()) as out:
        exec(compile(program.text, str(PAGE), "exec"), {"__name__": "page"})
    assert out.getvalue() == printed.text


def test_everything_can_be_generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # Of all GPUs it has the fewest kernels.
    everything = CodegenRunner(arch=FEWEST).generate_all()
    assert everything and everything.output_dir == Path("generated_kernels")
    for family in FAMILIES:
        assert any(kernel.name.startswith(f"{family}_") for kernel in everything.kernels)


def test_names_of_the_package_are_there() -> None:
    named = [name for row in rows("Python") for name in code(row[1]) if "ckdispatch." in name]
    assert len(named) == 7
    for name in named:
        resolve_name(name)


@pytest.mark.parametrize("row", rows("Names of kernels"), ids=lambda row: row[0])
def test_a_name_is_taken_or_answered_with_ours(row: list[str]) -> None:
    middle = KernelConfig(tile_m=128).name.removeprefix("gemm_fp16_rcr_")
    asked = code(row[0])[0].replace("…", middle)
    if row[1] == "the same":
        assert KernelConfig.parse(asked).name == asked
        return
    meant = code(row[1])[0].replace("…", middle)
    with pytest.raises(InvalidArgument, match=rf"; by rows it is called {meant}$"):
        KernelConfig.parse(asked)
    assert KernelConfig.parse(meant).validate("gfx942")
    with_letter = KernelConfig.parse(asked.replace("_rcr_", "_rcrr_"))
    assert with_letter.autocorrect("gfx942").config.name == meant


# What AMD's functions return.
FACTS: dict[str, object] = {
    "get_supported_archs": {
        "gfx908",
        "gfx90a",
        "gfx942",
        "gfx950",
        "gfx1100",
        "gfx1200",
        "gfx1201",
    },
    "get_arch_family": "cdna3",
    "get_element_size": 2,
    "get_warp_configs": {(1, 4, 1), (2, 2, 1), (4, 1, 1)},
    "get_warp_tile_combos": {
        (32, 32, 8),
        (16, 16, 16),
        (32, 32, 16),
        (16, 16, 32),
        (4, 64, 16),
        (64, 4, 16),
    },
    "PRESHUFFLE_WARP_TILE_SUPPORTED_COMBINATIONS": {
        (32, 32, 8),
        (16, 16, 16),
        (32, 32, 16),
        (16, 16, 32),
        (64, 4, 16),
    },
    "get_lds_limit": 32768,
    "is_trait_combo_unsupported": True,
    "get_dtype_info": "int32",
    "is_dtype_combo_valid": True,
    "get_valid_dtype_combos": {
        "fp32_fp32",
        "fp16_fp16",
        "bf16_bf16",
        "fp8_fp8",
        "fp8_bf8",
        "bf8_fp8",
        "bf8_bf8",
        "int8_int8",
        "pk_fp4_pk_fp4",
    },
}


def test_every_fact_has_its_row() -> None:
    assert [re.match(r"\w+", code(row[0])[0])[0] for row in rows("Facts about GPUs")] == [*FACTS]  # type: ignore[index]


@pytest.mark.parametrize("row", rows("Facts about GPUs"), ids=lambda row: row[0])
def test_a_fact_is_the_same_here(row: list[str]) -> None:
    asked = re.match(r"\w+", code(row[0])[0])
    assert asked is not None
    facts, (expression,) = load_specs(), code(row[1])
    found = eval(expression, {"facts": facts, "gpu": facts.gpu("gfx942")})
    expected = FACTS[asked[0]]
    assert (set(found) if isinstance(expected, set) else found) == expected


def test_what_to_write_in_cpp_is_shown_elsewhere() -> None:
    written = [text for row in rows("C++") for text in code(row[1])]
    missing = [text for text in written if text.removeprefix("ckdispatch::") not in SHOWN]
    assert len(written) > 20 and missing == []
