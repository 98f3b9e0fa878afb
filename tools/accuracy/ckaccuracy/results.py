# SPDX-License-Identifier: MIT
"""What was measured, as it is kept in evidence/accuracy."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ckaccuracy.cases import Case, Key
from ckaccuracy.figures import Figures

Results = Mapping[Key, Figures]


def read(file: Path) -> dict[Key, Figures]:
    """What a file has; nothing if there is none."""
    if not file.exists():
        return {}
    document: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return {
        (one["gpu"], one["kernel"], one["problem"]): Figures.from_json(one)
        for one in document["results"]
    }


def write(results: Results, cases: Iterable[Case], file: Path) -> None:
    """Those of the cases, in their order; what no case asks for any more is forgotten."""
    rows = [
        {
            "gpu": case.gpu,
            "kernel": case.kernel,
            "problem": case.problem,
            **results[case.key].to_json(),
        }
        for case in cases
        if case.key in results
    ]
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(f"    {json.dumps(row)}" for row in rows)
    file.write_text(
        f'{{\n  "simulated": true,\n  "results": [\n{lines}\n  ]\n}}\n', encoding="utf-8"
    )
