# SPDX-License-Identifier: MIT
"""Runs pseudocode: the tree is turned into Python functions of a Scope.

How the language is read where AMD's text leaves it open:
- Integers of fewer than 32 bits become 32 bits wide in sums, products and shifts; the wider type wins, then the unsigned one.
- A view extends a signed value by its sign and everything else by zeros.
- A zero that is written with its sign, as in `x == -0.0`, is compared with its sign.
- `x * 2.0 ** n` has one rounding and `2.0 ** n` never overflows by itself.
- `x == DENORM.f32` asks whether x is denormal.
- `v_name(…)` runs the pseudocode of that instruction.
"""

from __future__ import annotations

from functools import cache
from typing import Callable

from pcode import floats, functions, source, tree
from pcode.parser import parse
from pcode.state import Cell, Scope, Variable
from pcode.values import Type, Value, cast, integer, truth, type_of, view

Compiled = Callable[[Scope], Value]
Run = Callable[[Scope], None]


class _Break(Exception):
    pass


class _Return(Exception):
    def __init__(self, value: Value) -> None:
        super().__init__()
        self.value = value


class _Closure:
    def __init__(self, scope: Scope, function: tree.Lambda) -> None:
        self.scope = scope
        self.function = function

    def call(self, arguments: list[Value]) -> Value:
        inner = Scope(
            self.scope.generation, dict(self.scope.names), self.scope.round32, self.scope.round64, self.scope.fnuz
        )
        inner.names.update({name: Variable(value) for name, value in zip(self.function.parameters, arguments)})
        try:
            _block(self.function.body)(inner)
        except _Return as result:
            return result.value
        raise ValueError("a lambda ends without a result")


def run(code: str, scope: Scope) -> None:
    """Runs the text `code`, which reads and changes what `scope` names."""
    _block(parse(code))(scope)


# Expressions


@cache
def _block(block: tree.Block) -> Run:
    steps = [_statement(statement) for statement in block]

    def execute(scope: Scope) -> None:
        for step in steps:
            step(scope)

    return execute


def _expression(node: tree.Expression) -> Compiled:
    return _EXPRESSIONS[type(node)](node)


def _read(found: object, name: str) -> Value:
    if isinstance(found, Value):
        return found
    if isinstance(found, Cell):
        return found.read()
    raise ValueError(f"{name} has no value")


def _name(node: tree.Name) -> Compiled:
    name = node.name
    constant = functions.constant(name)
    if name == "ROUND_MODE":
        return lambda scope: integer(scope.round32 | scope.round64 << 2, type_of("u", 4))

    def execute(scope: Scope) -> Value:
        found = scope.names.get(name, constant)
        return found if type(found) is Value else _read(found, name)

    return execute


def _literal(node: tree.Literal) -> Compiled:
    value = node.value
    return lambda scope: value


def _view(node: tree.View) -> Compiled:
    kind = node.type
    if isinstance(node.of, tree.Index) and isinstance(node.of.of, tree.Name) and node.of.of.name in ("MEM", "LDS"):
        address = _expression(node.of.at)
        size = kind.width // 8
        return lambda scope: Value(scope.names["MEM"].load(address(scope).bits, size), kind)
    of = _expression(node.of)
    return lambda scope: view(of(scope), kind)


def _index(node: tree.Index) -> Compiled:
    at = _expression(node.at)
    if isinstance(node.of, tree.Name):
        name = node.of.name
        if name in ("MEM", "LDS"):
            return lambda scope: Value(scope.names["MEM"].load(at(scope).bits, 4), type_of("b", 32))

        def element(scope: Scope) -> Value:
            found = scope.names.get(name)
            index = at(scope).integer
            if isinstance(found, list):
                return _read(found[index], name)
            return Value(_read(found, name).bits >> index & 1, type_of("u", 1))

        return element
    if _is_register(node):
        lane = _expression(node.of.at)
        return lambda scope: Value(
            scope.names["VGPR"].read(lane(scope).integer, at(scope).integer), type_of("b", 32)
        )
    of = _expression(_storage(node.of))
    return lambda scope: Value(of(scope).bits >> at(scope).integer & 1, type_of("u", 1))


def _storage(node: tree.Expression) -> tree.Expression:
    """What a view shows: bits are counted there, also those beyond the view's width."""
    return node.of if isinstance(node, tree.View) and isinstance(node.of, tree.Name) else node


def _is_register(node: tree.Index) -> bool:
    return isinstance(node.of, tree.Index) and node.of.of == tree.Name("VGPR")


