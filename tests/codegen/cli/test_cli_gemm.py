# SPDX-License-Identifier: MIT
"""The ``gemm`` command: listing, explaining, generating."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ckgen.cli.main import main
from ckgen.gemm.names import parse_name
from ckgen.gemm.spec import Variant
from codegen_support import BASE, BASE_NAME, ENTRY, declaration

SET = "gemm_fp16_rcr_essential"


def gemm(*arguments: str) -> int:
    return main(["gemm", *arguments])


def write(folder: Path, data: Any) -> str:
    path = folder / "set.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return str(path)


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_list_prints_names_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert gemm("--gpu-target", "gfx942", "--preselected", SET, "--list") == 0
    names = capsys.readouterr().out.splitlines()
    assert len(names) == 6 and BASE_NAME in names
    assert files(tmp_path) == set()


def test_the_catalogue_is_listed_for_a_dtype_and_a_layout(
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = ("--datatype", "fp16", "--layout", "rcr", "--variants", "standard", "--list")
    assert gemm("--gpu-target", "gfx942", *options) == 0
    names = capsys.readouterr().out.splitlines()
    assert BASE_NAME in names
    assert len(names) == len(set(names)) > 500


@pytest.mark.parametrize("variant", Variant)
def test_the_catalogue_has_kernels_of_every_variant(
    capsys: pytest.CaptureFixture[str], variant: Variant
) -> None:
    options = ("--datatype", "fp16", "--layout", "rcr", "--variants", variant.value, "--list")
    assert gemm("--gpu-target", "gfx942", *options) == 0
    names = capsys.readouterr().out.splitlines()
    assert {parse_name(name).variant for name in names} == {variant}


def test_several_layouts_can_be_listed_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--datatype", "bf16", "--layout", "rrr", "crr", "--list")
    assert gemm("--gpu-target", "gfx1201", *options) == 0
    layouts = {name.split("_")[2] for name in capsys.readouterr().out.splitlines()}
    assert layouts == {"rrr", "crr"}


def test_a_list_as_json_has_specs_and_gpus(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--preselected", SET, "--list", "--json")
    assert gemm("--gpu-target", "gfx942,gfx1100", *options) == 0
    kernels = {kernel["name"]: kernel for kernel in json.loads(capsys.readouterr().out)}
    assert kernels[BASE_NAME]["gpus"] == ["gfx942"]
    assert kernels[BASE_NAME]["spec"] == BASE.to_json()
    assert {gpu for kernel in kernels.values() for gpu in kernel["gpus"]} == {"gfx942", "gfx1100"}


def test_kernels_that_the_gpu_cannot_run_are_left_out_and_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert gemm("--gpu-target", "gfx1100", "--preselected", SET, "--list") == 0
    printed = capsys.readouterr()
    assert len(printed.out.splitlines()) == 3
    assert printed.err == "ckgen: left out 6 kernels that are legal on none of gfx1100\n"


def test_an_empty_selection_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, declaration(ENTRY))
    assert gemm("--gpu-target", "gfx1100", "--declaration", path, "--list") == 1
    assert "none of its 1 kernels is legal on gfx1100" in capsys.readouterr().err


def test_set_level_options_narrow_a_set(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--gpu-target", "gfx942", "--preselected", SET, "--list")
    assert gemm(*options, "--datatype", "fp16", "--layout", "rcr") == 0
    assert len(capsys.readouterr().out.splitlines()) == 6
    assert gemm(*options, "--layout", "rrr") == 1
    assert "has layout rrr" in capsys.readouterr().err


def test_generating_says_a_line_for_each_kernel(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--gpu-target", "gfx942", "--preselected", SET, "--output-dir", str(tmp_path))
    assert gemm(*options, "--jobs", "1") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("[1/6] generated gemm_fp16_rcr_compv4_")
    assert [line.split(" ")[0] for line in lines[:6]] == [f"[{n}/6]" for n in range(1, 7)]
    assert lines[6] == f"6 kernels in {tmp_path}: 6 written, 0 unchanged"
    assert len(files(tmp_path)) == 6 and f"{BASE_NAME}.cpp" in files(tmp_path)
    assert gemm(*options) == 0
    again = capsys.readouterr().out.splitlines()
    assert again[0].startswith("[1/6] unchanged gemm_")
    assert again[6] == f"6 kernels in {tmp_path}: 0 written, 6 unchanged"


def test_generating_as_json_keeps_progress_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--gpu-target", "gfx942", "--preselected", SET, "--output-dir", str(tmp_path))
    assert gemm(*options, "--json", "--generate-ninja") == 0
    printed = capsys.readouterr()
    summary = json.loads(printed.out)
    assert (summary["written"], summary["unchanged"], len(summary["kernels"])) == (6, 0, 6)
    assert str(tmp_path / "build.ninja") in summary["build_files"]
    assert "[6/6] generated" in printed.err


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("--generate-cmake", "CMakeLists.txt"),
        ("--generate-ninja", "build.ninja"),
        ("--generate-makefile", "Makefile"),
    ],
)
def test_a_build_file_is_written_with_what_it_needs(tmp_path: Path, option: str, name: str) -> None:
    path = write(tmp_path, declaration(ENTRY))
    out = tmp_path / "out folder"
    options = ("--gpu-target", "gfx942", "--declaration", path, "--output-dir", str(out))
    assert gemm(*options, option) == 0
    written = files(out)
    assert {name, "all_kernels.cpp", f"{BASE_NAME}.cpp", "include/ck_kernel_abi.h"} <= written
    assert {"CMakeLists.txt", "build.ninja", "Makefile"} & written == {name}
    assert "out folder" not in (out / name).read_text(encoding="utf-8"), "the folder can be moved"


def test_a_failure_leaves_nothing_behind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, declaration(ENTRY, {**ENTRY, "waves": [3, 1, 1]}))
    out = tmp_path / "out"
    options = ("--gpu-target", "gfx942", "--declaration", path, "--output-dir", str(out))
    assert gemm(*options) == 1
    assert not out.exists()
    assert "entry 2" in capsys.readouterr().err


def test_an_output_folder_that_cannot_be_made_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    out = tmp_path / "file" / "out"
    options = ("--gpu-target", "gfx942", "--preselected", SET, "--output-dir", str(out))
    assert gemm(*options, "--jobs", "1") == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith(f"ckgen: {out}/gemm_fp16_rcr_") and last.endswith(": Not a directory")


def test_explain_lists_every_rule_of_a_legal_kernel(capsys: pytest.CaptureFixture[str]) -> None:
    assert gemm("--gpu-target", "gfx942", "--explain", BASE_NAME) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{BASE_NAME} on gfx942"
    assert all(line.startswith("  passed    gemm.") for line in lines[1:-1])
    assert lines[-1] == f"legal on gfx942: {len(lines) - 2} rules passed"


def test_explain_names_violations_and_the_nearest_legal_kernel(
    capsys: pytest.CaptureFixture[str],
) -> None:
    name = BASE_NAME.replace("128x128x32", "128x96x32").replace("compv4", "compv5")
    assert gemm("--gpu-target", "gfx942", "--explain", name) == 1
    printed = capsys.readouterr()
    violated = [line for line in printed.out.splitlines() if line.startswith("  VIOLATED")]
    assert [line.split()[1] for line in violated] == [
        "gemm.wave_k:",
        "gemm.compv5_epilogue:",
        "gemm.tile_divisible:",
    ]
    last = printed.out.splitlines()[-1]
    assert last.startswith("the nearest legal choice is tile 128x")
    assert printed.err == f"ckgen: {name} is not legal on gfx942\n"
    suggested = last.rsplit(" ", 1)[1]
    assert gemm("--gpu-target", "gfx942", "--explain", suggested) == 0


def test_explain_takes_a_spec_or_an_entry_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    entry = {**ENTRY, "dtype": "fp16", "layout": "rcr"}
    for text in (json.dumps(BASE.to_json()), json.dumps(entry)):
        assert gemm("--gpu-target", "gfx942", "--explain", text, "--json") == 0
        (explanation,) = json.loads(capsys.readouterr().out)
        assert explanation["name"] == BASE_NAME and explanation["legal"]
        assert explanation["nearest"] is None
        assert all(rule["passed"] for rule in explanation["rules"])


def test_explain_judges_each_gpu(capsys: pytest.CaptureFixture[str]) -> None:
    assert gemm("--gpu-target", "gfx942", "gfx1100", "--explain", BASE_NAME, "--json") == 1
    first, second = json.loads(capsys.readouterr().out)
    assert (first["legal"], second["legal"]) == (True, False)
    assert second["nearest"]["change"] == "waves 2x4x1 and warp_tile 16x16x16"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("nonsense", "'nonsense' is not the name of a GEMM kernel"),
        ("{", "--explain: not valid JSON"),
        ('{"tile": "*"}', "the field 'dtype' is missing"),
        (json.dumps({**ENTRY, "dtype": "fp16", "layout": "*"}), "--explain takes one kernel"),
        (json.dumps({**ENTRY, "dtype": "fp99", "layout": "rcr"}), "field 'dtype'"),
    ],
)
def test_explain_refuses_what_is_no_kernel(
    capsys: pytest.CaptureFixture[str], text: str, complaint: str
) -> None:
    assert gemm("--gpu-target", "gfx942", "--explain", text) == 1
    assert complaint in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--gpu-target", "gfx1", "--preselected", SET, "--list"), "there is no GPU 'gfx1'"),
        (
            ("--gpu-target", "gfx942", "--preselected", "x", "--list"),
            "there is no set 'x'; there is gemm_fp16_rcr_all, gemm_fp16_rrr_all, ",
        ),
        (("--gpu-target", "gfx942", "--preselected", SET), "--output-dir is needed"),
        ((), "--output-dir is needed"),
    ],
)
def test_a_request_that_makes_no_sense_exits_with_2(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], complaint: str
) -> None:
    assert gemm(*arguments) == 2
    assert complaint in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("gemm", "--gpu-target", "gfx942", "--jobs", "0"),
        ("gemm", "--gpu-target", "gfx942", "--jobs", "many"),
        ("gemm", "--gpu-target", "gfx942", "--preselected", SET, "--declaration", "x"),
        ("gemm", "--gpu-target", "gfx942", "--pre", SET),
        ("conv",),
    ],
)
def test_a_command_line_that_cannot_be_read_exits_with_2(arguments: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as exit_status:
        main(arguments)
    assert exit_status.value.code == 2


def test_what_is_not_said_is_filled_in_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    all_said = ("--gpu-target", "gfx942", "--datatype", "fp16", "--layout", "rcr")
    printed = []
    for said in ((), all_said):
        assert gemm("--variants", "preshuffle", "--list", *said) == 0
        printed.append(capsys.readouterr())
    assert printed[0].out == printed[1].out and printed[1].err == ""
    assert printed[0].err == f"ckgen: as nothing else was said: {' '.join(all_said)}\n"


def test_what_a_set_says_is_not_filled_in(capsys: pytest.CaptureFixture[str]) -> None:
    assert gemm("--preselected", "gemm_bf16_rrr_all", "--list") == 0
    printed = capsys.readouterr()
    assert {tuple(name.split("_")[1:3]) for name in printed.out.splitlines()} == {("bf16", "rrr")}
    assert printed.err.startswith("ckgen: as nothing else was said: --gpu-target gfx942\n")


def test_a_set_may_be_called_without_its_family(capsys: pytest.CaptureFixture[str]) -> None:
    lists = []
    for name in (SET, SET.removeprefix("gemm_")):
        assert gemm("--gpu-target", "gfx942", "--preselected", name, "--list") == 0
        lists.append(capsys.readouterr().out)
    assert lists[0] == lists[1] != ""


def test_an_unknown_dtype_or_variant_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--gpu-target", "gfx942", "--layout", "rcr", "--list")
    assert gemm(*options, "--datatype", "fp99") == 2
    assert "--datatype: expected one of fp16" in capsys.readouterr().err
    assert gemm(*options, "--datatype", "fp16", "--variants", "shuffled") == 2
    assert "--variants: expected one of standard, batched" in capsys.readouterr().err
