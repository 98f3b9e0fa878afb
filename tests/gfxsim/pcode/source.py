# SPDX-License-Identifier: MIT
"""The pseudocode and the operands of all instructions, which the package tinygrad carries as data.

The files are read without being imported: nothing of that package runs.
"""

from __future__ import annotations

import ast
import importlib.util
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

GENERATIONS = ("cdna", "rdna3", "rdna4")


@dataclass(frozen=True)
class Field:
    """An operand: its number format ("F32", "PK2_F16", "M64", …), its bits and what may stand there
    ("SRC", "VGPR", …).
    """

    format: str
    bits: int
    place: str


@dataclass(frozen=True)
class Entry:
    """One instruction in one encoding, such as V_ADD_F32 in VOP2."""

    generation: str
    encoding: str
    name: str
    code: str  # empty: AMD gives none
    fields: dict[str, Field]


def _folder() -> Path:
    # Finding the specification of a package does not run it.
    found = importlib.util.find_spec("tinygrad")
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError(
            "the package tinygrad, which holds AMD's pseudocode, is not installed"
        )
    return Path(found.submodule_search_locations[0]) / "runtime" / "autogen" / "amd"


def _table(path: Path, name: str) -> ast.Dict:
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and getattr(statement.targets[0], "id", "") == name:
            assert isinstance(statement.value, ast.Dict)
            return statement.value
    raise ValueError(f"{path.name} holds no table {name}")


# gfx12 has other names for the encodings of memory instructions.
_ENCODINGS = {"VFLAT": "FLAT", "VGLOBAL": "GLOBAL", "VSCRATCH": "SCRATCH", "VBUFFER": "MUBUF"}
# And for their operands; a source that must be a vector register has a name of its own.
_NAMES = {"vsrc0": "src0", "vsrc1": "src1", "vsrc": "data", "rsrc": "srsrc"}


def _attribute(node: ast.expr | None) -> ast.Attribute:
    assert isinstance(node, ast.Attribute)
    return node


def _text(node: ast.expr | None) -> str:
    assert isinstance(node, ast.Constant) and isinstance(node.value, str)
    return node.value


def _number(node: ast.expr) -> int:
    assert isinstance(node, ast.Constant) and isinstance(node.value, int)
    return node.value


def _items(node: ast.expr) -> list[tuple[ast.expr | None, ast.expr]]:
    assert isinstance(node, ast.Dict)
    return list(zip(node.keys, node.values, strict=False))


def _key(key: ast.expr | None) -> tuple[str, str]:
    node = _attribute(key)
    assert isinstance(node.value, ast.Name)
    encoding = node.value.id.removesuffix("Op")
    return _ENCODINGS.get(encoding, encoding), re.sub(r"_E(32|64)$", "", node.attr)


def _name(encoding: str, name: str) -> str:
    if name == "vaddr" and encoding != "MUBUF":
        return "addr"
    return _NAMES.get(name, name)


def _field(node: ast.expr) -> Field:
    assert isinstance(node, ast.Tuple)
    form, bits, place = node.elts
    name = _attribute(form).attr.removeprefix("FMT_").removeprefix("NUM_")
    return Field(name, _number(bits), _attribute(place).attr.removeprefix("OPR_"))


@cache
def entries(generation: str) -> dict[str, dict[str, Entry]]:
    """For a generation: mnemonic, in lower case and without suffix → encoding → entry."""
    folder = _folder() / generation
    code = _table(folder / "str_pcode.py", "PCODE")
    texts = {_key(key): _text(value) for key, value in _items(code)}
    operands = _table(folder / "operands.py", "OPERANDS")
    fields = {
        key: {_name(key[0], _text(name)): _field(field) for name, field in _items(value)}
        for key, value in ((_key(node), value) for node, value in _items(operands))
    }
    found: dict[str, dict[str, Entry]] = {}
    for encoding, name in {**fields, **texts}:
        entry = Entry(
            generation,
            encoding,
            name,
            texts.get((encoding, name), ""),
            fields.get((encoding, name), {}),
        )
        found.setdefault(name.lower(), {})[encoding] = entry
    return found
