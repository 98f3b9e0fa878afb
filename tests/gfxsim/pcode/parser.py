# SPDX-License-Identifier: MIT
"""Reads pseudocode into a tree."""

from __future__ import annotations

from functools import cache

from pcode import tree
from pcode.lexer import NotPseudocode, Token, tokens
from pcode.values import Type, Value, integer, named_type, real, type_of

# From the loosest to the tightest; all of them group to the left except "**".
_LEVELS = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!=", "<>"),
    ("<", "<=", ">", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
    ("**",),
)
_WORDS = {
    "if",
    "then",
    "elsif",
    "else",
    "endif",
    "for",
    "in",
    "do",
    "endfor",
    "declare",
    "break",
    "return",
}


@cache
def parse(text: str) -> tree.Block:
    """The statements of `text`; NotPseudocode if it is none."""
    parser = _Parser(tokens(text))
    block = parser.block()
    parser.expect("")
    return block


def _literal(text: str) -> Value:
    size, _, rest = text.rpartition("'")
    hexadecimal = rest.startswith("0x")
    body = rest.rstrip("UL") if hexadecimal else rest.rstrip("ULF")
    suffix = rest[len(body) :]
    if "." in body:
        return real(float(body), type_of("f", int(size or (32 if suffix == "F" else 64))))
    width = int(size or (64 if suffix.endswith("LL") else 32))
    kind = "u" if suffix.startswith("U") else "b" if hexadecimal else "i"
    return integer(int(body, 0), type_of(kind, width))


