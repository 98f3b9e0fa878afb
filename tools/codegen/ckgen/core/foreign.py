# SPDX-License-Identifier: MIT
"""Words of AMD's pages about its own dispatcher, and what to type here in their place.

Words that mean the same here are simply accepted where they belong. These are the others: options
and files that have no counterpart of that name, and extents that are said one by one. Files that
are about one family are told by it. Both command lines and docs/from-amd.md have them from here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from types import MappingProxyType
from typing import Any

from ckgen.core import codec
from ckgen.core.errors import FieldError
from ckgen.core.family import Family

GENERATOR = "ckgen"
DISPATCHER = "ckdispatch"

_BUILD_FILES = "--generate-cmake, --generate-ninja or --generate-makefile"
_BY_GENERATOR = "`python3 -m ckgen FAMILY --output-dir DIR`"
_RECIPE = (
    "kernels are compiled by one recipe, uncompressed because their code is read before it is "
    "loaded; leave it out"
)

OPTIONS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        GENERATOR: {
            "--kernel-dir": "a kernel is one source that needs no wrapper; write --output-dir DIR, "
            f"and with it {_BUILD_FILES}",
            "--pattern": "kernels are chosen before they are written; write --datatype, --layout "
            "and --variants, or a --declaration with an entry for each",
            "--offload-compress": _RECIPE,
        },
        DISPATCHER: {
            "--kernel-dir": "write --kernels with the name of a set, or with the path of a "
            "manifest or of a library",
            "--pattern": "kernels are chosen by what they are; write --kernels SET, and for `list` "
            "--variant, --dtype, --layout or --pipeline",
            "--parallel": "kernels are compiled several at a time anyway; `build --jobs N` says "
            "how many",
            "-v": "progress is shown unless --quiet is said; leave it out",
            "--verbose": "progress is shown unless --quiet is said; leave it out",
            "--offload-compress": _RECIPE,
            "--gpu-target": "write --gpu GPU, or for what runs --device sim:GPU or hip:0",
            "--datatype": "write --dtype; in a problem a dtype is a word of its own",
            "--variants": "write --variant",
            "--preselected": "write --kernels SET",
            "--output-dir": f"sources are written by {_BY_GENERATOR}; `build` compiles into the "
            "cache, and --save FILE lists what it built",
            **dict.fromkeys(
                ("--generate-cmake", "--generate-ninja", "--generate-makefile"),
                f"build files are written by {_BY_GENERATOR} with this option",
            ),
        },
    }
)
"""What to do in place of saying an option to one of our programs."""

FILES: Mapping[str, str] = MappingProxyType(
    {
        "generate_kernel_wrappers.py": OPTIONS[GENERATOR]["--kernel-dir"],
        "generate_arch_specs.py": "what follows from arch/arch_specs.json is made by every build; "
        "edit that file and build",
        "arch_specs_generated.py": "write `import ckarch`; `ckarch.load_specs()` has the facts",
        "codegen_common.py": "write `import ckdispatch`; its configs know what is legal on a GPU, "
        "and its `CodegenRunner` generates",
        "ctypes_utils.py": "write `import ckdispatch`",
        "preselected_kernels.py": f"sets are declarations, the files of kernels/; {_BY_GENERATOR} "
        "takes the name of one as --preselected, and a wrong name lists them all",
        "ADDING_NEW_GPU.md": "read docs/adding-a-gpu.md",
    }
)
"""What to do in place of running, importing or reading a file of no single family."""

EXTENTS: Mapping[str, tuple[str, int]] = MappingProxyType(
    {
        f"{word}_{axis}": (field, at)
        for field, word in (("tile", "tile"), ("waves", "wave"), ("warp_tile", "warp_tile"))
        for at, axis in enumerate("mnk")
    }
)
"""The field of an entry, and which of its numbers, that a word for one extent means."""


def files(families: Mapping[str, Family]) -> Mapping[str, str]:
    """What to do in place of running, importing or reading each file."""
    told = dict(FILES)
    for family in families.values():
        told |= family.foreign_files
    return told


def command_of(families: Mapping[str, Family], word: str) -> str | None:
    """The command of the generator that a script is, if it is one."""
    stem = PurePath(word).stem
    return next((name for name in families if stem == f"unified_{name}_codegen"), None)


def objection(program: str, families: Mapping[str, Family], arguments: Sequence[str]) -> str | None:
    """The sentence about the first of the arguments that is foreign to the program, if one is."""
    told = _about_a_file(program, families, arguments[0]) if arguments else None
    if told is not None:
        return told
    for argument in arguments:
        word = argument.partition("=")[0]
        if word in OPTIONS[program]:
            return (
                f"the option {word} is one of AMD's dispatcher, and there is none here: "
                + OPTIONS[program][word]
            )
    return None


def _about_a_file(program: str, families: Mapping[str, Family], word: str) -> str | None:
    said = PurePath(word).name
    command = command_of(families, said)
    if command is not None and program != GENERATOR:
        by_generator = _BY_GENERATOR.replace("FAMILY", command)
        return f"{said} is a program of AMD's; here sources are written by {by_generator}"
    for name, instead in files(families).items():
        if said in (name, PurePath(name).stem):
            return f"{name} is a file of AMD's, and there is none here: {instead}"
    return None


def with_whole_extents(family: Family, fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields of an entry, where some extents are said one by one.

    Who says them so leaves out what an entry of ours must say: it is filled in with what is usual.
    """
    usual = {field.name: field.usual for field in family.entry_fields if field.usual is not None}
    single = [word for word in fields if word in EXTENTS and EXTENTS[word][0] in usual]
    if not single:
        return fields
    said = {name: value for name, value in fields.items() if name not in single}
    filled = {name: codec.encode(value) for name, value in usual.items()}
    for word in single:
        field, at = EXTENTS[word]
        if field in said:
            raise FieldError(f"{word} was said beside {field}; say one of them")
        filled[field][at] = fields[word]
    return {**filled, **said}
