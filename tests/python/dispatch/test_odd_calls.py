# SPDX-License-Identifier: MIT
"""Whatever is given to whatever there is, the call does what it says or raises a CkDispatchError
with one sentence.
"""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import ckdispatch
import pytest
from ckdispatch import (
    CodegenRunner,
    DeviceTensor,
    Dispatcher,
    GemmConfig,
    GemmGroup,
    GemmProblem,
    GroupedConvConfig,
    GroupedConvProblem,
    Registry,
    Tolerance,
)
from ckdispatch.errors import CkDispatchError
from ckdispatch.gemm.reference import gemm_reference
from ckdispatch.grouped_conv.reference import grouped_conv_reference
from ckdispatch.jit import Cache, build
from ckdispatch.jit.places import parse_size
from ckdispatch.native.places import find_manifest
from dispatch_support import ESSENTIAL, PADDED, dispatcher, everything, random
from odd_values import ODD

LONGEST = 2000
"""Characters of a sentence, however long what it quotes."""

ENDLESS = {"warmup", "repeat"}
"""A large number of these is a wish like another, and takes as long as it takes."""

GEMM_CONFIG = {
    "dtype": "fp16",
    "layout": "rcr",
    "tile": (64, 64, 64),
    "waves": (2, 2, 1),
    "warp_tile": (32, 32, 16),
    "pipeline": "compv3",
}
CONV_CONFIG = {**GEMM_CONFIG, "layout": "channels_last", "ndim_spatial": 2}


CALLED = {"strategy", "chooser", "predicate", "products", "progress"}
"""What a function of the caller raises is what the caller gets."""

MEMORY = {"extent", "size"}

TRUSTED = {"tensor_a", "tensor_b", "tensor_c", "addresses", "stream"}
"""A number of these is an address, and nobody knows what is there."""


class Case(NamedTuple):
    """A call with good arguments, which are to be replaced one by one."""

    call: Callable[..., Any]
    good: dict[str, Any]
    also: tuple[str, ...] = ()
    """Parameters that have a default."""


def matrix(seed: int = 1) -> Any:
    return random((64, 64), seed)


@cache
def tensor() -> DeviceTensor:
    return dispatcher().to_device(matrix())


@cache
def column_tensor() -> DeviceTensor:
    return dispatcher().to_device(matrix(2), column_major=True)


def defaults_of(call: Callable[..., Any], good: dict[str, Any]) -> tuple[str, ...]:
    """The parameters of a callable that were not given."""
    found = inspect.signature(call).parameters.values()
    return tuple(
        one.name
        for one in found
        if one.name not in good
        and one.name != "self"
        and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
    )


def case(call: Callable[..., Any], **good: Any) -> Case:
    return Case(call, good, defaults_of(call, good))


def on_registry(method: str, **good: Any) -> Case:
    """A method of a registry of its own, which it may change."""
    return Case(
        lambda **given: getattr(Registry.load(ESSENTIAL), method)(**given),
        good,
        defaults_of(getattr(Registry, method), good),
    )