class _Parser:
    def __init__(self, found: list[Token]) -> None:
        self._tokens = found
        self._at = 0

    @property
    def _text(self) -> str:
        return self._tokens[self._at].text

    @property
    def _kind(self) -> str:
        return self._tokens[self._at].kind

    def _next(self) -> str:
        if self._kind == "end":
            raise NotPseudocode("the text ends too early")
        self._at += 1
        return self._tokens[self._at - 1].text

    def _skip(self, text: str) -> bool:
        if self._text != text or self._kind == "number":
            return False
        self._at += self._kind != "end"
        return True

    def expect(self, text: str) -> None:
        """The next token must be `text`; the empty text is the end."""
        if not self._skip(text):
            raise NotPseudocode(f"{self._text!r} stands where {text!r} is due")

    def _word(self) -> str:
        if self._kind != "name" or self._text in _WORDS:
            raise NotPseudocode(f"{self._text!r} stands where a name is due")
        return self._next()

    def block(self) -> tree.Block:
        """Statements up to a word or bracket that closes them."""
        found = []
        while self._text not in ("elsif", "else", "endif", "endfor", ")", ""):
            if not self._skip(";"):
                found.append(self._statement())
        return tuple(found)

    def _statement(self) -> tree.Statement:
        if self._skip("if"):
            return self._if()
        if self._skip("for"):
            return self._for()
        if self._skip("declare"):
            return self._declare()
        if self._skip("break"):
            return tree.Break()
        if self._skip("return"):
            return tree.Return(self._expression())
        first = self._postfix()
        for operator in ("+=", "-="):
            if self._skip(operator):
                return tree.Assign((first,), operator[0], self._expression())
        if not self._skip("="):
            if isinstance(first, tree.Call):
                return tree.Do(first)
            raise NotPseudocode(f"{self._text!r} stands where an assignment is due")
        if self._skip("lambda"):
            return tree.Assign((first,), "", self._lambda())
        targets = [first]
        value = self._expression()
        while self._skip("="):
            targets.append(value)
            value = self._expression()
        return tree.Assign(tuple(targets), "", value)

    def _if(self) -> tree.If:
        branches: list[tuple[tree.Expression | None, tree.Block]] = []
        while True:
            condition = self._expression()
            self.expect("then")
            branches.append((condition, self.block()))
            if not self._skip("elsif"):
                break
        if self._skip("else"):
            branches.append((None, self.block()))
        self.expect("endif")
        return tree.If(tuple(branches))

    def _for(self) -> tree.For:
        name = self._word()
        self.expect("in")
        first = self._expression()
        self.expect(":")
        last = self._expression()
        self.expect("do")
        body = self.block()
        self.expect("endfor")
        return tree.For(name, first, last, body)

    def _declare(self) -> tree.Declare:
        name = self._next()
        self.expect(":")
        if self._kind != "cast":
            raise NotPseudocode(f"{self._text!r} stands where a type is due")
        kind = self._cast_type(self._next())
        length = 0
        if self._skip("["):
            length = int(self._next())
            self.expect("]")
        return tree.Declare(name, kind, length)

    def _lambda(self) -> tree.Lambda:
        self.expect("(")
        parameters = [self._word()]
        while self._skip(","):
            parameters.append(self._word())
        self.expect(")")
        self.expect("(")
        if self._text in ("if", "for", "declare"):
            body = self.block()
        else:
            body = (tree.Return(self._expression()),)
        self.expect(")")
        return tree.Lambda(tuple(parameters), body)

    def _cast_type(self, text: str) -> Type:
        width, kind = text.split("'")
        return type_of(kind.lower(), int(width))

    def _expression(self) -> tree.Expression:
        condition = self._binary(0)
        if not self._skip("?"):
            return condition
        yes = self._expression()
        self.expect(":")
        return tree.Choice(condition, yes, self._expression())

    def _binary(self, level: int) -> tree.Expression:
        if level == len(_LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        while self._kind == "operator" and self._text in _LEVELS[level]:
            operator = self._next()
            left = tree.Binary(operator, left, self._binary(level + 1))
        return left

    def _unary(self) -> tree.Expression:
        for operator in ("!", "~", "-", "+"):
            if self._skip(operator):
                of = self._unary()
                if isinstance(of, tree.Literal) and of.value.type.is_float and operator in "+-":
                    bits, kind = of.value
                    flipped = bits ^ (kind.form.sign if operator == "-" else 0)
                    return tree.Literal(Value(flipped, kind), signed_zero=bits == 0)
                return of if operator == "+" else tree.Unary(operator, of)
        return self._postfix()

    def _postfix(self) -> tree.Expression:
        of = self._primary()
        while True:
            if self._skip("."):
                name = self._next()
                kind = named_type(name)
                if kind:
                    of = tree.View(of, kind)
                elif isinstance(of, tree.Name):
                    of = tree.Name(f"{of.name}.{name}")
                else:
                    raise NotPseudocode(f"there is no type {name!r}")
            elif self._skip("["):
                of = self._bracket(of)
            else:
                return of

    def _bracket(self, of: tree.Expression) -> tree.Expression:
        first = self._expression()
        result: tree.Expression
        if self._skip(":"):
            result = tree.Slice(of, first, self._expression(), counted=False)
        elif self._skip("+:"):
            result = tree.Slice(of, first, self._expression(), counted=True)
        else:
            result = tree.Index(of, first)
        self.expect("]")
        return result

    def _primary(self) -> tree.Expression:
        if self._kind == "number":
            return tree.Literal(_literal(self._next()))
        if self._kind == "cast":
            kind = self._cast_type(self._next())
            self.expect("(")
            of = self._expression()
            self.expect(")")
            return tree.Cast(kind, of)
        if self._skip("("):
            inner = self._expression()
            self.expect(")")
            return inner
        if self._skip("{"):
            parts = self._arguments("}")
            return tree.Concat(parts)
        # "in" is also the name of an array.
        name = self._next() if self._text == "in" else self._word()
        if self._skip("("):
            return tree.Call(name, self._arguments(")"))
        return tree.Name(name)

    def _arguments(self, close: str) -> tuple[tree.Expression, ...]:
        found = []
        if self._skip(close):
            return ()
        found.append(self._expression())
        while self._skip(","):
            found.append(self._expression())
        self.expect(close)
        return tuple(found)
