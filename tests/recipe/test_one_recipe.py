# SPDX-License-Identifier: MIT
"""One kernel of each family, built by the Bazel rules, just in time, and with each build system
that there are exports for.

All code objects are the same, byte for byte. So are the libraries of the rules and of just-in-time
builds, but for one note that only the rules write: what the code objects use, which
``tools/inspect`` finds out. An exported build makes one library of all kernels, with a list of
them, and is compared by its code objects. All of them find the same compiler.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from ckarch import load_specs
from ckdispatch.jit import Cache, build
from ckdispatch.jit.command import Commands, code_object, links
from ckdispatch.jit.compiler import Compiler, find_compiler
from ckdispatch.jit.headers import composable_kernel, own_headers, unpack
from ckdispatch.jit.kernel import Workplace
from ckdispatch.jit.process import Processes
from ckdispatch.jit.sources import family_files, source_text
from ckgen.core.export.plan import FIND_COMPILER, make_plan, write_shared_files
from ckgen.core.export.systems import SYSTEMS
from ckgen.core.generate import generate
from ckgen.core.spec import KernelSpec
from ckgen.families import FAMILIES
from exported_library import kernels_of, listed, multiplies_ones, needed

ARCH = load_specs()
GPU = ARCH.gpu("gfx942")
_MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
LIBRARIES = [Path(path) for path in os.environ["CK_KERNELS"].split() if path.endswith(".so")]
BUILD = {
    "makefile": [["make"]],
    "ninja": [["ninja", "-j1"]],
    "cmake": [["cmake", "-G", "Ninja", "-DCK_INCLUDE={ck}", "."], ["ninja", "-j1"]],
}


def spec_of(library: Path) -> KernelSpec:
    """The spec that a library tells."""
    name = library.name.removeprefix("lib").removesuffix(".so")
    found = [
        family.parse_name(name)
        for family in FAMILIES.values()
        if name.startswith(f"{family.name}_")
    ]
    return found[0]


def bundled(library: bytes) -> list[bytes]:
    """The code objects in a library, sorted."""
    found = []
    for bundle in (library[match.start() :] for match in re.finditer(_MAGIC, library)):
        at = len(_MAGIC) + 8
        for _ in range(struct.unpack_from("<Q", bundle, len(_MAGIC))[0]):
            offset, size, length = struct.unpack_from("<QQQ", bundle, at)
            name = bundle[at + 24 : at + 24 + length].decode()
            at += 24 + length
            assert name.startswith("host") or name.endswith(f"--{GPU.name}")
            found += [bundle[offset : offset + size]] if size else []
    return sorted(found)


def note_of(library: bytes) -> bytes:
    """What a library tells about the resources of its code objects."""
    note: bytes
    (note,) = re.findall(rb'\{"abi_version":\d+,"resources":(.*?),"spec":', library)
    return note


def code_object_of(name: str) -> bytes:
    """The code object that the rules compiled."""
    (path,) = (
        path
        for path in os.environ["CK_CODE_OBJECTS"].split()
        if path.endswith(f"/{name}.{GPU.name}.co")
    )
    return Path(path).read_bytes()


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Cache:
    return Cache(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def compiler(cache: Cache) -> Compiler:
    return find_compiler(cache.layout.memos)


@pytest.fixture(scope="session", params=LIBRARIES, ids=lambda path: spec_of(path).family)
def by_rules(request: pytest.FixtureRequest) -> Path:
    """A library that the rules built."""
    return Path(request.param)


@pytest.fixture(scope="session")
def just_in_time(by_rules: Path, cache: Cache) -> bytes:
    """The same kernel, built just in time."""
    (result,) = build([spec_of(by_rules)], GPU.name, max_workers=1, cache=cache)
    return result.check().read_bytes()


def linked_anew(
    spec: KernelSpec, compiled: bytes, note: bytes, compiler: Compiler, cache: Cache, folder: Path
) -> bytes:
    """The library that just-in-time builds make of a code object,
    with a note about what that uses.
    """
    family = FAMILIES[spec.family]
    commands = Commands.by(compiler, [GPU])
    with cache.lease() as lease:
        ck, own = (
            unpack(source, cache, lease, lambda: None)
            for source in (composable_kernel(cache.layout.memos), own_headers(family))
        )
        place = Workplace.furnish(folder, commands, Processes(), links(compiler, ck, own))
        source, library = f"{spec.name}.cpp", f"lib{spec.name}.so"
        files = {
            source: source_text(family, spec, ARCH),
            "exports.map": family_files(family).exports,
            "resources.inc": json.dumps(note.decode()).encode(),
            code_object(GPU): compiled,
        }
        for name, data in files.items():
            (folder / name).write_bytes(data)
        place.run(commands.bundle(), "bundling")
        place.run(
            commands.host(source, family.row.host_needs_ck, ["resources.inc"]),
            "compiling the host side",
        )
        place.run(commands.link(library), "linking")
    return (folder / library).read_bytes()


def test_just_in_time_code_objects_are_those_of_the_rules(
    by_rules: Path, just_in_time: bytes
) -> None:
    compiled = code_object_of(spec_of(by_rules).name)
    assert bundled(by_rules.read_bytes()) == [compiled]
    assert bundled(just_in_time) == [compiled]


def test_just_in_time_libraries_differ_in_the_note_about_resources_alone(
    by_rules: Path, just_in_time: bytes, compiler: Compiler, cache: Cache, tmp_path: Path
) -> None:
    ours = by_rules.read_bytes()
    assert note_of(just_in_time) == b"null" and f'"{GPU.name}"'.encode() in note_of(ours)
    noted = linked_anew(
        spec_of(by_rules), bundled(just_in_time)[0], note_of(ours), compiler, cache, tmp_path
    )
    assert noted == ours


def run(command: list[str], folder: Path) -> str:
    """What ``command`` prints; a failure fails the test with it."""
    assert shutil.which(command[0]), f"{command[0]} must be installed"
    ck = str(Path(os.environ["CK_CORE"]).absolute().parents[1])
    environment = {**os.environ, "CK_INCLUDE": ck}
    words = [word.format(ck=ck) for word in command]
    done = subprocess.run(
        words,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def export(system: str, folder: Path) -> str:
    """Build the kernels of all families with ``system``, without a word about the compiler; returns
    what it printed.
    """
    specs = [spec_of(path) for path in LIBRARIES]
    plan = make_plan([(spec.name, [GPU.name]) for spec in specs], ARCH)
    for spec in specs:
        family = FAMILIES[spec.family]
        generate(family, [spec], ARCH, folder, 1, lambda *_: None)
        write_shared_files(plan, family.headers, folder)
    (folder / SYSTEMS[system].file_name).write_text(SYSTEMS[system].render(plan), encoding="utf-8")
    return "".join(run(command, folder) for command in BUILD[system])


@pytest.mark.parametrize("system", SYSTEMS)
def test_an_exported_library_lists_its_kernels_which_are_those_of_the_rules(
    system: str, tmp_path: Path
) -> None:
    printed = export(system, tmp_path)
    names = [spec_of(path).name for path in LIBRARIES]
    for number, name in enumerate(names, start=1):
        assert f"[{number}/{len(names)}] Building kernel: {name}" in printed
    library = tmp_path / "libck_kernels.so"
    assert bundled(library.read_bytes()) == sorted(code_object_of(name) for name in names)
    assert needed(library) == ["libc.so.6"]
    assert listed(library) == {"names": sorted(names), "hip": False}
    (kernel,) = (
        kernel for kernel in kernels_of(library) if kernel.describe()["spec"]["family"] == "gemm"
    )
    assert multiplies_ones(kernel)

    again = ["make" if system == "makefile" else "ninja", "-n"]
    assert "Building kernel" not in run(again, tmp_path), "nothing changed"
    os.utime(tmp_path / "include" / "ck_kernel_abi.h")
    assert run(again, tmp_path).count("Building kernel: ") == len(names), "a header changed"


def test_all_of_them_find_the_same_compiler(compiler: Compiler, tmp_path: Path) -> None:
    (by_the_rules,) = re.findall(
        r"^HIP compiler: .* \((.*)\)$", Path(os.environ["CK_FOUND"]).read_text(), re.MULTILINE
    )
    write_shared_files(make_plan([], ARCH), {}, tmp_path)
    exported = subprocess.run(
        ["sh", FIND_COMPILER], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout.strip()
    assert Path(by_the_rules).samefile(compiler.clang)
    assert Path(exported).samefile(compiler.clang)
