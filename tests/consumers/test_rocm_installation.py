# SPDX-License-Identifier: MIT
"""A kernel is compiled with a folder that is laid out like a ROCm installation."""

from __future__ import annotations

from tests.consumers.nested_bazel import (
    Workspace,
    copy_repository,
    own_libraries,
    running,
    scratch_folder,
)
from tests.consumers.rocm_look_alike import make_rocm

NAME = "gemm_fp16_rcr_compv3_cshuffle_intrawave_False_False_False_False_64x64x64_2x2x1_32x32x16"


def test_the_same_compiler_in_a_rocm_layout_gives_the_same_library() -> None:
    with scratch_folder() as scratch:
        repository = copy_repository(scratch / "clone")
        with running(Workspace(repository, repository, scratch / "out")) as workspace:
            make_rocm(scratch / "rocm", workspace.bazel("run", "//rules:which_rocm").stdout)
            chosen = f"--repo_env=ROCM_PATH={scratch / 'rocm'}"
            workspace.bazel("build", "--disk_cache=", chosen, f"//kernels:{NAME}")
            built = workspace.files(f"//kernels:{NAME}", chosen)
            for name in (f"lib{NAME}.so", f"{NAME}.json"):
                assert built[name].read_bytes() == own_libraries()[name].read_bytes(), name
