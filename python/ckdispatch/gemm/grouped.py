# SPDX-License-Identifier: MIT
"""``Dispatcher.grouped_gemm``: many products of different sizes."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ckdispatch.device import stream_address
from ckdispatch.errors import InvalidArgument, NoKernel
from ckdispatch.gemm.call import compared_operands, delivered, output_tensor, staged
from ckdispatch.gemm.operands import matrix
from ckdispatch.gemm.problem import GemmGroup, GemmProblem
from ckdispatch.gemm.reference import expected
from ckdispatch.gemm.request import GemmCall, check_operands
from ckdispatch.product.problem import CallOptions
from ckdispatch.result import GroupedResult
from ckdispatch.tensors.operands import as_given, check_apart
from ckdispatch.wording import quoted

if TYPE_CHECKING:
    from ckdispatch.base_dispatcher import BaseDispatcher
    from ckdispatch.comparison import Comparison
    from ckdispatch.plan import Plan
    from ckdispatch.tensors.device_tensor import DeviceTensor


def run(
    dispatcher: BaseDispatcher,
    pairs: Sequence[tuple[Any, Any]],
    *,
    outs: Sequence[Any] | None,
    fused_op: str | None,
    stream: Any,
    options: CallOptions,
) -> GroupedResult:
    calls = _calls(dispatcher, pairs, outs, options)
    plan = _plan(dispatcher, calls, fused_op)
    problem, device = plan.problem, dispatcher.device
    stream = stream_address(stream)
    addresses, targets = [], []
    inputs = []  # which must live until they are read
    for call in calls:
        left, right = (
            staged(call, call.a, problem.layout[0]),
            staged(call, call.b, problem.layout[1]),
        )
        target = output_tensor(call, plan)
        inputs += [left, right]
        targets.append(target)
        addresses += [left.address, right.address, target.address]
    milliseconds = dispatcher.launch(plan, addresses, stream, options.timing)
    results = [delivered(call, target, stream) for call, target in zip(calls, targets, strict=True)]
    changes = (*itertools.chain.from_iterable(call.changes for call in calls), *one_by_one(plan))
    compared: tuple[Comparison, ...] = ()
    if options.validate:
        device.synchronize(stream)
        finished = zip(calls, results, strict=True)
        compared = tuple(
            _compared(plan, i, *each, inputs[2 * i : 2 * i + 2]) for i, each in enumerate(finished)
        )
    return GroupedResult(
        results, plan, device.name, device.simulated, changes, milliseconds, compared
    )


def _calls(
    dispatcher: BaseDispatcher,
    pairs: Sequence[tuple[Any, Any]],
    outs: Sequence[Any] | None,
    options: CallOptions,
) -> list[GemmCall]:
    products, targets = _listed("pairs", pairs), None if outs is None else _listed("outs", outs)
    if not products or (targets is not None and len(targets) != len(products)):
        raise InvalidArgument(
            f"{len(products)} products were asked for with {len(targets or ())} outs; there must "
            "be at "
            "least one product, and an out for each or none at all"
        )
    written = [matrix(f"out {i}", out, dispatcher.device) for i, out in enumerate(targets or ())]
    check_apart(written)
    calls = []
    for i, (a, b) in enumerate(_pair(i, one) for i, one in enumerate(products)):
        out = written[i] if written else None
        left, right = (
            matrix(f"A of group {i}", a, dispatcher.device),
            matrix(f"B of group {i}", b, dispatcher.device),
        )
        for other in written:  # any of them may lie where this group reads
            left, right = (
                as_given(left, other, options.validate),
                as_given(right, other, options.validate),
            )
        call = GemmCall(dispatcher, left, right, out, options)
        check_operands(call)
        if call.batched:
            raise InvalidArgument(f"group {i} is a batch; each group is one product of matrices")
        calls.append(call)
    for kind in ("a", "b"):
        dtypes = sorted({getattr(call, kind).dtype for call in calls})
        if len(dtypes) > 1:
            raise InvalidArgument(
                f"groups with {kind.upper()} of {' and '.join(dtypes)} were asked for; "
                "all groups have the same dtypes"
            )
    return calls


def _listed(name: str, given: Any) -> tuple[Any, ...]:
    if not isinstance(given, (list, tuple)):
        raise InvalidArgument(f"{name} was asked for as {quoted(given)}; it must be a list")
    return tuple(given)


def _pair(place: int, given: Any) -> tuple[Any, Any]:
    if not isinstance(given, (list, tuple)) or len(given) != 2:
        raise InvalidArgument(
            f"group {place} was asked for as {quoted(given)}; it is a pair of an A and a B"
        )
    return given[0], given[1]


def _problem(calls: Sequence[GemmCall], layout: str, fused_op: str | None) -> GemmProblem:
    members = [call.problem(layout) for call in calls]
    first = members[0]
    return GemmProblem.grouped(
        [
            GemmGroup(one.m, one.n, one.k, one.stride_a, one.stride_b, one.stride_c)
            for one in members
        ],
        dtype=first.dtype,
        layout=layout,
        dtype_b=first.dtype_b,
        dtype_c=first.dtype_c,
        fused_op=fused_op,
        deterministic=first.deterministic,
        alignment=min(one.alignment for one in members),
    )


def _plan(
    dispatcher: BaseDispatcher, calls: Sequence[GemmCall], fused_op: str | None
) -> Plan[GemmProblem]:
    """For the layout that needs the fewest copies, of those that all groups can have."""
    remembered = dispatcher.remembered()
    offered = [call.layouts() for call in calls]
    common = [layout for layout in offered[0] if all(layout in others for others in offered)]
    if not common:
        raise InvalidArgument(
            "groups on the device have different layouts; all must have contiguous rows, or all "
            "contiguous columns, in each of A, B and out"
        )
    common.sort(key=lambda layout: sum(choices.index(layout) for choices in offered))
    key = (_problem(calls, common[0], fused_op), *common)
    found: Plan[GemmProblem] | None = remembered.get(key)
    if found is None:
        found = remembered[key] = _search(dispatcher, calls, common, fused_op)
    return found


def _search(
    dispatcher: BaseDispatcher, calls: Sequence[GemmCall], layouts: list[str], fused_op: str | None
) -> Plan[GemmProblem]:
    """A single launch is better than none of the operands copied."""
    fallback: Plan[GemmProblem] | None = None
    first: NoKernel | None = None
    for layout in layouts:
        try:
            plan = dispatcher.plan(_problem(calls, layout, fused_op))
        except NoKernel as error:
            first = first or error
            continue
        if plan.launches == 1:
            return plan
        fallback = fallback or plan
    if fallback is None:
        assert first is not None
        raise first
    return fallback


def one_by_one(plan: Plan[GemmProblem]) -> tuple[str, ...]:
    """That groups are not computed at once, if they are not."""
    groups = len(plan.problem.groups)
    if plan.launches == 1 or not groups:
        return ()
    return (
        (
            f"the {groups} groups were computed one after another, "
            "because no kernel computes them in one launch"
        ),
    )


def _compared(
    plan: Plan[GemmProblem], place: int, call: GemmCall, result: Any, inputs: Sequence[DeviceTensor]
) -> Comparison:
    stages = plan.to_json()["stages"]
    stage = stages[place] if len(stages) > 1 else stages[0]
    spec = call.dispatcher.registry[stage["kernel"]].spec
    a, b, products = compared_operands(call, inputs)
    reference = expected(stage["parts"], spec, a, b, products=products)
    comparison = reference.compare(matrix("out", result, call.dispatcher.device).on_host)
    comparison.raise_if_bad()
    return comparison
