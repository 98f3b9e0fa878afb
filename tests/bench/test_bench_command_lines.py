# SPDX-License-Identifier: MIT
"""recorded/ has the commands of a kernel and of its precompiled headers, as Bazel printed them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from ckbench.command_lines import (
    STEPS,
    Step,
    aquery_expression,
    as_plain_ck,
    parse_precompile,
    parse_steps,
    precompile_expression,
    precompiled_file,
    renamed,
    value_after,
    value_of,
    with_ck_headers,
)
from ckbench.errors import BenchError

FOLDER = Path(__file__).parent / "recorded"
RECORDED = (FOLDER / "aquery.json").read_text(encoding="utf-8")
PRECOMPILES = (FOLDER / "aquery_precompile.json").read_text(encoding="utf-8")


def test_the_steps_come_in_the_order_in_which_they_run() -> None:
    data = json.loads(RECORDED)
    data["actions"].reverse()
    assert tuple(step.mnemonic for step in parse_steps(json.dumps(data))) == STEPS


def test_a_step_has_the_environment_of_its_action() -> None:
    common = ["CK_TOOLCHAIN_DIGEST", "LC_ALL"]
    names = {step.mnemonic: sorted(step.environment) for step in parse_steps(RECORDED)}
    assert names == {
        "CkCompile": [*common, "PWD"],
        "CkBundle": common,
        "CkHost": common,
        "CkLink": common,
    }


def test_a_kernel_without_a_compile_is_refused_with_advice() -> None:
    with pytest.raises(BenchError, match=r"no CkCompile and no CkBundle.*//rules:which_rocm"):
        parse_steps('{"actions": []}')


def test_a_kernel_for_two_gpus_is_refused() -> None:
    data = json.loads(RECORDED)
    data["actions"] *= 2
    with pytest.raises(BenchError, match="two CkCompile actions"):
        parse_steps(json.dumps(data))


def test_the_query_asks_for_exactly_the_steps() -> None:
    assert aquery_expression("//kernels:k") == (
        'mnemonic("^(CkCompile|CkBundle|CkHost|CkLink)$", //kernels:k)'
    )


def test_the_precompiled_headers_are_asked_for_where_the_kernel_gets_them() -> None:
    assert precompile_expression("//kernels:k") == 'mnemonic("^CkPrecompile$", deps(//kernels:k))'


def test_of_all_precompiled_headers_those_that_the_kernel_reads_are_taken() -> None:
    device = parse_steps(RECORDED)[0]
    assert len(json.loads(PRECOMPILES)["actions"]) == 7
    step = parse_precompile(PRECOMPILES, device)
    assert value_after(step.arguments, "-o") == precompiled_file(device)
    assert value_of(step.arguments, "--offload-arch=") == "gfx942"
    assert step.environment == device.environment


def test_headers_that_nothing_precompiles_are_refused() -> None:
    with pytest.raises(BenchError, match=r"No CkPrecompile action makes .*gfx942\.pch"):
        parse_precompile('{"actions": []}', parse_steps(RECORDED)[0])


def test_a_device_pass_without_precompiled_headers_is_refused() -> None:
    plain = as_plain_ck(parse_steps(RECORDED))[0]
    with pytest.raises(BenchError, match="has no -include-pch"):
        precompiled_file(plain)


def test_the_device_pass_of_plain_ck_differs_only_by_the_precompiled_headers() -> None:
    device = parse_steps(RECORDED)[0]
    plain = as_plain_ck(parse_steps(RECORDED))[0]
    file = precompiled_file(device)
    ours, theirs = " ".join(device.arguments), " ".join(plain.arguments)
    assert ours.replace(f"-Xclang -include-pch -Xclang {file} ", "") == theirs
    assert file not in theirs
    assert plain.environment == device.environment


def test_flags_of_a_source_reach_both_of_its_passes_and_nothing_else() -> None:
    flags = ("-I", "/example", "-DX=1")
    plain = as_plain_ck(parse_steps(RECORDED))
    for without, given in zip(plain, as_plain_ck(parse_steps(RECORDED), flags), strict=True):
        expected = flags if without.mnemonic in ("CkCompile", "CkHost") else ()
        assert given.arguments == (*without.arguments, *expected), without.mnemonic


def test_the_bundling_is_the_same_for_both_styles() -> None:
    ours = parse_steps(RECORDED)
    assert as_plain_ck(ours)[1] == ours[1]


def test_the_host_pass_of_plain_ck_differs_only_by_what_its_source_needs() -> None:
    ours = parse_steps(RECORDED)
    host, plain = ours[2].arguments, as_plain_ck(ours)[2].arguments
    dropped = {"-Xarch_host", "-fno-exceptions", "-Wall", "-Wextra", "-Werror"}
    kept = tuple(argument for argument in host if argument not in dropped)
    assert plain[: len(kept)] == kept
    assert plain[len(kept) :] == (
        *("-include", "__clang_hip_runtime_wrapper.h"),
        *("-I", "external/_main~ck~composable_kernel/include"),
        *("-I", "kernel_library/include"),
        "-w",
    )


def test_the_library_of_plain_ck_may_export_and_import_what_it_likes() -> None:
    ours = parse_steps(RECORDED)
    link, plain = ours[3].arguments, as_plain_ck(ours)[3].arguments
    dropped = sorted(argument.partition("=")[0] for argument in set(link) - set(plain))
    assert dropped == ["--no-undefined", "--version-script"]
    assert [argument for argument in link if argument in plain] == list(plain)


def test_only_the_folder_of_the_ck_headers_is_exchanged() -> None:
    device = parse_steps(RECORDED)[0]
    changed = with_ck_headers(device, "/shipped/include").arguments
    pairs = [pair for pair in zip(device.arguments, changed, strict=True) if pair[0] != pair[1]]
    assert pairs == [("external/_main~ck~composable_kernel/include", "/shipped/include")]


def test_values_are_found_after_a_flag_and_after_a_prefix() -> None:
    command = ("clang", "-c", "a.cpp", '-DX="y"', "-o", "a.o")
    assert value_after(command, "-o") == "a.o"
    assert value_of(command, "-DX=") == '"y"'


@pytest.mark.parametrize("find", [value_after, value_of])
def test_a_missing_flag_is_refused_by_name(find: Callable[..., str]) -> None:
    with pytest.raises(BenchError, match=r"The command clang has no -o"):
        find(("clang", "-c"), "-o")


def test_the_commands_of_one_kernel_become_those_of_another() -> None:
    step = Step("CkLink", ("ld", "-o", "out/a_b/liba_b.so", "out/a_b/a_b.o"), {"LC_ALL": "C"})
    other = renamed(step, "a_b", "c")
    assert other.arguments == ("ld", "-o", "out/c/libc.so", "out/c/c.o")
    assert other.environment == step.environment
