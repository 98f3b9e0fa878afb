# SPDX-License-Identifier: MIT
"""The same kernel in the style of CK's tile_engine, written by tile_engine's own builder."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from ckgen.core.spec import KernelSpec
from ckgen.gemm.spec import GemmSpec, Variant
from ckgen.product.pipelines import PIPELINE_CLASSES
from ckgen.product.spec import Pipeline

from ckbench.bazel import users_environment
from ckbench.errors import BenchError
from ckbench.process import run
from ckbench.rival import find_program

NAME = "tile_engine"
"""What it is called in tables."""

TARGET = "@composable_kernel//:tile_engine"

_BUILDER = "tile_engine/ops/gemm/gemm_instance_builder.py"

_SOURCE = """\
#include "{header}"

extern "C" float run_gemm(const ck_tile::GemmHostArgs& args, const ck_tile::stream_config& stream)
{{
    return SelectedKernel::launch(args, stream);
}}
"""

# Of these CK cannot tell the name, which the builder's source would print.
_WITHOUT_A_NAME = (Pipeline.COMP_ASYNC,)


@dataclass(frozen=True)
class TileEngine:
    """CK's tile_engine, of which ``program`` is the builder of GEMM kernels."""

    program: Path
    gpu: str
    name: str = field(default=NAME, init=False)
    path_in_ck: str = field(default=_BUILDER, init=False)
    flags: tuple[str, ...] = field(default=(), init=False)

    def writes(self, spec: KernelSpec) -> bool:
        """All of them: what the builder does not know is put into what it writes."""
        return True

    def write_source(self, spec: KernelSpec, source: Path) -> None:
        """Write ``source``, and beside it the builder's header."""
        gemm = cast(GemmSpec, spec)
        run(
            [
                sys.executable,
                str(self.program),
                *builder_arguments(self.program, gemm, self.gpu, source.parent),
            ],
            source.parent,
            {**users_environment(os.environ), "PYTHONDONTWRITEBYTECODE": "1"},
            f"tile_engine's builder for {spec.name}",
        )
        headers = list(source.parent.glob("gemm_single_*.hpp"))
        if len(headers) != 1:
            raise BenchError(f"tile_engine's builder wrote {len(headers)} headers for {spec.name}.")
        text = headers[0].read_text(encoding="utf-8")
        headers[0].write_text(with_pipeline(text, gemm), encoding="utf-8")
        source.write_text(_SOURCE.format(header=headers[0].name), encoding="utf-8")


def find_tile_engine(files: Sequence[Path], gpu: str) -> TileEngine:
    """tile_engine, of which these are the files."""
    builder = find_program(files, _BUILDER)
    if builder is None:
        raise BenchError(
            "compile_ratio needs CK's tile_engine, which the Composable Kernel in use does not "
            "have; build without CKDISPATCH_CK, or give a checkout that has it."
        )
    return TileEngine(builder, gpu)


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
                f"{classes.pipeline} needs {value}; "
                "its kernel would not be the one to compare with."
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
        *("--trait_combo", f"{pipeline}_{spec.epilogue}_{spec.scheduler}_{pads}_{spec.persistent}"),
    ]
