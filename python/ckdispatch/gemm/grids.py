# SPDX-License-Identifier: MIT
"""Maps of products over M and N, one for each K: what a page of kernels asks who wins where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ckdispatch.config.values import arch_specs
from ckdispatch.gemm.problem import GemmProblem
from ckdispatch.gemm.weights import read_block
from ckdispatch.report.grid import Axis, Grid

_M = Axis("M", (1, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192))
_N = Axis("N", (64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384))
_K = Axis("K", (512, 2048, 8192))

_WORDS = {"dtype_a": "dtype", "dtype_b": "dtype_b", "dtype_c": "dtype_c", "layout": "layout"}
_FUSED = ("fused_op", "d_count", "d_layout", "dtype_d")


def grids(specs: Sequence[Mapping[str, Any]], gpu: str) -> Iterator[Grid]:
    """A map for each kind of product that some kernels of these specs compute. Products of several
    sizes are on none.
    """
    seen = set()
    for spec in specs:
        words = {word: spec[field] for field, word in _WORDS.items()}
        if spec["fused_op"] != "PassThrough":
            words.update({field: spec[field] for field in _FUSED})
        if spec["variant"] == "preshuffle":
            words["weights"] = "x".join(map(str, read_block(spec["warp_tile"], gpu)))
        kind = tuple(sorted(words.items()))
        if spec["variant"] != "grouped" and kind not in seen:
            seen.add(kind)
            yield _grid(words, {field: spec[field] for field in _WORDS})


def _grid(words: Mapping[str, Any], common: Mapping[str, str]) -> Grid:
    def problem(m: int, n: int, k: int) -> GemmProblem:
        return GemmProblem(m, n, k, **words)

    return Grid(_title(words), _M, _N, _K, problem, common)


def _title(words: Mapping[str, Any]) -> str:
    """The words of the problems without those that say what is usual."""
    usual = arch_specs().dtype_combination(words["dtype"], words["dtype_b"]).output
    left_out = {"dtype_b": words["dtype"], "dtype_c": usual, "dtype_d": words["dtype_c"]}
    said = {name: value for name, value in words.items() if left_out.get(name) != value}
    return GemmProblem(1, 1, 1, **said).text.partition(" ")[2]
