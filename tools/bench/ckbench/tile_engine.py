# SPDX-License-Identifier: MIT
"""The same kernel in the style of CK's tile_engine, written by tile_engine's own builder."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from ckgen.gemm.spec import GemmSpec, Pipeline, Variant
from ckgen.product.pipelines import PIPELINE_CLASSES

from ckbench.bazel import users_environment
from ckbench.errors import BenchError
from ckbench.process import run

TARGET = "@composable_kernel//:tile_engine"

_SOURCE = """\
#include "{header}"

extern "C" float run_gemm(const ck_tile::GemmHostArgs& args, const ck_tile::stream_config& stream)
{{
    return SelectedKernel::launch(args, stream);
}}
"""

# Of these CK cannot tell the name, which the builder's source would print.
_WITHOUT_A_NAME = (Pipeline.COMP_ASYNC,)


def find_builder(files: Sequence[Path]) -> Path:
    """The builder among tile_engine's files."""
    for file in files:
        if file.parts[-3:] == ("ops", "gemm", "gemm_instance_builder.py"):
            return file
    raise BenchError(
        "compile_ratio needs CK's tile_engine, which the Composable Kernel in use does not have; "
        "build without CKDISPATCH_CK, or give a checkout that has it."
    )


def write_source(builder: Path, spec: GemmSpec, gpu: str, source: Path) -> None:
    """Write ``source``, which instantiates the kernel, and beside it the builder's header."""
    source.parent.mkdir(parents=True, exist_ok=True)
    run(
        [sys.executable, str(builder), *builder_arguments(builder, spec, gpu, source.parent)],
        source.parent,
        {**users_environment(os.environ), "PYTHONDONTWRITEBYTECODE": "1"},
        f"tile_engine's builder for {spec.name}",
    )
    headers = list(source.parent.glob("gemm_single_*.hpp"))
    if len(headers) != 1:
        raise BenchError(f"tile_engine's builder wrote {len(headers)} headers for {spec.name}.")
    text = headers[0].read_text(encoding="utf-8")
    headers[0].write_text(with_pipeline(text, spec), encoding="utf-8")
    source.write_text(_SOURCE.format(header=headers[0].name), encoding="utf-8")


def with_pipeline(text: str, spec: GemmSpec) -> str:
    """The builder's header with what it left open because it does not know the pipeline."""
    classes = PIPELINE_CLASSES[spec.pipeline]
    text = text.replace("BaseGemmPipeline = None<", f"BaseGemmPipeline = {classes.base}<")
    text = text.replace("GemmPipeline = None<", f"GemmPipeline = {classes.pipeline}<")
    if spec.pipeline in _WITHOUT_A_NAME:
        text = text.replace("GemmKernel::GetName()", '""')
    needs = {
        "NumWaveGroups": str(classes.wave_groups),
        "DoubleSmemBuffer": str(classes.double_lds).lower(),
        "Preshuffle": str(spec.variant is Variant.PRESHUFFLE).lower(),
    }
    for name, value in needs.items():
        text, count = re.subn(rf"\b{name} = \w+;", f"{name} = {value};", text)
        if count != 1:
            raise BenchError(
                f"tile_engine's builder wrote a header that says {count} times what {name} is, and "
                f"{classes.pipeline} needs {value}; its kernel would not be the one to compare with."
            )
    return text


def builder_arguments(builder: Path, spec: GemmSpec, gpu: str, folder: Path) -> list[str]:
    """How the builder is told about ``spec``."""
    pads = f"{spec.pad_m}_{spec.pad_n}_{spec.pad_k}"
    # It takes the traits apart at each underscore.
    pipeline = str(spec.pipeline).replace("_", "")
    return [
        *("--working_path", str(folder)),
        *("--gpu_target", gpu),
        *("--datatype", str(spec.dtype_a)),
        *("--layout", str(spec.layout)),
        *("--config_json", str(builder.parent / "configs" / "default_config.json")),
        "--gen_single",
        *("--kernel_name", spec.name),
        *("--tile_config", f"{spec.tile}_{spec.waves}_{spec.warp_tile}"),
        *(
            "--trait_combo",
            f"{pipeline}_{spec.epilogue}_{spec.scheduler}_{pads}_{spec.persistent}",
        ),
    ]
