# SPDX-License-Identifier: MIT
"""Turns statements into Python functions of a Scope."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pcode import floats, tree
from pcode.expressions import Bounds, bounds_of, calculate, expression, lane_of
from pcode.state import Cell, Scope, Variable
from pcode.values import Type, Value, cast, integer, type_of, view

Run = Callable[[Scope], None]
Store = Callable[[Scope, Value], None]


class _Break(Exception):
    pass


class _Return(Exception):
    def __init__(self, value: Value) -> None:
        super().__init__()
        self.value = value


class _Closure:
    def __init__(self, scope: Scope, parameters: tuple[str, ...], body: Run) -> None:
        self.scope = scope
        self.parameters = parameters
        self.body = body

    def __call__(self, _: Scope, *arguments: Value) -> Value:
        inner = replace(self.scope, names=dict(self.scope.names))
        inner.names.update(
            {name: Variable(value) for name, value in zip(self.parameters, arguments, strict=False)}
        )
        try:
            self.body(inner)
        except _Return as result:
            return result.value
        raise ValueError("a lambda ends without a result")


def block(statements: tree.Block) -> Run:
    """A function that does statements one after the other."""
    steps = [_STATEMENTS[type(statement)](statement) for statement in statements]

    def execute(scope: Scope) -> None:
        for step in steps:
            step(scope)

    return execute


def _assign(node: tree.Assign) -> Run:
    if isinstance(node.value, tree.Lambda):
        name, parameters = _name_of(node.targets[0]), node.value.parameters
        body = block(node.value.body)

        def define(scope: Scope) -> None:
            scope.names[name] = _Closure(scope, parameters, body)

        return define
    stores = [_store(target) for target in reversed(node.targets)]
    value = expression(node.value)
    if node.operator:
        before, operator, store = expression(node.targets[0]), node.operator, stores[0]

        def update(scope: Scope) -> None:
            old = before(scope)
            new = calculate(operator, old, value(scope), scope)
            store(
                scope,
                cast(new, old.type, scope.mode(old.type))
                if old.type.is_float
                else view(new, old.type),
            )

        return update

    def execute(scope: Scope) -> None:
        new = value(scope)
        for store in stores:
            store(scope, new)

    return execute


def _fitted(value: Value, kind: Type, scope: Scope) -> int:
    """The bits of a value that is stored as a type."""
    if value.type.is_float and kind.is_float:
        return cast(value, kind, scope.mode(kind)).bits
    return view(value, kind).bits


def _name_of(node: tree.Expression) -> str:
    assert isinstance(node, tree.Name)
    return node.name


def _store(target: tree.Expression) -> Store:
    if isinstance(target, tree.Concat):
        return _store_parts(target)
    if isinstance(target, tree.Name):
        return _store_name(target.name)
    # From the outside in: the last view gives the type, slices and indices the place.
    kind: Type | None = None
    offsets: list[Bounds] = []
    node: tree.Expression = target
    while True:
        if isinstance(node, tree.View):
            kind = kind or node.type
            node = node.of
        elif isinstance(node, tree.Slice):
            offsets.append(bounds_of(node))
            node = node.of
        elif (
            isinstance(node, tree.Index)
            and lane_of(node) is None
            and not isinstance(node.of, tree.Name)
        ):
            offsets.append(_bit(node))
            node = node.of
        else:
            break
    if not isinstance(node, tree.Index):
        return _store_named(_name_of(node), None, kind, offsets)
    lane = lane_of(node)
    if lane is not None:
        return _store_register(lane, node.at, kind, offsets)
    name = _name_of(node.of)
    if name in ("MEM", "LDS"):
        return _store_memory(node.at, kind or type_of("b", 32))
    return _store_named(name, _bit(node), kind, offsets)


def _store_named(name: str, at: Bounds | None, kind: Type | None, offsets: list[Bounds]) -> Store:
    """A part of a variable or of an operand, which may be an array."""
    if at is None and kind is not None and not offsets:
        return _store_view(name, kind)

    def store(scope: Scope, value: Value) -> None:
        found = scope.names.get(name)
        places = offsets
        if isinstance(found, list):
            assert at is not None
            found = found[at(scope)[0]]
        elif at:
            places = [*offsets, at]
        if not isinstance(found, Cell):
            found = Variable(Value(0, kind or value.type))
            scope.names[name] = found
        _write(found, value, kind, places, scope)

    return store


def _store_view(name: str, kind: Type) -> Store:
    """`name.kind = …`, the usual case of _store_named, which is also the quickest."""

    def store(scope: Scope, value: Value) -> None:
        found = scope.names.get(name)
        if not isinstance(found, Cell):
            found = Variable(Value(0, kind))
            scope.names[name] = found
        width = found.width if kind.width == 16 and found.clears_upper else kind.width
        found.write(0, width, value.bits if value.type is kind else _fitted(value, kind, scope))

    return store


def _bit(node: tree.Index) -> Bounds:
    at = expression(node.at)
    return lambda scope: (at(scope).integer, 1, False)


def _write(
    cell: Cell, value: Value, kind: Type | None, offsets: list[Bounds], scope: Scope
) -> None:
    if kind is None and not offsets and isinstance(cell, Variable):
        kind = cell.type
    low, width = 0, kind.width if kind else cell.width
    for number, offset in enumerate(offsets):
        first, count, _ = offset(scope)
        low += first
        width = width if number else count
    if not offsets and width == 16 and cell.clears_upper:
        width = cell.width
    cell.write(low, width, _fitted(value, kind, scope) if kind else value.bits)


def _store_register(
    of_lane: tree.Expression, at: tree.Expression, kind: Type | None, offsets: list[Bounds]
) -> Store:
    lane, register = expression(of_lane), expression(at)

    def store(scope: Scope, value: Value) -> None:
        which, number = lane(scope).integer, register(scope).integer
        cell = Cell(scope.registers.read(which, number), 32)
        _write(cell, value, kind, offsets, scope)
        scope.registers.write(which, number, cell.bits)

    return store


def _store_name(name: str) -> Store:
    def store(scope: Scope, value: Value) -> None:
        if name == "ROUND_MODE":
            scope.round32, scope.round64 = (
                floats.Round(value.bits & 3),
                floats.Round(value.bits >> 2 & 3),
            )
            return
        found = scope.names.get(name)
        if isinstance(found, Cell) and not isinstance(found, Variable):
            found.write(0, found.width, value.bits)
        else:
            scope.names[name] = Variable(value)

    return store


def _store_memory(at: tree.Expression, kind: Type) -> Store:
    address = expression(at)
    size = kind.width // 8

    def store(scope: Scope, value: Value) -> None:
        scope.memory.store(address(scope).bits, size, _fitted(value, kind, scope))

    return store


def _store_parts(target: tree.Concat) -> Store:
    parts = [(_store(part), part) for part in reversed(target.parts)]

    def store(scope: Scope, value: Value) -> None:
        bits = value.bits
        for write, part in parts:
            if isinstance(part, tree.View):
                width = part.type.width
            else:
                width = scope.cell(_name_of(part)).width
            write(scope, Value(bits & ((1 << width) - 1), type_of("b", width)))
            bits >>= width

    return store


def _declare(node: tree.Declare) -> Run:
    def execute(scope: Scope) -> None:
        # An operand may be declared too, to say what it is.
        if node.name in scope.names:
            return
        zero = Value(0, node.type)
        scope.names[node.name] = (
            [Variable(zero) for _ in range(node.length)] if node.length else Variable(zero)
        )

    return execute


def _if(node: tree.If) -> Run:
    branches = [
        (expression(condition) if condition else None, block(inner))
        for condition, inner in node.branches
    ]

    def execute(scope: Scope) -> None:
        for condition, inner in branches:
            if condition is None or condition(scope).bits:
                inner(scope)
                return

    return execute


def _for(node: tree.For) -> Run:
    first, last, body, name = (
        expression(node.first),
        expression(node.last),
        block(node.body),
        node.name,
    )

    def execute(scope: Scope) -> None:
        start = first(scope)
        for number in range(start.integer, last(scope).integer + 1):
            scope.names[name] = integer(number, start.type)
            try:
                body(scope)
            except _Break:
                break

    return execute


def _break(_: tree.Break) -> Run:
    def execute(_: Scope) -> None:
        raise _Break

    return execute


def _return(node: tree.Return) -> Run:
    value = expression(node.value)

    def execute(scope: Scope) -> None:
        raise _Return(value(scope))

    return execute


def _do(node: tree.Do) -> Run:
    value = expression(node.expression)

    def execute(scope: Scope) -> None:
        value(scope)

    return execute


_STATEMENTS: dict[type, Callable[..., Run]] = {
    tree.Assign: _assign,
    tree.Declare: _declare,
    tree.If: _if,
    tree.For: _for,
    tree.Break: _break,
    tree.Return: _return,
    tree.Do: _do,
}
