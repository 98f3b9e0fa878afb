# SPDX-License-Identifier: MIT
"""One kernel of each family, built by the Bazel rules, just in time, and with each build system that there are exports for.

All code objects are the same, byte for byte. So are the libraries of the rules and of just-in-time builds, but for one note that only the rules
write: what the code objects use, which ``tools/inspect`` finds out. A library of an export holds several kernels and a list of them, and can
be compared by its code objects alone. All of them use the same compiler.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import subprocess
from collections.abc import Mapping
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

ARCH = load_specs()
GPU = ARCH.gpu("gfx942")
_MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
LIBRARIES = [Path(path) for path in os.environ["CK_KERNELS"].split() if path.endswith(".so")]
COMMANDS = {"makefile": [["make"]], "ninja": [["ninja", "-j1"]], "cmake": [["cmake", "-G", "Ninja", "-DCK_INCLUDE={ck}", "."], ["ninja", "-j1"]]}


def spec_of(library: Path) -> KernelSpec:
    """The spec that a library tells."""
    name = library.name.removeprefix("lib").removesuffix(".so")
    found = [family.parse_name(name) for family in FAMILIES.values() if name.startswith(f"{family.name}_")]
    return found[0]


def bundled(library: bytes) -> dict[str, bytes]:
    """The code objects in a library, by their GPUs."""
    assert library.count(_MAGIC) == 1
    bundle = library[library.index(_MAGIC) :]
    found, at = {}, len(_MAGIC) + 8
    for _ in range(struct.unpack_from("<Q", bundle, len(_MAGIC))[0]):
        offset, size, length = struct.unpack_from("<QQQ", bundle, at)
        name = bundle[at + 24 : at + 24 + length].decode()
        at += 24 + length
        if not name.startswith("host"):
            found[name.rpartition("--")[2]] = bundle[offset : offset + size]
    return found


def note_of(library: bytes) -> bytes:
    """What a library tells about the resources of its code objects."""
    (note,) = re.findall(rb'\{"abi_version":\d+,"resources":(.*?),"spec":', library)
    return note


def code_object_of(name: str) -> bytes:
    """The code object that the rules compiled."""
    (path,) = (path for path in os.environ["CK_CODE_OBJECTS"].split() if path.endswith(f"/{name}.{GPU.name}.co"))
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


def linked_anew(spec: KernelSpec, code_objects: Mapping[str, bytes], note: bytes, compiler: Compiler, cache: Cache, folder: Path) -> bytes:
    """The library that just-in-time builds make of code objects, with a note about what those use."""
    family = FAMILIES[spec.family]
    commands = Commands.by(compiler, [GPU])
    with cache.lease() as lease:
        ck, own = (unpack(source, cache, lease, lambda: None) for source in (composable_kernel(cache.layout.memos), own_headers(family)))
        place = Workplace.furnish(folder, commands, Processes(), links(compiler, ck, own))
        source, library = f"{spec.name}.cpp", f"lib{spec.name}.so"
        files = {
            source: source_text(family, spec, ARCH),
            "exports.map": family_files(family).exports,
            "resources.inc": json.dumps(note.decode()).encode(),
            **{code_object(ARCH.gpu(gpu)): data for gpu, data in code_objects.items()},
        }
        for name, data in files.items():
            (folder / name).write_bytes(data)
        place.run(commands.bundle(), "bundling")
        place.run(commands.host(source, family.row.host_needs_ck, ["resources.inc"]), "compiling the host side")
        place.run(commands.link(library), "linking")
    return (folder / library).read_bytes()


def test_just_in_time_code_objects_are_those_of_the_rules(by_rules: Path, just_in_time: bytes) -> None:
    expected = {GPU.name: code_object_of(spec_of(by_rules).name)}
    assert bundled(by_rules.read_bytes()) == expected
    assert bundled(just_in_time) == expected


def test_just_in_time_libraries_differ_in_the_note_about_resources_alone(
    by_rules: Path, just_in_time: bytes, compiler: Compiler, cache: Cache, tmp_path: Path
) -> None:
    ours = by_rules.read_bytes()
    assert note_of(just_in_time) == b"null" and f'"{GPU.name}"'.encode() in note_of(ours)
    noted = linked_anew(spec_of(by_rules), bundled(just_in_time), note_of(ours), compiler, cache, tmp_path)
    assert noted == ours


@pytest.mark.parametrize("system", SYSTEMS)
def test_exported_code_objects_are_those_of_the_rules(by_rules: Path, system: str, tmp_path: Path) -> None:
    spec, ck = spec_of(by_rules), os.path.abspath(os.environ["CK_INCLUDE"])
    generate(FAMILIES[spec.family], [spec], ARCH, tmp_path, 1, lambda *_: None)
    plan = make_plan([(spec.name, [GPU.name])], ARCH)
    write_shared_files(plan, FAMILIES[spec.family].headers, tmp_path)
    (tmp_path / SYSTEMS[system].file_name).write_text(SYSTEMS[system].render(plan), encoding="utf-8")
    for command in COMMANDS[system]:
        assert shutil.which(command[0]), f"{command[0]} must be installed"
        words = [word.format(ck=ck) for word in command]
        done = subprocess.run(words, cwd=tmp_path, env={**os.environ, "CK_INCLUDE": ck}, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    assert bundled((tmp_path / "libck_kernels.so").read_bytes()) == {GPU.name: code_object_of(spec.name)}


def test_all_of_them_find_the_same_compiler(compiler: Compiler, tmp_path: Path) -> None:
    (by_the_rules,) = re.findall(r"^HIP compiler: .* \((.*)\)$", Path(os.environ["CK_FOUND"]).read_text(), re.MULTILINE)
    write_shared_files(make_plan([], ARCH), {}, tmp_path)
    exported = subprocess.run(["sh", FIND_COMPILER], cwd=tmp_path, capture_output=True, text=True, check=True).stdout.strip()
    assert Path(by_the_rules).samefile(compiler.clang)
    assert Path(exported).samefile(compiler.clang)
