# SPDX-License-Identifier: MIT
"""What ``load_specs`` gives to Python."""

from __future__ import annotations

import dataclasses
import pickle
import subprocess
import sys

import pytest
from arch_support import SPECS, document
from ckarch import ArchSpecs, Fp8Encoding, MatrixIsa, UnknownNameError, load_specs


@pytest.fixture(name="specs", scope="module")
def _specs() -> ArchSpecs:
    return load_specs(SPECS)


def test_gpus_come_in_the_order_of_the_file(specs: ArchSpecs) -> None:
    assert specs.gpus == tuple(document()["architectures"])


def test_without_a_path_the_projects_own_specs_are_loaded(specs: ArchSpecs) -> None:
    assert load_specs() == specs


def test_every_gpu_field_has_the_value_of_the_file(specs: ArchSpecs) -> None:
    for name, fields in document()["architectures"].items():
        gpu = dataclasses.asdict(specs.gpu(name))
        assert gpu.pop("name") == name
        for table in (name for name in fields if name.endswith("warp_tiles")):
            gpu[table] = {key: [list(row) for row in rows] for key, rows in gpu[table].items()}
        gpu["wave_layouts"] = [list(row) for row in gpu["wave_layouts"]]
        gpu["pipelines"] = list(gpu["pipelines"])
        gpu["buffer_atomic_adds"] = list(gpu["buffer_atomic_adds"])
        assert gpu == fields


def test_closed_choices_are_enums(specs: ArchSpecs) -> None:
    assert specs.gpu("gfx942").matrix_isa is MatrixIsa.MFMA
    assert specs.gpu("gfx942").fp8_encoding is Fp8Encoding.FNUZ
    assert specs.gpu("gfx1201").matrix_isa is MatrixIsa.WMMA
    assert specs.gpu("gfx1201").fp8_encoding is Fp8Encoding.OCP


def test_an_unknown_gpu_is_refused_with_the_known_ones(specs: ArchSpecs) -> None:
    with pytest.raises(UnknownNameError) as caught:
        specs.gpu("gfx943")
    assert str(caught.value) == f"unknown GPU 'gfx943'; known ones: {', '.join(specs.gpus)}."


def test_an_unknown_dtype_and_pipeline_are_refused_by_name(specs: ArchSpecs) -> None:
    with pytest.raises(UnknownNameError, match=r"^unknown dtype 'fp15'; known ones: fp16, "):
        specs.dtype("fp15")
    with pytest.raises(UnknownNameError, match=r"^unknown pipeline 'compv9'; known ones: mem, "):
        specs.pipeline("compv9")


@pytest.mark.parametrize(
    ("a", "b", "key", "output"),
    [
        ("fp16", "fp16", "fp16_fp16_fp32", "fp16"),
        ("bf16", "bf16", "bf16_bf16_fp32", "bf16"),
        ("fp32", "fp32", "fp32_fp32_fp32", "fp32"),
        ("fp8", "bf8", "fp8_bf8_fp32", "fp16"),
        ("bf8", "bf8", "bf8_bf8_fp32", "fp16"),
        ("int8", "int8", "int8_int8_int32", "int32"),
    ],
)
def test_a_dtype_pair_has_an_accumulator_and_an_output(
    specs: ArchSpecs, a: str, b: str, key: str, output: str
) -> None:
    combination = specs.dtype_combination(a, b)
    assert (combination.key, combination.output) == (key, output)


def test_a_dtype_pair_that_cannot_be_multiplied_is_refused(specs: ArchSpecs) -> None:
    with pytest.raises(UnknownNameError, match=r"^dtypes 'fp16' x 'fp8' cannot be multiplied; "):
        specs.dtype_combination("fp16", "fp8")


def test_a_pipeline_with_two_buffers_halves_the_lds(specs: ArchSpecs) -> None:
    gpu = specs.gpu("gfx950")
    assert gpu.lds_limit(specs.pipeline("compv3")) == 160 * 1024
    assert gpu.lds_limit(specs.pipeline("compv4")) == 80 * 1024


def test_specs_cannot_be_changed(specs: ArchSpecs) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        specs.gpu("gfx942").wave_size = 32  # type: ignore[misc]  # refused at run time too
    with pytest.raises(TypeError):
        specs.gpu("gfx942").warp_tiles["fp16_fp16_fp32"] = ()  # type: ignore[index]  # refused at run time too


def test_specs_survive_a_trip_to_another_process(specs: ArchSpecs) -> None:
    copy = pickle.loads(pickle.dumps(specs))
    assert copy == specs
    assert hash(copy) == hash(specs)


def test_only_the_standard_library_is_imported() -> None:
    program = (
        "import sys, ckarch; ckarch.load_specs();"
        "print(*{name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names))"
    )
    found = subprocess.run(
        [sys.executable, "-S", "-c", program],
        env={"PYTHONPATH": ":".join(filter(None, sys.path))},
        capture_output=True,
        check=True,
        text=True,
    )
    assert set(found.stdout.split()) - {"__main__"} == {"ckarch"}
