# SPDX-License-Identifier: MIT
"""CK's own attention example and the dispatcher come to the same verdicts and, by the same kernels,
to the same bits.

Both run on the simulator, on the numbers that the example draws.
"""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pytest
from ck_example import Run, run
from ckbench.ck_fmha.names import fields_of
from ckdispatch import Dispatcher, Registry
from ckdispatch.errors import Mismatch
from ckdispatch.fmha.result import AttentionResult
from configurations import CONFIGURATIONS, Configuration
from numpy.typing import NDArray

GPU = os.environ["GFXSIM_GPU"]
PROGRAM, RECORDER, SIMULATOR = (
    Path(os.environ[name]).absolute()
    for name in ("CK_EXAMPLE", "CK_RECORDER", "CKDISPATCH_SIMULATOR")
)
PATTERNS = Path(os.environ["CK_KERNELS"]).read_text().split()

every_configuration = pytest.mark.parametrize("one", CONFIGURATIONS, ids=lambda one: one.name)


@cache
def ck(one: Configuration) -> Run:
    return run(PROGRAM, RECORDER, SIMULATOR, GPU, one, Path(mkdtemp(dir=os.environ["TEST_TMPDIR"])))


@cache
def kernels() -> Registry:
    return Registry.load("test_fmha_parity")


def twin(name: str) -> str:
    """Our kernel with the template arguments of one of CK's."""
    fields = fields_of(name)
    found = [
        kernel.name
        for kernel in kernels()
        if all(kernel.spec[field] == value for field, value in fields.items())
    ]
    assert len(found) == 1, (
        f"{found} have the template arguments of {name}, where one kernel was expected"
    )
    return found[0]


def attend(registry: Registry, one: Configuration, given: Run) -> AttentionResult:
    """The same problem through the dispatcher, which compares the result with the reference."""
    options: dict[str, Any] = {
        "mask": one.options.get("mask", "0"),
        "alibi_slopes": given.slopes,
        "bias": given.bias,
        "dropout_p": float(one.options.get("p_drop", "0")),
        "return_lse": given.lse is not None,
        "return_randval": given.randval is not None,
        "seqused_k": given.used_k,
        "seqused_q": given.used_q,
        "validate": True,
    }
    if given.randval is not None:
        options |= {"seed": 1, "offset": 0}  # as the example has them
    dispatcher = Dispatcher(registry)
    if one.packed:
        return dispatcher.attention_varlen(
            given.q, given.k, given.v, given.starts_q, given.starts_k, **options
        )
    return dispatcher.attention(given.q, given.k, given.v, **options)


@cache
def ours(one: Configuration) -> AttentionResult:
    return attend(kernels(), one, ck(one))


def bits(rows: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(rows).view(f"u{rows.itemsize}")


def rows_that_count(given: Run, array: NDArray[Any], axis: int) -> Iterable[NDArray[Any]]:
    """Of the sequences of a batch those that have a length of their own."""
    for sequence, used in (
        enumerate(given.used_q) if given.used_q else [(slice(None), array.shape[axis])]
    ):
        yield np.moveaxis(array, axis, 0)[:used, sequence]


@every_configuration
def test_both_find_their_result_right(one: Configuration) -> None:
    assert ck(one).valid
    try:
        ours(one)
    except Mismatch as mismatch:
        pytest.fail(f"CK's example finds its result right, and the dispatcher says {mismatch}")


@every_configuration
def test_the_same_kernel_gives_the_same_bits(one: Configuration) -> None:
    theirs = ck(one)
    kernel = twin(theirs.kernel)
    result = ours(one)
    if result.plan.kernels != (kernel,):
        result = attend(kernels().filter(predicate=lambda each: each.name == kernel), one, theirs)
    assert result.plan.kernels == (kernel,)
    # Rows of o are its second extent but one, of packed sequences the first.
    pairs = {
        "o": (result.out, theirs.o, -3),
        "lse": (result.lse, theirs.lse, -1),
        "randval": (result.randval, theirs.randval, -2),
    }
    for name, (have, want, axis) in pairs.items():
        assert (have is None) == (want is None), name
        if have is None or want is None:
            continue
        assert have.shape == want.shape and have.dtype == want.dtype, name
        for mine, expected in zip(
            rows_that_count(theirs, have, axis), rows_that_count(theirs, want, axis), strict=True
        ):
            different = np.argwhere(bits(mine) != bits(expected))
            assert not len(different), (
                f"{name} has {len(different)} other values of {mine.size}, "
                f"the first at {different[0]}"
            )


def test_every_kernel_of_the_example_had_work() -> None:
    names = {ck(one).kernel for one in CONFIGURATIONS}
    assert [len(fnmatch.filter(names, pattern)) for pattern in PATTERNS] == [1] * len(PATTERNS)
    assert len(names) == len(PATTERNS) == len(kernels())