def _range(node: tree.Slice) -> Callable[[Scope], tuple[int, int, bool]]:
    """The lowest bit, the width, and whether the bits are to be reversed."""
    first, last = _expression(node.first), _expression(node.last)
    if node.counted:
        return lambda scope: (first(scope).integer, last(scope).integer, False)

    def bounds(scope: Scope) -> tuple[int, int, bool]:
        high, low = first(scope).integer, last(scope).integer
        return (low, high - low + 1, False) if high >= low else (high, low - high + 1, True)

    return bounds


def _slice(node: tree.Slice) -> Compiled:
    of, bounds = _expression(_storage(node.of)), _range(node)

    def execute(scope: Scope) -> Value:
        low, width, reverse = bounds(scope)
        bits = of(scope).bits >> low & ((1 << width) - 1)
        if reverse:
            bits = int(f"{bits:0{width}b}"[::-1], 2)
        return Value(bits, type_of("b", width))

    return execute


def _cast(node: tree.Cast) -> Compiled:
    kind, of = node.type, _expression(node.of)
    return lambda scope: cast(of(scope), kind, scope.mode(kind))


def _unary(node: tree.Unary) -> Compiled:
    of = _expression(node.of)
    if node.operator == "!":
        return lambda scope: truth(not of(scope).bits)
    if node.operator == "~":

        def invert(scope: Scope) -> Value:
            value = of(scope)
            return Value(value.bits ^ value.type.mask, value.type)

        return invert

    def negate(scope: Scope) -> Value:
        value = of(scope)
        if value.type.is_float:
            return Value(value.bits ^ value.type.form.sign, value.type)
        return integer(-value.integer, type_of(value.type.kind, max(32, value.type.width)))

    return negate


def _common(a: Type, b: Type, least: int) -> Type:
    """The integer type in which an operation on two integers happens."""
    left, right = max(a.width, least), max(b.width, least)
    if left != right:
        wider = a if left > right else b
        return type_of(wider.kind, max(left, right))
    kinds = {a.kind, b.kind}
    return type_of("u" if "u" in kinds else "i" if "i" in kinds else "b", left)


def _same_format(a: Value, b: Value, scope: Scope) -> tuple[Value, Value]:
    if a.type is b.type:
        return a, b
    floating = [value.type for value in (a, b) if value.type.is_float]
    kind = max(floating, key=lambda found: found.width)
    return cast(a, kind, scope.mode(kind)), cast(b, kind, scope.mode(kind))


_FLOATING = {"+": floats.add, "*": floats.multiply, "/": floats.divide}


