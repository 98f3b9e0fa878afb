# SPDX-License-Identifier: MIT
"""``validate="device"`` of every family, beside NumPy's reference; and what is wrong is found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ckdispatch import Dispatcher, GemmProblem, GroupedConvProblem, preshuffle
from ckdispatch.errors import InvalidArgument
from ckdispatch.gemm.workload import GemmWorkload
from ckdispatch.grouped_conv.workload import ConvWorkload
from conv_support import convolver
from dispatch_support import dispatcher, each_variant, of_each_variant, random

A, B = random((72, 256), 1), random((256, 128), 2)
BY_COLUMNS = np.asfortranarray(B)


def same(once: Any, again: Any) -> None:
    """Two calls that gave the same, compared with references whose sums are the same."""
    assert once.comparison.size == again.comparison.size
    assert once.comparison.max_abs == pytest.approx(again.comparison.max_abs, rel=1e-9)
    assert once.comparison.max_ulps == again.comparison.max_ulps


@pytest.mark.parametrize("said", [{}, {"split_k": 4}, {"dtype": "fp32", "split_k": 4}], ids=str)
def test_products(said: dict[str, Any]) -> None:
    given = A[:64], B
    on = dispatcher()
    same(on.gemm(*given, **said, validate=True), on.gemm(*given, **said, validate="device"))


@pytest.mark.parametrize("bias", [None, random((128,), 3)], ids=["without", "with a bias"])
def test_what_follows_a_product(bias: Any) -> None:
    said: dict[str, Any] = {"fused_op": "Gelu"}
    if bias is not None:
        said = {"fused_op": "Relu", "bias": bias}
    on = of_each_variant()
    once, again = (on.gemm(A, BY_COLUMNS, **said, validate=how) for how in (True, "device"))
    same(once, again)


def test_batches_padded_and_shuffled_operands() -> None:
    batch = random((3, 72, 256), 4)
    on = of_each_variant()
    once, again = (on.gemm(batch, BY_COLUMNS, validate=how) for how in (True, "device"))
    same(once, again)
    odd = A[:71, :251], B[:251, :99]
    once, again = (dispatcher().gemm(*odd, validate=how) for how in (True, "device"))
    same(once, again)
    weights = preshuffle(B, each_variant())
    same(on.gemm(A, weights, validate=True), on.gemm(A, weights, validate="device"))


def test_groups() -> None:
    pairs = [(A, BY_COLUMNS), (A[:40], BY_COLUMNS[:, :64])]
    once, again = (of_each_variant().grouped_gemm(pairs, validate=how) for how in (True, "device"))
    for one, other in zip(once.comparisons, again.comparisons, strict=True):
        assert one.max_ulps == other.max_ulps


@pytest.mark.parametrize("layout", ["channels_last", "channels_first"])
def test_convolutions(layout: str) -> None:
    x, w = random((2, 9, 10, 16), 5), random((24, 3, 3, 16), 6)
    if layout == "channels_first":
        x, w = x.transpose(0, 3, 1, 2), w.transpose(0, 3, 1, 2)
    on = convolver()
    y = same_call(on, "conv", x, w, layout=layout, padding=1)
    size = (9, 10)
    same_call(on, "conv_bwd_data", y, w, size, layout=layout, padding=1)
    same_call(on, "conv_bwd_weight", y, x, (3, 3), layout=layout, padding=1)


def same_call(on: Dispatcher, name: str, *tensors: Any, **said: Any) -> Any:
    once, again = (getattr(on, name)(*tensors, **said, validate=how) for how in (True, "device"))
    same(once, again)
    return once.out


def test_one_wrong_element_is_found() -> None:
    problem = GemmProblem(64, 64, 128)
    gemm = GemmWorkload(dispatcher(), problem, dispatcher().plan(problem), seed=1)
    conv_problem = GroupedConvProblem.parse("n1 c8 k8 6x6 3x3 fp16")
    conv = ConvWorkload(convolver(), conv_problem, convolver().plan(conv_problem), seed=1)
    for work, result in ((gemm, gemm.tensors[2]), (conv, conv.tensors[2])):
        work.launch()
        assert work.compare(on_device=True).ok
        held = result.numpy()
        held.flat[7] += 1
        result.write(held)
        assert work.compare(on_device=True).mismatch_count == 1


def test_what_validate_may_be() -> None:
    with pytest.raises(InvalidArgument, match="it is True, False or 'device'"):
        dispatcher().gemm(A, B, validate="numpy")
