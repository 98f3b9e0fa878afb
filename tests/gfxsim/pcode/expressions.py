# SPDX-License-Identifier: MIT
"""Turns expressions into Python functions of a Scope."""

from __future__ import annotations

from collections.abc import Callable

from pcode import floats, functions, tree
from pcode.state import Cell, Scope
from pcode.values import Type, Value, cast, integer, truth, type_of, view

Compiled = Callable[[Scope], Value]
Bounds = Callable[[Scope], tuple[int, int, bool]]


def expression(node: tree.Expression) -> Compiled:
    """A function that computes an expression."""
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
    if (
        isinstance(node.of, tree.Index)
        and isinstance(node.of.of, tree.Name)
        and node.of.of.name in ("MEM", "LDS")
    ):
        address = expression(node.of.at)
        size = kind.width // 8
        return lambda scope: Value(scope.memory.load(address(scope).bits, size), kind)
    of = expression(node.of)
    if not isinstance(node.of, tree.Name):
        return lambda scope: view(of(scope), kind)
    name, mask = node.of.name, kind.mask

    def operand(scope: Scope) -> Value:
        found = scope.names.get(name)
        # The plain bits of a register need no more than a type.
        return Value(found.bits & mask, kind) if type(found) is Cell else view(of(scope), kind)

    return operand


def _index(node: tree.Index) -> Compiled:
    at = expression(node.at)
    if isinstance(node.of, tree.Name):
        name = node.of.name
        if name in ("MEM", "LDS"):
            return lambda scope: Value(scope.memory.load(at(scope).bits, 4), type_of("b", 32))

        def element(scope: Scope) -> Value:
            found = scope.names.get(name)
            index = at(scope).integer
            if isinstance(found, list):
                return _read(found[index], name)
            return Value(_read(found, name).bits >> index & 1, type_of("u", 1))

        return element
    of_lane = lane_of(node)
    if of_lane is not None:
        lane = expression(of_lane)
        return lambda scope: Value(
            scope.registers.read(lane(scope).integer, at(scope).integer), type_of("b", 32)
        )
    of = expression(_storage(node.of))
    return lambda scope: Value(of(scope).bits >> at(scope).integer & 1, type_of("u", 1))


def _storage(node: tree.Expression) -> tree.Expression:
    """What a view shows: bits are counted there, also those beyond the view's width."""
    return node.of if isinstance(node, tree.View) and isinstance(node.of, tree.Name) else node


def lane_of(node: tree.Expression) -> tree.Expression | None:
    """The lane, if the node is VGPR[lane][register]."""
    if not isinstance(node, tree.Index) or not isinstance(node.of, tree.Index):
        return None
    return node.of.at if node.of.of == tree.Name("VGPR") else None


def bounds_of(node: tree.Slice) -> Bounds:
    """A function for the lowest bit of a slice, its width,
    and whether its bits are to be reversed.
    """
    first, last = expression(node.first), expression(node.last)
    if node.counted:
        return lambda scope: (first(scope).integer, last(scope).integer, False)

    def bounds(scope: Scope) -> tuple[int, int, bool]:
        high, low = first(scope).integer, last(scope).integer
        return (low, high - low + 1, False) if high >= low else (high, low - high + 1, True)

    return bounds


def _slice(node: tree.Slice) -> Compiled:
    of, bounds = expression(_storage(node.of)), bounds_of(node)

    def execute(scope: Scope) -> Value:
        low, width, reverse = bounds(scope)
        bits = of(scope).bits >> low & ((1 << width) - 1)
        if reverse:
            bits = int(f"{bits:0{width}b}"[::-1], 2)
        return Value(bits, type_of("b", width))

    return execute


def _cast(node: tree.Cast) -> Compiled:
    kind, of = node.type, expression(node.of)
    return lambda scope: cast(of(scope), kind, scope.mode(kind))


def _unary(node: tree.Unary) -> Compiled:
    of = expression(node.of)
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


def calculate(operator: str, a: Value, b: Value, scope: Scope) -> Value:
    """A sum, product, shift or the like."""
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
        number = (
            left & right if operator == "&" else left | right if operator == "|" else left ^ right
        )
        return integer(number, kind)
    kind = _common(a.type, b.type, 32)
    if operator == "+":
        return integer(left + right, kind)
    if operator == "-":
        return integer(left - right, kind)
    if operator == "*":
        return integer(left * right, kind)
    # The text takes lanes modulo the wave's size, which for a negative address is the modulus, not
    # the remainder.
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
    left, right, test = expression(node.left), expression(node.right), _COMPARE[node.operator]
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


def _is_denormal(node: tree.Expression, kind: Type) -> Compiled:
    of, form = expression(node), kind.form

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
    if (
        operator == "=="
        and isinstance(node.right, tree.View)
        and node.right.of == tree.Name("DENORM")
    ):
        return _is_denormal(node.left, node.right.type)
    if operator in _COMPARE:
        return _compare(node)
    left, right = expression(node.left), expression(node.right)
    if operator == "&&":
        return lambda scope: truth(bool(left(scope).bits and right(scope).bits))
    if operator == "||":
        return lambda scope: truth(bool(left(scope).bits or right(scope).bits))
    if operator == "*":
        for factor, other in ((node.left, right), (node.right, left)):
            exponent = _power(factor)
            if exponent:
                return _scaled(other, expression(exponent))
    return lambda scope: calculate(operator, left(scope), right(scope), scope)


def _scaled(of: Compiled, exponent: Compiled) -> Compiled:
    def execute(scope: Scope) -> Value:
        value = of(scope)
        bits = floats.scale(
            value.type.form, value.bits, exponent(scope).integer, scope.mode(value.type)
        )
        return Value(bits, value.type)

    return execute


def _choice(node: tree.Choice) -> Compiled:
    condition, yes, no = expression(node.condition), expression(node.yes), expression(node.no)
    return lambda scope: yes(scope) if condition(scope).bits else no(scope)


def _concat(node: tree.Concat) -> Compiled:
    parts = [expression(part) for part in node.parts]

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
    arguments = [expression(argument) for argument in node.arguments]
    built_in = functions.function(name)

    def execute(scope: Scope) -> Value:
        values = [argument(scope) for argument in arguments]
        found = scope.function(name) or built_in
        if found:
            return found(scope, *values)
        assert scope.call is not None
        return scope.call(name, scope, values)

    return execute


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
