# SPDX-License-Identifier: MIT
"""Tables of others with times of matrix products: kernels by AMD's names, and the best times that
are known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache

from ckdispatch.config.values import arch_specs
from ckdispatch.errors import InvalidArgument
from ckdispatch.gemm.config import GemmConfig
from ckdispatch.gemm.problem import GemmProblem
from ckdispatch.measurements.glitches import shares
from ckdispatch.measurements.importer import Imported, Importer
from ckdispatch.measurements.row import IMPORTED, Row
from ckdispatch.measurements.sheet import Line, Sheet
from ckdispatch.problem import Problem

_SIZES = ("m", "n", "k")

# Kernels by name: the fastest of a shape, and the one that a model picked.

_THEIRS, _OURS = "gemm_universal_", "gemm_"
_NAMED = (("oracle_best_kernel", "oracle_best_tflops"), ("ml_selected_kernel", "ml_actual_tflops"))


def _named_rows(sheet: Sheet) -> Imported:
    found = [(line.number, row) for line in sheet.lines() for row in _of_shape(line)]
    weights = shares([(row.group, row.kernel) for _, row in found])
    return Imported(
        [
            (number, replace(row, weight=weight))
            for (number, row), weight in zip(found, weights, strict=True)
        ]
    )


def _of_shape(line: Line) -> Iterator[Row]:
    """The two kernels of a shape, or the one that is both."""
    m, n, k = (line.whole(name, 1) for name in _SIZES)
    said: dict[tuple[tuple[str, str, str], float], None] = {}
    for kernel, rate in _NAMED:
        spec = _spec(line, kernel)
        tflops = line.above_zero(rate, "rate; write TFLOP/s above 0, such as 120.5")
        said[spec, 2e-6 * m * n * k / tflops] = None
    for (name, dtype, layout), microseconds in said:
        yield Row(
            family=GemmProblem.family,
            problem=_problem(m, n, k, dtype, layout),
            kernel=name,
            microseconds=microseconds,
            provenance=IMPORTED,
            of_kernels=line.whole("num_kernels", 1) if line.has("num_kernels") else None,
            source=f"sha256:{line.sheet.sha256}",
        )


def _spec(line: Line, column: str) -> tuple[str, str, str]:
    """Our name of a kernel, the dtype of A and B, and the layout."""
    name = line.word(column)
    if not name.startswith(_THEIRS):
        line.refuse(column, f"{name!r:.200} is no name of a kernel; those begin with {_THEIRS}")
    try:
        return _kernel(name.replace(_THEIRS, _OURS, 1))
    except InvalidArgument as error:
        line.refuse(column, str(error))


@lru_cache(maxsize=1 << 12)
def _kernel(name: str) -> tuple[str, str, str]:
    spec = GemmConfig.from_name(name).spec.to_json()
    if spec["dtype_a"] != spec["dtype_b"]:
        raise InvalidArgument(f"{name} has two dtypes; only kernels of one are understood here")
    return name, spec["dtype_a"], spec["layout"]


# The best times that are known, by whatever library.

_DTYPES = {
    "bf16": "bf16",
    "a8w8": "fp8",
    "blockscale": "fp8",
    "blockscale_bpre": "fp8",
    "bpre": "fp8",
}
"""What we compute of each kind. Ours have no scales."""

_BLOCK_SCALED = ("blockscale", "blockscale_bpre")
_SCALING_FLOPS = 4.0 / 128
"""Vector instructions for each element of the accumulator and of K: every 128 of K it is multiplied
by two scales and added up.
"""
_LANES = 64
"""That a compute unit's vector instructions of one cycle are for."""


def beyond_ours(row: Row) -> dict[str, float]:
    """What the kernels of a bound do besides what ours do, as an addition to constants of the cost
    model.
    """
    if row.note.partition(" ")[0] not in _BLOCK_SCALED:
        return {}
    # The term has two operations for each such element, at the peak for 8 bits, which is twice that
    # for 16.
    peak = 2.0 * arch_specs().gpu(row.gpu).matrix_flops_per_cycle
    return {"matrix": _SCALING_FLOPS / _LANES / (2.0 / peak)}


def _best_rows(sheet: Sheet) -> Imported:
    rows, unknown = [], []
    gpus = arch_specs().gpus
    for line in sheet.lines():
        row = _best(line)
        if row.gpu in gpus:
            rows.append((line.number, row))
        else:
            unknown.append(line.number)
    return Imported(rows, {"they are of a GPU that is not known here": unknown} if unknown else {})


def _best(line: Line) -> Row:
    m, n, k = (line.whole(name, 1) for name in _SIZES)
    kind = line.one_of("kind", tuple(_DTYPES))
    return Row(
        family=GemmProblem.family,
        problem=_problem(m, n, k, _DTYPES[kind], "rcr"),
        kernel="",
        microseconds=line.microseconds("best_us"),
        provenance=IMPORTED,
        gpu=line.word("gpu"),
        compute_units=line.whole("compute_units", 1),
        source=f"sha256:{line.sheet.sha256}",
        note=" ".join(filter(None, (kind, line.word("library")))),
    )


def _problem(m: int, n: int, k: int, dtype: str, layout: str) -> str:
    """In words; parsing tens of thousands of them is left to whoever uses them."""
    return f"{m}x{n}x{k} {dtype} {layout}"


IMPORTERS = (
    Importer(
        "the best kernels of shapes, by name",
        (*_SIZES, *(column for pair in _NAMED for column in pair)),
        _named_rows,
    ),
    Importer(
        "the best times of shapes", ("kind", "gpu", "compute_units", *_SIZES, "best_us"), _best_rows
    ),
)

KINDS: dict[str, Callable[[Problem], bool]] = {}

GROUPED_BY = "N and K"


def group_of(problem: Problem) -> str:
    """N and K are a layer's; M is how many go through it at once."""
    return f"{problem.n}x{problem.k}" if isinstance(problem, GemmProblem) else problem.text


SERVED = ("dtype_a", "dtype_b", "dtype_c", "dtype_acc", "layout")
