# SPDX-License-Identifier: MIT
"""Words of AMD's pages about its own dispatcher, and what to type here in their place.

Words that mean the same here are simply accepted where they belong. These are the others: options
and scripts that have no counterpart of that name, and extents that are said one by one. Both
command lines and docs/from-amd.md have them from here.
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

SCRIPTS: Mapping[str, str] = MappingProxyType(
    {
        "generate_kernel_wrappers": OPTIONS[GENERATOR]["--kernel-dir"],
        "generate_arch_specs": "what follows from arch/arch_specs.json is made by every build; "
        "edit that file and build",
    }
)
"""What to do in place of running a script."""

EXTENTS: Mapping[str, tuple[str, int]] = MappingProxyType(
    {
        f"{word}_{axis}": (field, at)
        for field, word in (("tile", "tile"), ("waves", "wave"), ("warp_tile", "warp_tile"))
        for at, axis in enumerate("mnk")
    }
)
"""The field of an entry, and which of its numbers, that a word for one extent means."""


def objection(program: str, arguments: Sequence[str]) -> str | None:
    """The sentence about the first of the arguments that is foreign to the program, if one is."""
    for argument in arguments:
        word = argument.partition("=")[0]
        if word in OPTIONS[program]:
            return _sentence(f"the option {word}", OPTIONS[program][word])
    return None


def command_of(families: Mapping[str, Family], script: str) -> str | None:
    """The command of the generator that a script is; ``FieldError`` says what else to do."""
    stem = PurePath(script).stem
    if stem in SCRIPTS:
        raise FieldError(_sentence(f"the script {stem}.py", SCRIPTS[stem]))
    return next((name for name in families if stem == f"unified_{name}_codegen"), None)


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


def _sentence(what: str, instead: str) -> str:
    return f"{what} is one of AMD's dispatcher, and there is none here: {instead}"