def _calculate(operator: str, a: Value, b: Value, scope: Scope) -> Value:
    if a.type.is_float or b.type.is_float:
        a, b = _same_format(a, b, scope)
        form, right = a.type.form, b.bits
        if operator == "-":
            operator, right = "+", right if form.is_nan(right) else right ^ form.sign
        return Value(_FLOATING[operator](form, a.bits, right, scope.mode(a.type)), a.type)
    left, right = a.integer, b.integer
    if operator in ("<<", ">>"):
        kind = type_of(a.type.kind, max(32, a.type.width))
        return integer(left << right if operator == "<<" else left >> right, kind)
    if operator in ("&", "|", "^"):
        kind = _common(a.type, b.type, 1)
        number = left & right if operator == "&" else left | right if operator == "|" else left ^ right
        return integer(number, kind)
    kind = _common(a.type, b.type, 32)
    if operator == "+":
        return integer(left + right, kind)
    if operator == "-":
        return integer(left - right, kind)
    if operator == "*":
        return integer(left * right, kind)
    # The text takes lanes modulo the wave's size, which for a negative address is the modulus, not the remainder.
    return integer(left // right if operator == "/" else left % right, kind)


_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<>": lambda a, b: a < b or a > b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def _compare(node: tree.Binary) -> Compiled:
    left, right, test = _expression(node.left), _expression(node.right), _COMPARE[node.operator]
    if isinstance(node.right, tree.Literal) and node.right.signed_zero:
        zero = node.right.value
        return lambda scope: truth(view(left(scope), zero.type).bits == zero.bits)

    def execute(scope: Scope) -> Value:
        a, b = left(scope), right(scope)
        if a.type.is_float or b.type.is_float:
            a, b = _same_format(a, b, scope)
            return truth(test(a.number, b.number))
        return truth(test(a.integer, b.integer))

    return execute


def _is_denormal(node: tree.Binary) -> Compiled:
    of, form = _expression(node.left), node.right.type.form

    def execute(scope: Scope) -> Value:
        size = of(scope).bits & (form.sign - 1)
        return truth(0 < size <= form.fraction)

    return execute


def _power(node: tree.Expression) -> tree.Expression | None:
    """n, if the node is 2.0 ** n in any type."""
    while isinstance(node, tree.Cast):
        node = node.of
    return node.right if isinstance(node, tree.Binary) and node.operator == "**" else None


def _binary(node: tree.Binary) -> Compiled:
    operator = node.operator
    if operator == "==" and isinstance(node.right, tree.View) and node.right.of == tree.Name("DENORM"):
        return _is_denormal(node)
    if operator in _COMPARE:
        return _compare(node)
    left, right = _expression(node.left), _expression(node.right)
    if operator == "&&":
        return lambda scope: truth(left(scope).bits and right(scope).bits)
    if operator == "||":
        return lambda scope: truth(left(scope).bits or right(scope).bits)
    if operator == "*":
        for factor, other in ((node.left, right), (node.right, left)):
            exponent = _power(factor)
            if exponent:
                return _scaled(other, _expression(exponent))
    return lambda scope: _calculate(operator, left(scope), right(scope), scope)


def _scaled(of: Compiled, exponent: Compiled) -> Compiled:
    def execute(scope: Scope) -> Value:
        value = of(scope)
        bits = floats.scale(value.type.form, value.bits, exponent(scope).integer, scope.mode(value.type))
        return Value(bits, value.type)

    return execute


def _choice(node: tree.Choice) -> Compiled:
    condition, yes, no = _expression(node.condition), _expression(node.yes), _expression(node.no)
    return lambda scope: yes(scope) if condition(scope).bits else no(scope)


def _concat(node: tree.Concat) -> Compiled:
    parts = [_expression(part) for part in node.parts]

    def execute(scope: Scope) -> Value:
        bits, width = 0, 0
        for part in parts:
            value = part(scope)
            bits = bits << value.type.width | value.bits
            width += value.type.width
        return Value(bits, type_of("b", width))

    return execute


def _call(node: tree.Call) -> Compiled:
    name = node.name
    arguments = [_expression(argument) for argument in node.arguments]
    built_in = functions.function(name)

    def execute(scope: Scope) -> Value:
        values = [argument(scope) for argument in arguments]
        found = scope.names.get(name)
        if isinstance(found, _Closure):
            return found.call(values)
        if found is not None:
            return found(scope, *values)
        if built_in is not None:
            return built_in(scope, *values)
        return _call_instruction(name, scope, values)

    return execute


def _call_instruction(name: str, scope: Scope, values: list[Value]) -> Value:
    for generation in (scope.generation, "rdna4", "rdna3", "cdna"):
        for entry in source.entries(generation).get(name, {}).values():
            if entry.code:
                return _call_code(entry.code, scope, values)
    raise NotImplementedError(f"the function {name} is not known")


def _call_code(code: str, scope: Scope, values: list[Value]) -> Value:
    inner = scope.child()
    inner.names.update({f"S{i}": Cell(value.bits, value.type.width) for i, value in enumerate(values)})
    inner.names["D0"] = Cell(0, 64)
    run(code, inner)
    return view(inner.names["D0"].read(), _result_type(parse(code)))


@cache
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

_EXPRESSIONS: dict[type, Callable[..., Compiled]] = {
    tree.Literal: _literal,
    tree.Name: _name,
    tree.View: _view,
    tree.Index: _index,
    tree.Slice: _slice,
    tree.Cast: _cast,
    tree.Unary: _unary,
    tree.Binary: _binary,
    tree.Choice: _choice,
    tree.Concat: _concat,
    tree.Call: _call,
}


# Statements


def _statement(node: tree.Statement) -> Run:
    return _STATEMENTS[type(node)](node)


def _assign(node: tree.Assign) -> Run:
    if isinstance(node.value, tree.Lambda):
        name, function = node.targets[0].name, node.value

        def define(scope: Scope) -> None:
            scope.names[name] = _Closure(scope, function)

        return define
    stores = [_store(target) for target in reversed(node.targets)]
    value = _expression(node.value)
    if node.operator:
        before, operator, store = _expression(node.targets[0]), node.operator, stores[0]

        def update(scope: Scope) -> None:
            old = before(scope)
            new = _calculate(operator, old, value(scope), scope)
            store(scope, cast(new, old.type, scope.mode(old.type)) if old.type.is_float else view(new, old.type))

        return update

    def execute(scope: Scope) -> None:
        new = value(scope)
        for store in stores:
            store(scope, new)

    return execute


Store = Callable[[Scope, Value], None]


def _fitted(value: Value, kind: Type, scope: Scope) -> int:
    """The bits of a value that is stored as a type."""
    if value.type.is_float and kind.is_float:
        return cast(value, kind, scope.mode(kind)).bits
    return view(value, kind).bits


def _store(target: tree.Expression) -> Store:
    if isinstance(target, tree.Concat):
        return _store_parts(target)
    if isinstance(target, tree.Name):
        return _store_name(target.name)
    # From the outside in: the last view gives the type, slices and indices the place.
    kind: Type | None = None
    offsets: list[Callable[[Scope], tuple[int, int, bool]]] = []
    node = target
    while True:
        if isinstance(node, tree.View):
            kind = kind or node.type
            node = node.of
        elif isinstance(node, tree.Slice):
            offsets.append(_range(node))
            node = node.of
        elif isinstance(node, tree.Index) and not _is_register(node) and not isinstance(node.of, tree.Name):
            offsets.append(_bit(node))
            node = node.of
        else:
            break
    if isinstance(node, tree.Index) and _is_register(node):
        return _store_register(node, kind, offsets)
    name, at = (node.of.name, _bit(node)) if isinstance(node, tree.Index) else (node.name, None)
    if name in ("MEM", "LDS"):
        return _store_memory(node.at, kind or type_of("b", 32))

    def store(scope: Scope, value: Value) -> None:
        found = scope.names.get(name)
        places = offsets
        if isinstance(found, list):
            found = found[at(scope)[0]]
        elif at:
            places = [*offsets, at]
        if not isinstance(found, Cell):
            found = Variable(Value(0, kind or value.type))
            scope.names[name] = found
        _write(found, value, kind, places, scope)

    return store


def _bit(node: tree.Index) -> Callable[[Scope], tuple[int, int, bool]]:
    at = _expression(node.at)
    return lambda scope: (at(scope).integer, 1, False)


def _write(cell: Cell, value: Value, kind: Type | None, offsets: list, scope: Scope) -> None:
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


def _store_register(node: tree.Index, kind: Type | None, offsets: list) -> Store:
    lane, register = _expression(node.of.at), _expression(node.at)

    def store(scope: Scope, value: Value) -> None:
        which, number = lane(scope).integer, register(scope).integer
        cell = Cell(scope.names["VGPR"].read(which, number), 32)
        _write(cell, value, kind, offsets, scope)
        scope.names["VGPR"].write(which, number, cell.bits)

    return store


def _store_name(name: str) -> Store:
    def store(scope: Scope, value: Value) -> None:
        if name == "ROUND_MODE":
            scope.round32, scope.round64 = floats.Round(value.bits & 3), floats.Round(value.bits >> 2 & 3)
            return
        found = scope.names.get(name)
        if isinstance(found, Cell) and not isinstance(found, Variable):
            found.write(0, found.width, value.bits)
        else:
            scope.names[name] = Variable(value)

    return store


def _store_memory(at: tree.Expression, kind: Type) -> Store:
    address = _expression(at)
    size = kind.width // 8
    return lambda scope, value: scope.names["MEM"].store(address(scope).bits, size, _fitted(value, kind, scope))


def _store_parts(target: tree.Concat) -> Store:
    parts = [(_store(part), part) for part in reversed(target.parts)]

    def store(scope: Scope, value: Value) -> None:
        bits = value.bits
        for write, part in parts:
            width = part.type.width if isinstance(part, tree.View) else scope.names[part.name].width
            write(scope, Value(bits & ((1 << width) - 1), type_of("b", width)))
            bits >>= width

    return store


def _declare(node: tree.Declare) -> Run:
    def execute(scope: Scope) -> None:
        # An operand may be declared too, to say what it is.
        if node.name in scope.names:
            return
        zero = Value(0, node.type)
        scope.names[node.name] = [Variable(zero) for _ in range(node.length)] if node.length else Variable(zero)

    return execute


def _if(node: tree.If) -> Run:
    branches = [(_expression(condition) if condition else None, _block(block)) for condition, block in node.branches]

    def execute(scope: Scope) -> None:
        for condition, block in branches:
            if condition is None or condition(scope).bits:
                block(scope)
                return

    return execute


def _for(node: tree.For) -> Run:
    first, last, body, name = _expression(node.first), _expression(node.last), _block(node.body), node.name

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
    value = _expression(node.value)

    def execute(scope: Scope) -> None:
        raise _Return(value(scope))

    return execute


def _do(node: tree.Do) -> Run:
    value = _expression(node.expression)

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
