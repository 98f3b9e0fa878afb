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

import ckarch
import pytest
from ckarch import load_specs
from ckarch.schema import FOREIGN_FIELDS
from ckdispatch import CodegenRunner, KernelConfig
from ckdispatch.cli import main as dispatcher
from ckdispatch.errors import InvalidArgument
from ckgen.cli import main as generator
from ckgen.core import foreign
from ckgen.core.export.plan import make_plan
from ckgen.core.export.systems import SYSTEMS
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
FILES = "Scripts and other files"
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


def test_every_foreign_file_is_on_the_page_with_its_answer() -> None:
    shown = {code(row[0])[0]: row[1] for row in rows(FILES)}
    for name in FAMILIES:
        command = shown.pop(f"unified_{name}_codegen.py", None)
        assert command in (None, f"`ckgen {name}`")
    assert shown == foreign.files(FAMILIES)


def test_lines_of_our_command_line_can_be_parsed() -> None:
    texts = [text for row in rows(FILES) for text in code(row[1])]
    lines = [text for text in texts if text.startswith("ckdispatch ")]
    assert len(lines) == 4
    for line in lines:
        dispatcher.build_parser().parse_args(shlex.split(line)[1:])


@pytest.mark.parametrize("row", rows("Options that are the same"), ids=lambda row: row[0])
def test_an_option_is_taken_with_its_values(row: list[str]) -> None:
    (said,) = code(row[0])
    family = next((name for name in FAMILIES if f"of `{name}`" in row[1]), "gemm")
    options = generator.build_parser().parse_args([family, *said.split()])
    assert options.run is not None


def test_every_receipt_of_the_page_is_a_profile() -> None:
    (row,) = (row for row in rows("Options that are the same") if "--profile" in row[0])
    named = [name for name in code(row[1].partition(" are ")[2]) if name.isidentifier()]
    family = FAMILIES[code(row[1])[0]]
    assert len(named) == 6 and set(named) <= family.profiles.keys()
    for option in ("--profile", "--receipt"):
        typed = [family.name, option, named[0]]
        assert generator.build_parser().parse_args(typed).profile == named[0]


def test_what_is_typed_to_compile_is_in_the_build_files() -> None:
    plan = make_plan([("a_kernel", ["gfx942"])], load_specs())
    written = {name: system.render(plan) for name, system in SYSTEMS.items()}
    targets = re.findall(r"^([\w. ]+):", written["makefile"], re.MULTILINE)
    assert {"all", "all_kernels", "clean", "a_kernel.o"} <= set(" ".join(targets).split())
    assert "[1/1] Building kernel: a_kernel" in written["makefile"]
    told = {name: row[1] for row in rows("Build files") for name in code(row[0])}
    assert told["CK_INCLUDE_DIR"] == "`CK_INCLUDE`" and "HIPCC=" in told["make CXX=hipcc"]
    assert code(told["libdispatcher_kernels.so"])[0] in written["makefile"]
    assert all("CK_INCLUDE" in text for text in written.values())
    assert all("HIPCC" in text for text in written.values())


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


def test_expressions_of_the_package_can_be_evaluated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    large = KernelConfig(tile_m=256, tile_n=256, tile_k=64)
    known = {"CodegenRunner": CodegenRunner, "ckarch": ckarch, "large": large}
    values = {
        said: eval(said, known)
        for row in rows("Python")
        for said in code(row[1])
        if "(" in said and said.partition("(")[0].split(".")[0] in known
    }
    validated, corrected, expanded, cxx_type, generated = values.values()
    assert validated and corrected.config.name == large.name
    assert len(expanded) > 4 and {config.tile for config in expanded} == {(256, 256, 64)}
    assert cxx_type == "ck_tile::half_t"
    assert generated.ok and len(generated.files) == 1


CONV = "grouped_conv_fwd_fp16_nhwgc_2d_compv3_cshuffle_intrawave_128x128x32_2x2x1_32x32x16"


@pytest.mark.parametrize("row", rows("Names of kernels"), ids=lambda row: row[0])
def test_a_name_is_taken_or_answered_with_ours(row: list[str]) -> None:
    ours = KernelConfig(tile_m=128).name if row[0].startswith("`gemm_") else CONV
    middle = ours.removeprefix("gemm_fp16_rcr_").removeprefix("grouped_conv_fwd_fp16_nhwgc_2d_")
    asked = code(row[0])[0].replace("…", middle)
    if row[1] == "the same":
        assert KernelConfig.parse(asked).name == asked
        return
    meant = code(row[1])[0].replace("…", middle)
    with pytest.raises(InvalidArgument, match=rf"[;,] (by rows )?it is called {meant}$"):
        KernelConfig.parse(asked)
    assert KernelConfig.parse(meant).validate("gfx942")
    if ours != CONV:
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
    "PRESHUFFLE_PIPELINES": {"preshufflev2"},
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


# The tables of AMD's module that its functions look into; those above are read as they are.
TABLES = {
    "ARCH_FAMILY_MAP",
    "DTYPE_COMBINATIONS",
    "ELEMENT_SIZE_MAP",
    "LDS_CAPACITY_LIMITS",
    "TRAIT_UNSUPPORTED_COMBINATIONS",
    "WARP_SUPPORTED_COMBINATIONS",
    "WARP_TILE_SUPPORTED_COMBINATIONS",
}


def test_every_fact_has_its_row() -> None:
    asked = [code(row[0]) for row in rows("Facts about GPUs")]
    assert [one[0].partition("(")[0].partition("[")[0] for one in asked] == [*FACTS]
    assert {name for one in asked for name in re.findall(r"[A-Z_]{9,}", one[-1])} == {
        *TABLES,
        *(name for name in FACTS if name.isupper()),
    }


def test_fields_of_amds_file_are_on_the_page() -> None:
    section = TEXT.split("\n## Facts about GPUs\n")[1]
    for theirs, ours in FOREIGN_FIELDS.items():
        assert f'`"{theirs}"`' in section and f"`{ours}`" in section


@pytest.mark.parametrize("row", rows("Facts about GPUs"), ids=lambda row: row[0])
def test_a_fact_is_the_same_here(row: list[str]) -> None:
    asked = code(row[0])[0].partition("(")[0].partition("[")[0]
    facts, (expression,) = load_specs(), code(row[1])
    found = eval(expression, {"facts": facts, "gpu": facts.gpu("gfx942")})
    expected = FACTS[asked]
    assert (set(found) if isinstance(expected, set) else found) == expected


def test_what_to_write_in_cpp_is_shown_elsewhere() -> None:
    written = [text for row in rows("C++") for text in code(row[1])]
    missing = [text for text in written if text.removeprefix("ckdispatch::") not in SHOWN]
    assert len(written) > 18 and missing == []
