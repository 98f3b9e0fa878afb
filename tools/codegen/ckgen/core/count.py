# SPDX-License-Identifier: MIT
"""How many choices an entry has, without making them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ckgen.core.declaration import Entry
from ckgen.core.family import EntryField
from ckgen.core.target import Target


class Counter:
    """Counts what an entry leaves to choose on one GPU.

    What a wildcard stands for depends on few of the choices before it. Which ones is seen when it
    is asked, so that one count serves all prefixes that agree in them.
    """

    def __init__(self, fields: Sequence[EntryField], entry: Entry, target: Target) -> None:
        self._fields = fields
        self._entry = entry
        self._target = target
        # By the field, the names of what its number depends on, and their values.
        self._known: list[dict[tuple[str, ...], dict[tuple[Any, ...], int]]] = [{} for _ in fields]

    def values(self, index: int, chosen: Mapping[str, Any]) -> Sequence[object]:
        """The choices of the field ``index``, after ``chosen`` for those before it."""
        field = self._fields[index]
        said = self._entry.options[field.name].values
        return field.choices(self._target, chosen) if said is None else said

    def below(self, index: int, chosen: Mapping[str, Any]) -> int:
        """How many choices there are for the fields from ``index`` on, after ``chosen``."""
        return self._count(index, dict(chosen))[0]

    def _count(self, index: int, chosen: dict[str, Any]) -> tuple[int, tuple[str, ...]]:
        """The number, and the names of those of ``chosen`` that it depends on."""
        if index == len(self._fields):
            return 1, ()
        known = self._known[index]
        for names, numbers in known.items():
            number = numbers.get(tuple([chosen[name] for name in names]))
            if number is not None:
                return number, names
        watched = _Watched(chosen)
        own = self._fields[index].name
        number = 0
        depends: set[str] = set()
        for value in self.values(index, watched):
            more, names = self._count(index + 1, {**chosen, own: value})
            number += more
            depends.update(names)
        names = tuple(sorted((depends - {own}) | watched.read))
        known.setdefault(names, {})[tuple([chosen[name] for name in names])] = number
        return number, names


class _Watched(Mapping[str, Any]):
    """A mapping that remembers which of its keys were asked for."""

    def __init__(self, inner: Mapping[str, Any]) -> None:
        self._inner = inner
        self.read: set[str] = set()

    def __getitem__(self, key: str) -> Any:
        value = self._inner[key]
        self.read.add(key)
        return value

    def __iter__(self) -> Iterator[str]:
        self.read.update(self._inner)
        return iter(self._inner)

    def __len__(self) -> int:
        return len(self._inner)
