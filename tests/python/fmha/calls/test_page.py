# SPDX-License-Identifier: MIT
"""docs/attention.md: its program runs, and it leaves no argument out."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest
from ckdispatch import Dispatcher

PAGE = (Path(__file__).parents[4] / "docs" / "attention.md").read_text(encoding="utf-8")


def test_its_program_runs() -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(program, names)
    assert names["result"].out.shape == (2, 33, 4, 64)
    assert names["result"].lse.shape == (2, 4, 33)


@pytest.mark.parametrize(
    "argument",
    [
        name
        for name in inspect.signature(Dispatcher.attention).parameters
        if name not in ("self", "q", "k", "v")
    ],
)
def test_every_argument_is_there(argument: str) -> None:
    assert re.search(rf"`{argument}\b", PAGE)
