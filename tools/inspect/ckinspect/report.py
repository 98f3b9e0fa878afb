# SPDX-License-Identifier: MIT
"""A table of what kernels use, for people."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ckinspect import description, files, manifest
from ckinspect.description import Description

_COLUMNS = {"name": "kernel", "gpu": "GPU", **description.SUMMARY_FIELDS}
_TEXT_COLUMNS = 2


def read(paths: Sequence[Path]) -> tuple[Description, ...]:
    """The kernels of manifests and descriptions, in the order given."""
    found: list[Description] = []
    for path in paths:
        document = files.parse_json(files.read_bytes(path), path)
        if "kernels" in document:
            found.extend(manifest.parse(document, path))
        else:
            found.append(description.parse(document, path))
    return tuple(found)


def rows(kernels: Sequence[Description]) -> list[dict[str, Any]]:
    """One row for each kernel and GPU."""
    return [
        {"name": kernel.name, "gpu": gpu, **summary}
        for kernel in kernels
        for gpu, summary in sorted(kernel.summaries.items())
    ]


def as_json(kernels: Sequence[Description]) -> str:
    """The rows as a JSON list."""
    return json.dumps(rows(kernels), indent=2) + "\n"


def as_table(kernels: Sequence[Description]) -> str:
    """The rows in plain columns: texts to the left, numbers to the right; sizes are bytes."""
    cells = [[*_COLUMNS.values()]]
    cells.extend([str(row[field]) for field in _COLUMNS] for row in rows(kernels))
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "".join(_line(line, widths) for line in cells)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    aligned = [
        cell.ljust(width) if index < _TEXT_COLUMNS else cell.rjust(width)
        for index, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(aligned).rstrip() + "\n"