@cache
def cases(folder: Path) -> dict[str, Case]:
    on, plan = dispatcher(), dispatcher().plan(GemmProblem(64, 64, 64))
    images, filters = random((1, 4, 4, 16), 1), random((16, 3, 3, 16), 2)
    a, b, out = tensor(), column_tensor(), on.empty((64, 64))
    registry, device = everything(), on.device
    gemm_problem = {"m": 64, "n": 64, "k": 64}
    conv_problem: dict[str, Any] = {"n": 1, "g": 1, "c": 16, "k": 16, "input": (4, 4), "filter": 3}
    runner = CodegenRunner(folder, "gfx942", 1)
    problem = GemmProblem(64, 64, 64)

    def run(tensor_a: Any = a, tensor_b: Any = b, tensor_c: Any = out, **given: Any) -> Any:
        return on.run(given.pop("problem", problem), tensor_a, tensor_b, tensor_c, **given)

    def once_run(**given: Any) -> Any:
        """With a plan that is known already."""
        run()
        return run(**given)

    def words(**given: Any) -> Any:
        return registry.filter(**given)

    run_given = ("problem", "tensor_a", "tensor_b", "tensor_c", "stream", "kernel", "timing")
    found = {
        "Dispatcher": case(Dispatcher, registry=registry),
        "Dispatcher that plans": Case(
            lambda **given: Dispatcher(**{"registry": registry, **given}).plan(problem),
            {},
            ("device", "strategy", "chooser"),
        ),
        "Dispatcher that runs": Case(
            lambda **given: Dispatcher(registry, **given).device, {}, ("device",)
        ),
        "plan": case(on.plan, problem=problem),
        "run": Case(run, {}, run_given),
        "run again": Case(once_run, {}, run_given),
        "run without tensors": Case(lambda problem: on.run(problem), {"problem": problem}),
        "benchmark": Case(
            on.benchmark,
            {"plan": plan, "tensors": [a, b, out], "warmup": 0, "repeat": 1},
            defaults_of(on.benchmark, {"plan": 1, "tensors": 1}),
        ),
        "launch": case(
            on.launch, plan=plan, addresses=[a.address, b.address, out.address], stream=None
        ),
        "gemm": case(on.gemm, a=matrix(), b=matrix(2)),
        "gemm of tensors": case(on.gemm, a=a, b=b, out=out),
        "grouped_gemm": case(on.grouped_gemm, pairs=[(matrix(), matrix(2))]),
        "grouped_gemm's members": Case(
            lambda one, two: on.grouped_gemm([(one, two)]), {"one": matrix(), "two": matrix(2)}
        ),
        "conv": case(on.conv, x=images, w=filters),
        "conv_bwd_data": case(on.conv_bwd_data, dy=images, w=filters, input_size=(6, 6)),
        "conv_bwd_weight": case(on.conv_bwd_weight, dy=images, x=images, filter_size=1),
        "empty": case(on.empty, shape=(8, 8)),
        "empty with an extent": Case(lambda extent: on.empty((extent, 4)), {"extent": 8}),
        "to_device": case(on.to_device, array=matrix()),
        "synchronize": case(on.synchronize),
        "DeviceTensor.write": case(on.empty((64, 64)).write, array=matrix()),
        "Device.allocate": case(device.allocate, size=64),
        "Device.copy_in": Case(
            lambda **given: device.copy_in(
                **{"to": out.address, "from_host": matrix().ctypes.data, "size": 0, **given}
            ),
            {},
            ("size",),
        ),
        "Device.fill": Case(
            lambda **given: device.fill(**{"address": out.address, "byte": 0, "size": 16, **given}),
            {},
            ("byte", "stream"),
        ),
        "Device.synchronize": case(device.synchronize),
        "preshuffle": case(ckdispatch.preshuffle, b=matrix(), to="16x8"),
        "GemmProblem": case(GemmProblem, **gemm_problem),
        "GemmProblem that is selected": Case(
            lambda **given: registry.select(GemmProblem(**{**gemm_problem, **given})),
            {},
            defaults_of(GemmProblem, {}),
        ),
        "GemmProblem.grouped": case(GemmProblem.grouped, groups=[(64, 64, 64)]),
        "GemmProblem.grouped of a group": Case(
            lambda group: GemmProblem.grouped([group]), {"group": (64, 64, 64)}
        ),
        "GemmProblem.parse": case(GemmProblem.parse, text="64x64x64"),
        "GemmGroup": case(GemmGroup, **gemm_problem),
        "GroupedConvProblem": case(GroupedConvProblem, **conv_problem),
        "GroupedConvProblem.parse": case(GroupedConvProblem.parse, text="n1 c16 k16 4x4 3x3"),
        "Registry": case(Registry),
        "Registry.load": Case(
            lambda one, **given: Registry.load(one, **given),
            {"one": ESSENTIAL},
            ("name", "priority"),
        ),
        "Registry.load_manifest": on_registry(
            "load_manifest",
            path=find_manifest(ESSENTIAL),
            duplicates=ckdispatch.DuplicatePolicy.KEEP,
        ),
        "Registry.add_library": on_registry(
            "add_library", path=registry[PADDED].library, duplicates=ckdispatch.DuplicatePolicy.KEEP
        ),
        "Registry.remove": on_registry("remove", name=PADDED),
        "Registry.merge": on_registry(
            "merge", other=registry, duplicates=ckdispatch.DuplicatePolicy.KEEP
        ),
        "Registry.filter": on_registry("filter"),
        "Registry.filter by words": Case(words, {}, ("dtype_a", "layout", "pipeline", "speed")),
        "Registry.from_json": case(Registry.from_json, document=registry.to_json()),
        "Registry[name]": Case(lambda name: registry[name], {"name": PADDED}),
        "name in Registry": Case(lambda name: name in registry, {"name": PADDED}),
        "Registry.add and build": Case(
            lambda config: _added(config), {"config": GemmConfig(**GEMM_CONFIG)}
        ),
        "Registry.build": on_registry("build"),
        "Registry.select": on_registry("select", problem=problem),
        "Registry.rank": on_registry("rank", problem=problem),
        "Registry.explain": on_registry("explain", problem=problem),
        "Registry.selection": on_registry("selection"),
        "GemmConfig": Case(
            lambda **given: GemmConfig(**{**GEMM_CONFIG, **given}).expand("gfx942"),
            {},
            (*GEMM_CONFIG, "epilogue", "scheduler", "pad", "d_count", "nothing"),
        ),
        "GroupedConvConfig": Case(
            lambda **given: GroupedConvConfig(**{**CONV_CONFIG, **given}).expand("gfx942"),
            {},
            (*CONV_CONFIG, "vector", "merged_groups"),
        ),
        "GemmConfig.validate": case(GemmConfig(**GEMM_CONFIG).validate, arch="gfx942"),
        "GemmConfig.autocorrect": case(GemmConfig(**GEMM_CONFIG).autocorrect, arch="gfx942"),
        "GemmConfig.expand": case(GemmConfig(**GEMM_CONFIG).expand, arch="gfx942"),
        "GemmConfig.parse": Case(ckdispatch.KernelConfig.parse, {"value": PADDED}),
        "CodegenRunner": Case(
            lambda **given: CodegenRunner(**{"output_dir": folder, **given}),
            {},
            ("output_dir", "arch", "jobs"),
        ),
        "CodegenRunner.generate_from_config": case(
            runner.generate_from_config, config=GemmConfig(**GEMM_CONFIG)
        ),
        "CodegenRunner.generate": Case(
            lambda **given: runner.generate(**{"variant": "nothing", **given}),
            {},
            ("variant", "family"),
        ),
        "compare": case(
            ckdispatch.compare, actual=matrix(), expected=matrix(), tolerance=Tolerance()
        ),
        "Tolerance": case(Tolerance),
        "gemm_reference": case(gemm_reference, a=matrix(), b=matrix(2)),
        "devices": case(ckdispatch.devices),
        "Cache": Case(lambda **given: Cache(**given).info(), {}, ("folder", "limit")),
        "Cache.prune": case(Cache(folder / "cache").prune),
        "Cache.list": case(Cache(folder / "cache").list),
        "jit.build": Case(
            lambda **given: build(
                **{"specs": [], "gpus": "gfx942", "cache": Cache(folder / "cache"), **given}
            ),
            {},
            ("specs", "gpus", "max_workers", "cache"),
        ),
        "parse_size": case(parse_size, text="1G"),
        "grouped_conv_reference": case(
            grouped_conv_reference,
            direction="forward",
            a=images[..., None, :],
            b=filters[None],
            sizes=GroupedConvProblem(**conv_problem).sizes,
        ),
    }
    return found


