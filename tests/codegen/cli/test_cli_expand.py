# SPDX-License-Identifier: MIT
"""``expand`` and ``render``, as build systems call them."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import ckarch
import pytest
from ckgen.cli.main import main
from codegen_support import ARCH, BASE, BASE_NAME, ENTRY, declaration


def write(folder: Path, data: Any, name: str = "set.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def expand(folder: Path, data: Any, *options: str) -> tuple[int, Path]:
    output = folder / "out.json"
    source = write(folder, data)
    arguments = ["expand", "--declaration", str(source), "--output", str(output), *options]
    return main(arguments), output


def read_sets(path: Path) -> list[dict[str, Any]]:
    sets: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["sets"]
    return sets


def test_every_set_of_a_declaration_is_in_the_output(tmp_path: Path) -> None:
    small = {**ENTRY, "tile": [64, 64, 32], "subsets": ["small"]}
    sets = {
        "mine_{dtype}": {"dtype": ["fp16", "bf16"]},
        "small": {"dtype": "fp16", "subset": "small"},
    }
    data = declaration(ENTRY, small, dtype=["fp16", "bf16"], sets=sets)
    status, output = expand(tmp_path, data, "--set", "unused")
    assert status == 0
    found = {one["set"]: [kernel["name"] for kernel in one["kernels"]] for one in read_sets(output)}
    assert list(found) == ["mine_fp16", "mine_bf16", "small"]
    assert [len(names) for names in found.values()] == [2, 2, 1]
    assert found["mine_fp16"][0] == BASE_NAME
    assert found["small"] == [BASE_NAME.replace("128x128x32", "64x64x32")]


def test_the_output_has_the_kernels_with_their_gpus(tmp_path: Path) -> None:
    status, output = expand(tmp_path, declaration(ENTRY, forbid_spills=True))
    assert status == 0
    (data,) = read_sets(output)
    assert {key: data[key] for key in ("set", "family", "forbid_spills", "errors", "dropped")} == {
        "set": "set",
        "family": "gemm",
        "forbid_spills": True,
        "errors": [],
        "dropped": {},
    }
    (kernel,) = data["kernels"]
    assert kernel["name"] == BASE_NAME
    assert kernel["spec"] == BASE.to_json()
    assert kernel["gpus"] == ["gfx908", "gfx90a", "gfx942", "gfx950"]
    assert list(kernel["refused"]) == ["gfx1100", "gfx1200", "gfx1201"]
    assert kernel["entry"] == f"{tmp_path / 'set.json'}, entry 1"


def test_names_for_the_set_and_the_file_can_be_given(tmp_path: Path) -> None:
    options = ("--set", "mine", "--display-name", "kernels/x.json")
    _, output = expand(tmp_path, declaration(ENTRY), *options)
    (data,) = read_sets(output)
    assert data["set"] == "mine"
    assert data["kernels"][0]["entry"] == "kernels/x.json, entry 1"


def test_an_error_fails_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = {**ENTRY, "tile": [100, 128, 32]}
    status, output = expand(tmp_path, declaration(ENTRY, bad), "--display-name", "k.json")
    assert status == 1
    assert not output.exists()
    error = capsys.readouterr().err
    assert error.startswith("ckgen: k.json, entry 2: gemm_fp16_rcr_compv4")
    assert "gemm.tile_divisible: tile 100x128x32 is not a multiple of 64x64x16" in error


def test_errors_can_be_data(tmp_path: Path) -> None:
    bad = {**ENTRY, "tile": [100, 128, 32]}
    status, output = expand(tmp_path, declaration(ENTRY, bad), "--errors-as-data")
    assert status == 0
    (data,) = read_sets(output)
    assert [kernel["name"] for kernel in data["kernels"]] == [BASE_NAME]
    assert len(data["errors"]) == 1 and "entry 2" in data["errors"][0]


@pytest.mark.parametrize("data", [[], {"family": "nothing"}, declaration()])
def test_a_hopeless_declaration_can_be_data_too(tmp_path: Path, data: Any) -> None:
    status, output = expand(tmp_path, data, "--errors-as-data")
    assert status == 0
    (written,) = read_sets(output)
    assert written["kernels"] == [] and len(written["errors"]) == 1
    assert expand(tmp_path, data)[0] == 1


def test_another_arch_table_is_used_where_given(tmp_path: Path) -> None:
    arch = json.loads(_project_specs())
    arch["architectures"] = {"gfx942": arch["architectures"]["gfx942"]}
    path = write(tmp_path, arch, "arch.json")
    status, output = expand(tmp_path, declaration(ENTRY), "--arch-specs", str(path))
    assert status == 0
    (kernel,) = read_sets(output)[0]["kernels"]
    assert (kernel["gpus"], kernel["refused"]) == (["gfx942"], {})


def test_a_missing_arch_table_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _ = expand(tmp_path, declaration(ENTRY), "--arch-specs", str(tmp_path / "no.json"))
    assert status == 1
    assert "no.json" in capsys.readouterr().err


def test_expanding_needs_no_template_engine(tmp_path: Path) -> None:
    source, output = write(tmp_path, declaration(ENTRY)), tmp_path / "out.json"
    program = (
        "import sys\n"
        "from ckgen.cli.main import main\n"
        "status = main(['expand', '--declaration', sys.argv[1], '--output', sys.argv[2]])\n"
        "sys.exit(3 if 'jinja2' in sys.modules else status)\n"
    )
    command = [sys.executable, "-c", program, str(source), str(output)]
    assert subprocess.run(command, check=False).returncode == 0
    assert output.exists()


def test_render_writes_the_source_of_an_expanded_kernel(tmp_path: Path) -> None:
    _, expanded = expand(tmp_path, declaration(ENTRY))
    spec = read_sets(expanded)[0]["kernels"][0]["spec"]
    output = tmp_path / "x.cpp"
    assert main(["render", "--spec", str(write(tmp_path, spec)), "--output", str(output)]) == 0
    assert output.read_text(encoding="utf-8").startswith(f"// {BASE_NAME}\n")


@pytest.mark.parametrize(
    ("spec", "status", "complaint"),
    [
        ({**BASE.to_json(), "tile": [1, 2]}, 1, "the spec's field 'tile' is wrong"),
        ({**BASE.to_json(), "family": "x"}, 2, "there is no kernel family 'x'"),
        ([], 1, "expected a JSON object, not []"),
    ],
)
def test_render_refuses_what_is_no_spec_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], spec: Any, status: int, complaint: str
) -> None:
    output = tmp_path / "x.cpp"
    got = main(["render", "--spec", str(write(tmp_path, spec)), "--output", str(output)])
    assert (got, output.exists()) == (status, False)
    assert complaint in capsys.readouterr().err


def test_nearest_names_a_legal_kernel_for_each_gpu(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = str(write(tmp_path, BASE.to_json()))
    assert main(["nearest", "--spec", spec, "--gpus", "gfx1100", "gfx942"]) == 0
    elsewhere, here = capsys.readouterr().out.splitlines()
    assert elsewhere.startswith("The nearest legal choice on gfx1100 is ")
    assert here == "It is legal on gfx942."
    assert main(["nearest", "--spec", spec, "--gpus", "gfx942", "gfx1"]) == 2
    said = capsys.readouterr()
    assert said.err.startswith("ckgen: there is no GPU 'gfx1'; there is gfx908, ")
    assert said.out == ""


def _project_specs() -> str:
    """The arch table as JSON text, from whichever form this environment has."""
    try:
        generated = importlib.import_module("ckarch._generated")
    except ModuleNotFoundError:
        folder = Path(ckarch.__file__).parent.parent
        return (folder / "arch_specs.json").read_text(encoding="utf-8")
    return json.dumps(generated.DOCUMENT)


def test_the_project_table_is_the_one_in_use() -> None:
    assert tuple(json.loads(_project_specs())["architectures"]) == ARCH.gpus
