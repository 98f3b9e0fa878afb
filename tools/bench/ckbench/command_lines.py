# SPDX-License-Identifier: MIT
"""The command lines that make a kernel library, taken from the build itself."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ckbench.errors import BenchError

STEPS = ("CkCompile", "CkBundle", "CkHost", "CkLink")
"""The mnemonics of a kernel's actions that the compiler's tools run, in their order."""

PRECOMPILE = "CkPrecompile"
"""The mnemonic of the actions that precompile headers for all kernels of a family."""

_HIP_HEADERS = ("-include", "__clang_hip_runtime_wrapper.h")
"""What clang puts before a HIP source by itself, and the build does where a pass needs it."""


@dataclass(frozen=True)
class Step:
    """One action: its command, which runs in an execution root, and its environment."""

    mnemonic: str
    arguments: tuple[str, ...]
    environment: Mapping[str, str]


def aquery_expression(target: str) -> str:
    """The query for the steps of a kernel's target."""
    return f'mnemonic("^({"|".join(STEPS)})$", {target})'


def precompile_expression(target: str) -> str:
    """The query for what precompiles the headers of a kernel's target, for every GPU."""
    return f'mnemonic("^{PRECOMPILE}$", deps({target}))'


def parse_steps(aquery: str) -> tuple[Step, ...]:
    """The steps in an aquery's JSON, in the order in which they run."""
    found: dict[str, Step] = {}
    for step in _actions(aquery):
        if step.mnemonic in found:
            raise BenchError(f"The kernel has two {step.mnemonic} actions where one was expected.")
        found[step.mnemonic] = step
    missing = [mnemonic for mnemonic in STEPS if mnemonic not in found]
    if missing:
        raise BenchError(
            f"The kernel has no {' and no '.join(missing)} action; is there a HIP compiler? "
            "Run `./bazelw run //rules:which_rocm`."
        )
    return tuple(found[mnemonic] for mnemonic in STEPS)


def parse_precompile(aquery: str, compile_device: Step) -> Step:
    """Among the actions in an aquery's JSON, the one that makes what ``compile_device`` reads."""
    wanted = precompiled_file(compile_device)
    for step in _actions(aquery):
        if value_after(step.arguments, "-o") == wanted:
            return step
    raise BenchError(f"No {PRECOMPILE} action makes {wanted}; the build's commands have changed.")


def precompiled_file(compile_device: Step) -> str:
    """The precompiled headers that a device pass reads."""
    return compile_device.arguments[_index_of(compile_device.arguments, "-include-pch") + 2]


def value_after(arguments: Sequence[str], flag: str) -> str:
    """What follows ``flag``."""
    return arguments[_index_of(arguments, flag) + 1]


def value_of(arguments: Sequence[str], prefix: str) -> str:
    """What follows ``prefix`` in the argument that starts with it."""
    for argument in arguments:
        if argument.startswith(prefix):
            return argument[len(prefix) :]
    raise BenchError(
        f"The command {arguments[0]} has no {prefix}…; the build's commands have changed."
    )


def as_plain_ck(steps: Sequence[Step], flags: Sequence[str] = ()) -> tuple[Step, ...]:
    """The same steps for a source that uses CK's own host code, with every flag that it allows.

    Its device pass reads CK's headers themselves, for what is precompiled are the headers of our
    kernels. Its host pass reads them and HIP's too, throws exceptions, and is not free of warnings;
    its library exports what it likes and needs the C++ library. Both passes get the source's own
    ``flags``.
    """
    compile_device, bundle, compile_host, link = steps
    includes = tuple(
        argument
        for index, flag in enumerate(compile_device.arguments[:-1])
        if flag == "-I"
        for argument in (flag, compile_device.arguments[index + 1])
    )
    host = _without(compile_host.arguments, "-Xarch_host", "-fno-exceptions")
    host = tuple(flag for flag in host if flag not in ("-Wall", "-Wextra", "-Werror"))
    linking = tuple(
        argument
        for argument in link.arguments
        if argument != "--no-undefined" and not argument.startswith("--version-script=")
    )
    precompiled = ("-Xclang", "-include-pch", "-Xclang", precompiled_file(compile_device))
    device = _without(compile_device.arguments, *precompiled)
    return (
        replace(compile_device, arguments=(*device, *flags)),
        bundle,
        replace(compile_host, arguments=(*host, *_HIP_HEADERS, *includes, "-w", *flags)),
        replace(link, arguments=linking),
    )


def with_ck_headers(step: Step, include: str) -> Step:
    """The same step with CK's headers, which are in its first ``-I``, taken from ``include``."""
    present = value_after(step.arguments, "-I")
    changed = (include if argument == present else argument for argument in step.arguments)
    return replace(step, arguments=tuple(changed))


def renamed(step: Step, kernel: str, name: str) -> Step:
    """The same step for a kernel called ``name``: a kernel's files are named after it."""
    return replace(step, arguments=tuple(word.replace(kernel, name) for word in step.arguments))


def _actions(aquery: str) -> Iterator[Step]:
    for action in json.loads(aquery).get("actions", []):
        environment = {item["key"]: item["value"] for item in action["environmentVariables"]}
        yield Step(action["mnemonic"], tuple(action["arguments"]), environment)


def _index_of(arguments: Sequence[str], *words: str) -> int:
    """Where ``words`` begin, one after the other, with something behind them."""
    for index in range(len(arguments) - len(words)):
        if tuple(arguments[index : index + len(words)]) == words:
            return index
    raise BenchError(
        f"The command {arguments[0]} has no {' '.join(words)}; the build's commands have changed."
    )


def _without(arguments: Sequence[str], *words: str) -> tuple[str, ...]:
    index = _index_of(arguments, *words)
    return (*arguments[:index], *arguments[index + len(words) :])
