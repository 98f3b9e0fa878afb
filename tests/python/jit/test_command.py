# SPDX-License-Identifier: MIT
"""The commands: flags from their one place, nothing of this machine, and no shell."""

from __future__ import annotations

import ast
from pathlib import Path

import ckdispatch.jit
from ckarch import load_specs
from ckdispatch.jit.command import Commands
from ckgen.core.recipe import load_recipe

ARCH = load_specs()
GPUS = (ARCH.gpu("gfx942"), ARCH.gpu("gfx1100"))
COMMANDS = Commands("/opt/bin", "host-triple", GPUS)
PACKAGE = Path(ckdispatch.jit.__file__).parent


def contains(command: tuple[str, ...], part: tuple[str, ...]) -> bool:
    return any(command[at : at + len(part)] == part for at in range(len(command)))


def test_each_pass_has_its_flags_from_the_one_file() -> None:
    parts = load_recipe().parts
    device = COMMANDS.device(GPUS[1], "k.cpp", precompiled=False)
    assert contains(
        device, (*parts["common"], *parts["device"], *load_recipe().gpu_flags([GPUS[1]]))
    )
    assert contains(COMMANDS.host("k.cpp", False), (*parts["common"], *parts["host"]))


def test_a_library_is_linked_with_what_the_recipe_names_by_names_in_the_work_folder() -> None:
    link, search = COMMANDS.link("libk.so"), load_recipe().search
    assert link[0] == "/opt/bin/ld.lld"
    assert contains(
        link, (*search["link_before"], "kernel.o", *search["link_after"], "-o", "libk.so")
    )
    assert "--soname=libk.so" in link and "--version-script=exports.map" in link


def test_a_device_pass_is_for_one_gpu_and_the_host_pass_for_all() -> None:
    device = COMMANDS.device(GPUS[1], "k.cpp", precompiled=False)
    assert [word for word in device if word.startswith("--offload-arch")] == [
        "--offload-arch=gfx1100"
    ]
    host = COMMANDS.host("k.cpp", False)
    assert [word for word in host if word.startswith("--offload-arch")] == [
        "--offload-arch=gfx942",
        "--offload-arch=gfx1100",
    ]
    assert '-DCK_KERNEL_GPUS="gfx942:64,gfx1100:32"' in host


def test_a_host_pass_without_ck_reads_no_headers_of_hip() -> None:
    alone, with_ck = COMMANDS.host("k.cpp", False), COMMANDS.host("k.cpp", True)
    assert "-nogpuinc" in alone and "-isystem" not in alone
    assert contains(with_ck, ("-isystem", "composable_kernel")) and "-nogpuinc" not in with_ck


def test_the_bundle_names_the_host_and_every_gpu() -> None:
    assert COMMANDS.bundle() == (
        "/opt/bin/clang-offload-bundler",
        "-type=o",
        "-bundle-align=4096",
        "-targets=host-host-triple,hipv4-amdgcn-amd-amdhsa--gfx942,hipv4-amdgcn-amd-amdhsa--gfx1100",
        "-input=/dev/null",
        "-input=gfx942.co",
        "-input=gfx1100.co",
        "-output=code.hipfb",
    )


def test_a_precompiled_header_is_made_and_used_with_the_same_flags() -> None:
    used = COMMANDS.device(GPUS[0], "k.cpp", precompiled=True)
    made = COMMANDS.precompile(GPUS[0])
    swapped = {"k.cpp": "precompiled.hpp"}
    assert [swapped.get(word, word) for word in used[: used.index("-w")]] == list(
        made[: made.index("-w")]
    )


def test_a_command_names_no_path_of_the_machine_but_the_tool() -> None:
    for command in COMMANDS.all("k.cpp", "libk.so", True):
        absolute = [word for word in command[1:] if word.startswith("/") or "=/" in word]
        assert absolute in ([], ["-input=/dev/null"])


def test_the_hip_runtime_is_not_linked() -> None:
    for command in COMMANDS.all("k.cpp", "libk.so", True):
        assert not [word for word in command if "amdhip" in word]


def test_no_module_runs_a_shell() -> None:
    for path in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword):
                assert node.arg != "shell", path
            if isinstance(node, ast.Attribute):
                assert node.attr not in ("system", "popen"), path


def test_importing_the_package_loads_neither_the_generator_nor_what_draws() -> None:
    import subprocess
    import sys

    program = (
        "import sys, ckdispatch.jit; from ckdispatch.jit import Cache; "
        "print(sorted({'ckgen', 'jinja2', 'rich', 'numpy', 'ckarch'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"
