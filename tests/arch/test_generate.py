# SPDX-License-Identifier: MIT
"""What is generated from the specs says the same as the specs, in every language."""

from __future__ import annotations

import json
import runpy
import shutil
from pathlib import Path
from typing import Any

import pytest
from arch_support import (
    MADE_UP_GPU,
    REPOSITORY,
    SPECS,
    cpp_tables,
    document,
    with_made_up_gpu,
    write,
)
from archgen.cli import main
from ckarch import load_specs

SHARED = ("dtypes", "dtype_combinations", "pipelines", "unsupported_traits", "architectures")


def _cpp_tables(specs: Path, folder: Path) -> dict[str, Any]:
    """The tables of the header generated from ``specs``, as a compiled C++ program sees them."""
    (folder / "arch").mkdir()
    shutil.copy(REPOSITORY / "arch" / "arch_types.hpp", folder / "arch")
    assert main(["--specs", str(specs), "--cpp", f"{folder}/arch/arch_specs.hpp"]) == 0
    return cpp_tables("dump_specs", folder)


def _sorted_traits(tables: dict[str, Any]) -> dict[str, Any]:
    traits = sorted(tables["unsupported_traits"], key=json.dumps)
    return {**{key: tables[key] for key in SHARED}, "unsupported_traits": traits}


def test_the_python_module_holds_the_document(tmp_path: Path) -> None:
    module = tmp_path / "generated.py"
    assert main(["--specs", str(SPECS), "--python", str(module)]) == 0
    assert runpy.run_path(str(module))["DOCUMENT"] == document()


def test_the_cpp_header_holds_the_tables(tmp_path: Path) -> None:
    assert _sorted_traits(_cpp_tables(SPECS, tmp_path)) == _sorted_traits(document())


def test_the_cpp_header_does_not_depend_on_the_order_of_fields(tmp_path: Path) -> None:
    specs = document()
    gpus = specs["architectures"]
    for name in gpus:
        gpus[name] = dict(reversed(gpus[name].items()))
    reordered, original = tmp_path / "reordered.hpp", tmp_path / "original.hpp"
    assert main(["--specs", str(write(specs, tmp_path)), "--cpp", str(reordered)]) == 0
    assert main(["--specs", str(SPECS), "--cpp", str(original)]) == 0
    assert reordered.read_text("utf-8") == original.read_text("utf-8")


def test_the_shorthands_match_the_specs_exactly(tmp_path: Path) -> None:
    fresh = tmp_path / "gpus.bazelrc"
    assert main(["--specs", str(SPECS), "--bazelrc", str(fresh)]) == 0
    checked_in = REPOSITORY / "arch" / "gpus.bazelrc"
    assert checked_in.read_text("utf-8") == fresh.read_text("utf-8")


def test_there_is_one_shorthand_per_gpu() -> None:
    lines = (REPOSITORY / "arch" / "gpus.bazelrc").read_text("utf-8").splitlines()
    shorthands = [line for line in lines if not line.startswith("#")]
    gpus = load_specs(SPECS).gpus
    assert shorthands == [f"build:{gpu} --//arch:gpus={gpu}" for gpu in gpus]


def test_generating_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    outputs = []
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        arguments = ["--specs", str(SPECS), "--python", f"{folder}/p", "--cpp", f"{folder}/c"]
        assert main(arguments) == 0
        outputs.append([(folder / file).read_bytes() for file in ("p", "c")])
    assert outputs[0] == outputs[1]


def test_specs_with_a_problem_generate_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    specs = document()
    specs["architectures"]["gfx942"]["wave_size"] = 48
    path = write(specs, tmp_path)
    output = tmp_path / "out.py"
    assert main(["--specs", str(path), "--python", str(output)]) == 1
    assert capsys.readouterr().err.splitlines() == [
        f"{path}: 1 problem in the GPU specs",
        "architectures.gfx942.wave_size: expected 32 or 64, got 48",
    ]
    assert list(tmp_path.iterdir()) == [path]


def test_an_output_that_cannot_be_written_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "nowhere" / "out.py"
    assert main(["--specs", str(SPECS), "--python", str(output)]) == 1
    assert capsys.readouterr().err == f"cannot write {output}: No such file or directory.\n"


def test_a_made_up_gpu_is_loaded_from_an_edited_copy_of_the_specs(tmp_path: Path) -> None:
    specs = load_specs(write(with_made_up_gpu(), tmp_path))
    assert specs.gpus == (*load_specs(SPECS).gpus, MADE_UP_GPU)
    gpu = specs.gpu(MADE_UP_GPU)
    assert gpu.wave_layouts == ((1, 2, 1), (16, 1, 1))
    assert gpu.warp_tiles["fp16_fp16_fp32"] == ((48, 48, 24),)


def test_a_made_up_gpu_is_in_everything_generated(tmp_path: Path) -> None:
    specs = with_made_up_gpu()
    path = write(specs, tmp_path)
    module, shorthands = tmp_path / "generated.py", tmp_path / "gpus.bazelrc"
    arguments = ["--specs", str(path), "--python", str(module), "--bazelrc", str(shorthands)]
    assert main(arguments) == 0
    assert runpy.run_path(str(module))["DOCUMENT"] == specs
    assert f"build:{MADE_UP_GPU} --//arch:gpus={MADE_UP_GPU}\n" in shorthands.read_text("utf-8")
    assert _sorted_traits(_cpp_tables(path, tmp_path)) == _sorted_traits(specs)
