# SPDX-License-Identifier: MIT
"""What the benchmarks have in common: progress, a table, a JSON object as the last line and in a
file.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ckbench.errors import BenchError

Say = Callable[[str], None]


def publish(
    program: str,
    json_file: Path | None,
    measure: Callable[[Say], dict[str, Any]],
    table: Callable[[dict[str, Any]], str],
    *errors: type[Exception],
) -> int:
    """Measures and prints; returns the exit code. What goes wrong is one sentence on standard
    error.

    ``errors`` are those of ``measure`` beside the benchmark's own.
    """

    def say(sentence: str) -> None:
        print(f"{program}: {sentence}", file=sys.stderr, flush=True)

    foreseen: tuple[type[Exception], ...] = (BenchError, OSError, *errors)
    # A relative path is the caller's, who is not where `bazel run` runs the program.
    target = Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."), json_file) if json_file else None
    try:
        # Better now than after all is measured.
        if target and not target.parent.is_dir():
            raise BenchError(f"--json names {target}, whose folder does not exist; make it first.")
        figures = measure(say)
        line = json.dumps(figures)
        if target:
            target.write_text(line + "\n")
    except foreseen as error:
        say(str(error))
        return 1
    print(table(figures))
    print(line)
    return 0
