# SPDX-License-Identifier: MIT
"""Build files at work, with a compiler that only notes how it was called."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from ckgen.core.export.plan import make_plan, write_shared_files
from ckgen.core.export.systems import SYSTEMS
from codegen_support import ARCH

NAMES = ("kernel_a", "kernel_b")
PROGRAMS = {"make": "makefile", "ninja": "ninja", "cmake": "cmake"}

# Writes its arguments to compiler.log, and the output and dependency files that they ask for.
COMPILER = """#!/bin/sh
out= ; deps= ; line=
for word in "$@"; do
    case "$last" in -o) out=$word ;; -MF) deps=$word ;; esac
    last=$word
    line="$line<$word>"
done
# One write, for two compilers may run at the same time.
printf '%s\n' "$line" >> "$COMPILER_LOG"
[ -z "$deps" ] || echo "$out: $HEADER" > "$deps"
echo > "$out"
"""


class Build:
    """A folder with two kernels and the build file of one system."""

    def __init__(self, system: str, folder: Path) -> None:
        if shutil.which(system) is None or shutil.which("ninja") is None:
            pytest.skip(f"{system} is not installed")
        self.folder = folder / "out put"
        self.system = system
        self.log = folder / "compiler.log"
        self.header = folder / "header.hpp"
        self.header.write_text("", encoding="utf-8")
        compiler = folder / "hipcc"
        compiler.write_text(COMPILER, encoding="utf-8")
        compiler.chmod(0o755)
        plan = make_plan([(name, ["gfx942"]) for name in NAMES], ARCH)
        write_shared_files(plan, {}, self.folder)
        for name in NAMES:
            (self.folder / f"{name}.cpp").write_text("", encoding="utf-8")
        written = SYSTEMS[PROGRAMS[system]]
        (self.folder / written.file_name).write_text(written.render(plan), encoding="utf-8")
        self.environment = {
            **os.environ,
            "HIPCC": str(compiler),
            "CK_INCLUDE": "/ck include",
            "COMPILER_LOG": str(self.log),
            "HEADER": str(self.header),
        }

    def run(self, target: str = "", **changes: str) -> str:
        """Build all or a target; returns what was printed. The commands of the compiler are in
        ``calls``.
        """
        self.log.write_text("", encoding="utf-8")
        environment = {**self.environment, **changes}
        commands = [[self.system, *([target] if target else [])]]
        if self.system == "cmake":
            values = [f"-D{key}={environment[key]}" for key in ("HIPCC", "CK_INCLUDE")]
            commands = [["cmake", ".", "-G", "Ninja", *values], ["cmake", "--build", "."]]
            commands[1] += ["--target", target] if target else []
        printed = ""
        for command in commands:
            done = subprocess.run(
                command,
                cwd=self.folder,
                env=environment,
                text=True,
                check=False,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
            printed += done.stdout
            if done.returncode:
                return f"FAILED: {printed}"
        return printed

    @property
    def calls(self) -> list[str]:
        """The compiler's command lines, each argument in angle brackets."""
        return self.log.read_text(encoding="utf-8").splitlines()


@pytest.fixture(name="build", params=sorted(PROGRAMS))
def _build(request: pytest.FixtureRequest, tmp_path: Path) -> Build:
    return Build(request.param, tmp_path)


def test_all_kernels_are_a_target(build: Build) -> None:
    assert not build.run(target="all_kernels").startswith("FAILED")
    assert (build.folder / "libck_kernels.so").exists()


def test_words_of_amds_makefile_are_taken(tmp_path: Path) -> None:
    build = Build("make", tmp_path)
    assert "[2/2] Building kernel: kernel_b" in build.run("VERBOSE=1")
    assert not build.run("clean").startswith("FAILED")
    assert not (build.folder / "libck_kernels.so").exists()


def test_every_kernel_is_compiled_once_and_all_are_linked(build: Build) -> None:
    printed = build.run()
    for number, name in enumerate(NAMES, start=1):
        assert f"[{number}/2] Building kernel: {name}" in printed
        assert len([call for call in build.calls if f"{name}.cpp>" in call]) == 1
    (link,) = (call for call in build.calls if "<-shared>" in call)
    for name in (*NAMES, "all_kernels"):
        assert f"<{name}.o>" in link
    assert (build.folder / "libck_kernels.so").exists()


def test_flags_and_folders_arrive_whole(build: Build) -> None:
    build.run()
    (call,) = (call for call in build.calls if "kernel_a.cpp>" in call)
    assert '<-DCK_KERNEL_GPUS="gfx942:64">' in call
    assert "<-I/ck include>" in call
    assert "<--offload-arch=gfx942>" in call and "<-DCK_KERNEL_COMBINED>" in call


def test_a_second_build_compiles_nothing(build: Build) -> None:
    build.run()
    build.run()
    assert build.calls == []


def test_an_edited_kernel_compiles_alone(build: Build) -> None:
    build.run()
    later(build.folder / "kernel_b.cpp")
    build.run()
    assert ["kernel_b.cpp>" in call for call in build.calls] == [True, False]
    assert "<-shared>" in build.calls[1]


def test_an_edited_header_compiles_what_includes_it(build: Build) -> None:
    build.run()
    later(build.header)
    build.run()
    assert len([call for call in build.calls if "kernel_" in call and "<-c>" in call]) == 2


def test_without_ck_the_build_says_what_to_set(build: Build) -> None:
    printed = build.run(CK_INCLUDE="")
    assert printed.startswith("FAILED") and "CK_INCLUDE" in printed
    assert not any("kernel_a.cpp>" in call for call in build.calls)


def later(path: Path) -> None:
    """Give ``path`` a time stamp that no clock's granularity can hide."""
    now = path.stat().st_mtime
    os.utime(path, (now + 5, now + 5))