def _added(config: Any) -> Any:
    registry = Registry()
    registry.add(config)
    return (
        registry.build("gfx942", check=False, max_workers=1)
        if not isinstance(config, GemmConfig)
        else None
    )


def parameters(one: Case) -> Iterator[str]:
    yield from dict.fromkeys((*one.good, *one.also))


def _is_a_wish(parameter: str, number: int) -> bool:
    """Whether a large number would be done, which takes its time or its memory, or nobody can judge
    it.
    """
    if parameter in TRUSTED:
        return 0 < number < 2**64
    return (parameter in ENDLESS and 1000 < number < 2**31) or (
        parameter in MEMORY and 2**20 < number < 2**45
    )


def outcome(one: Case, parameter: str, odd: str) -> str | None:
    """What is wrong with what a call does, if anything is."""
    value = ODD[odd]
    if callable(value) and parameter in CALLED:
        return None
    if isinstance(value, int) and _is_a_wish(parameter, value):
        return None
    try:
        made = one.call(**{**one.good, parameter: value})
        repr(made)
    except CkDispatchError as error:
        told = str(error)
        if (
            not told
            or len(told) > LONGEST
            or any(not letter.isprintable() and letter != "\n" for letter in told)
        ):
            return f"{type(error).__name__} of {len(told)} characters: {told[:200]!r}"
        return None
    except BaseException as error:  # noqa: BLE001 - whatever else comes out of a call is a mistake of ours
        return f"{type(error).__name__}: {str(error)[:200]!r}"
    return None


CASES = cases(Path(tempfile.mkdtemp()))


@pytest.mark.parametrize("name", CASES)
def test_odd_calls_of(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CKDISPATCH_JIT", "0")
    monkeypatch.setenv("CKDISPATCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    one, wrong = CASES[name], []
    for parameter in parameters(one):
        for odd in ODD:
            complaint = outcome(one, parameter, odd)
            if complaint is not None:
                wrong.append(f"{name}({parameter}={odd}): {complaint}")
    print("\n".join(wrong))
    assert wrong == []


def test_there_are_many() -> None:
    assert sum(len(ODD) for one in CASES.values() for _ in parameters(one)) > 10_000
