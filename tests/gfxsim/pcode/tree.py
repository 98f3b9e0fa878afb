# SPDX-License-Identifier: MIT
"""What the parser makes of pseudocode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from pcode.values import Type, Value


@dataclass(frozen=True)
class Literal:
    """A constant."""

    value: Value
    signed_zero: bool = False  # written with a sign, so that +0.0 and -0.0 differ when compared


@dataclass(frozen=True)
class Name:
    """A variable, an operand or a field of the wave's state such as WAVE_MODE.IEEE."""

    name: str


@dataclass(frozen=True)
class View:
    """`of.type`."""

    of: Expression
    type: Type


@dataclass(frozen=True)
class Index:
    """`of[at]`: a bit of a value or an element of an array."""

    of: Expression
    at: Expression


@dataclass(frozen=True)
class Slice:
    """`of[first : last]`, or `of[first +: last]` if counted."""

    of: Expression
    first: Expression
    last: Expression
    counted: bool


@dataclass(frozen=True)
class Cast:
    """`32'U(of)`."""

    type: Type
    of: Expression


@dataclass(frozen=True)
class Unary:
    """`operator of`."""

    operator: str
    of: Expression


@dataclass(frozen=True)
class Binary:
    """`left operator right`."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Choice:
    """`condition ? yes : no`."""

    condition: Expression
    yes: Expression
    no: Expression


@dataclass(frozen=True)
class Call:
    """`name(arguments)`."""

    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class Concat:
    """`{ high, …, low }`."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Lambda:
    """`lambda(parameters) (body)`."""

    parameters: tuple[str, ...]
    body: Block


@dataclass(frozen=True)
class Assign:
    """`targets = value`, with one target per "="; `operator` is "+" for "+=" and so on,
    or empty.
    """

    targets: tuple[Expression, ...]
    operator: str
    value: Expression | Lambda


@dataclass(frozen=True)
class Declare:
    """`declare name : type[length]`."""

    name: str
    type: Type
    length: int  # 0: no array


@dataclass(frozen=True)
class If:
    """Branches in order; the one without condition is the "else"."""

    branches: tuple[tuple[Expression | None, Block], ...]


@dataclass(frozen=True)
class For:
    """`for name in first : last do body endfor`."""

    name: str
    first: Expression
    last: Expression
    body: Block


@dataclass(frozen=True)
class Break:
    """Leaves the innermost loop."""


@dataclass(frozen=True)
class Return:
    """Leaves a lambda."""

    value: Expression


@dataclass(frozen=True)
class Do:
    """An expression for its effect."""

    expression: Expression


Expression: TypeAlias = (
    Literal | Name | View | Index | Slice | Cast | Unary | Binary | Choice | Call | Concat
)
Statement: TypeAlias = Assign | Declare | If | For | Break | Return | Do
Block = tuple[Statement, ...]
