# SPDX-License-Identifier: MIT
"""Runs pseudocode.

How the language is read where AMD's text leaves it open:
- Integers of fewer than 32 bits become 32 bits wide in sums, products and shifts; the wider type
  wins, then the unsigned one.
- A view extends a signed value by its sign and everything else by zeros.
- A zero that is written with its sign, as in `x == -0.0`, is compared with its sign.
- `x * 2.0 ** n` has one rounding and `2.0 ** n` never overflows by itself.
- `x == DENORM.f32` asks whether x is denormal.
- `v_name(…)` runs the pseudocode of that instruction.
"""

from __future__ import annotations

from functools import cache

from pcode import source, tree
from pcode.parser import parse
from pcode.state import Cell, Scope
from pcode.statements import Run, block
from pcode.values import Type, Value, type_of, view


def run(code: str, scope: Scope) -> None:
    """Runs the text `code`, which reads and changes what `scope` names."""
    scope.call = _call
    _compiled(code)(scope)


@cache
def _compiled(code: str) -> Run:
    """Kept by the text, whose hash Python remembers; that of a tree is computed at each look."""
    return block(parse(code))


def _call(name: str, scope: Scope, values: list[Value]) -> Value:
    for generation in (scope.generation, "rdna4", "rdna3", "cdna"):
        for entry in source.entries(generation).get(name, {}).values():
            if entry.code:
                return _call_code(entry.code, scope, values)
    raise ValueError(f"the function {name} is not known")


def _call_code(code: str, scope: Scope, values: list[Value]) -> Value:
    inner = scope.child()
    inner.names.update(
        {f"S{i}": Cell(value.bits, value.type.width) for i, value in enumerate(values)}
    )
    inner.names["D0"] = Cell(0, 64)
    run(code, inner)
    return view(inner.cell("D0").read(), _type_of_result(code))


@cache
def _type_of_result(code: str) -> Type:
    return _result_type(parse(code))


def _result_type(block: tree.Block) -> Type:
    for statement in block:
        if isinstance(statement, tree.Assign):
            for target in statement.targets:
                if isinstance(target, tree.View) and target.of == tree.Name("D0"):
                    return target.type
        if isinstance(statement, tree.If):
            for _, inner in statement.branches:
                found = _result_type(inner)
                if found is not _NO_TYPE:
                    return found
    return _NO_TYPE


_NO_TYPE = type_of("b", 64)
