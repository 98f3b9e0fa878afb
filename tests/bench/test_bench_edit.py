# SPDX-License-Identifier: MIT
import json
from collections.abc import Mapping

import pytest
from ckbench.edit import Edit, Rebuild, choose_edit
from ckbench.errors import BenchError
from ckbench.execution_log import Spawn
from ckbench.kernel_set import (
    KernelSet,
    declaration_file,
    load_arch,
    load_kernel_set,
    make_kernel_set,
)
from ckfamilies import REPOSITORY

GPU = "gfx942"
ARCH = load_arch(GPU)
LARGE = {"tile": [128, 128, 32], "waves": [2, 2, 1], "warp_tile": [32, 32, 16]}
SMALL = {"tile": [64, 64, 32], "waves": [2, 2, 1], "warp_tile": [32, 32, 16]}


def kernel_set(*entries: Mapping[str, object]) -> KernelSet:
    data = {
        "family": "gemm",
        "dtype": "fp16",
        "layout": "rcr",
        "kernels": [{"pipeline": "compv3", **entry} for entry in entries],
    }
    return make_kernel_set(data, ARCH, GPU)


def test_the_smallest_entry_is_edited() -> None:
    edit = choose_edit(kernel_set(LARGE, SMALL), ARCH, GPU)
    assert (edit.entry, edit.before, edit.after) == (2, None, (True, False, False))
    assert "_False_False_False_False_64x64x32_" in edit.old_kernel
    assert "_True_False_False_False_64x64x32_" in edit.new_kernel


def test_only_the_padding_of_that_entry_changes() -> None:
    kernels = kernel_set(LARGE, {**SMALL, "pad": [True, True, True]})
    edit = choose_edit(kernels, ARCH, GPU)
    assert edit.data["kernels"][0] == kernels.data["kernels"][0]
    assert edit.data["kernels"][1] == {**kernels.data["kernels"][1], "pad": [False, True, True]}
    assert {**edit.data, "kernels": None} == {**kernels.data, "kernels": None}


def test_an_edit_that_gives_a_kernel_of_another_entry_is_not_made() -> None:
    padded = {**SMALL, "pad": [True, False, False]}
    assert choose_edit(kernel_set(SMALL, padded, LARGE), ARCH, GPU).entry == 3


def test_a_declaration_without_anything_to_edit_is_refused() -> None:
    padded = {**SMALL, "pad": [True, False, False]}
    with pytest.raises(BenchError, match="No entry of the declaration can be edited"):
        choose_edit(kernel_set(SMALL, padded), ARCH, GPU)


def test_the_shipped_declaration_has_an_entry_to_edit() -> None:
    kernels = load_kernel_set(declaration_file(REPOSITORY), ARCH, GPU)
    edit = choose_edit(kernels, ARCH, GPU)
    edited = make_kernel_set(json.loads(json.dumps(edit.data)), ARCH, GPU)
    before, after = ({spec.name for spec in group.specs} for group in (kernels, edited))
    assert (before - after, after - before) == ({edit.old_kernel}, {edit.new_kernel})


def test_actions_of_other_kernels_are_unrelated() -> None:
    edit = Edit(1, None, (True, False, False), "old", "new", {})
    own = Spawn("CkCompile", "//kernels:new", False)
    manifest = Spawn("CkManifest", "//kernels:gemm_fp16_rcr_all", False)
    other = Spawn("CkLink", "//kernels:other", True)
    assert Rebuild(edit, (own, manifest)).unrelated == ()
    assert Rebuild(edit, (own, other, manifest)).unrelated == (other,)


def test_an_unknown_gpu_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BenchError, match=r"--gpu asks for 'gfx1'.*known GPUs are .*gfx942"):
        load_arch("gfx1")
