# SPDX-License-Identifier: MIT
"""Measures the build: ./bazelw run //tools/bench:build_bench -- --help"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from ckarch import ArchError
from ckgen.core.errors import CkgenError

from ckbench.bench import measure, say
from ckbench.figures import Say, publish
from ckbench.options import parse_options
from ckbench.scratch import cache_folder, scratch_folder
from ckbench.table import render_table


def main() -> int:
    working_directory = Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."))
    options = parse_options(sys.argv[1:], working_directory)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _end)
    faults: list[str] = []

    def figures(_: Say) -> dict[str, Any]:
        with scratch_folder(cache_folder(os.environ)) as scratch:
            results = measure(options, os.environ, scratch)
        faults.extend(results.faults())
        return results.to_json()

    try:
        status = publish("build_bench", options.json_file, figures, _table, ArchError, CkgenError)
    except KeyboardInterrupt:
        say("interrupted; everything temporary was removed.")
        return 130
    for sentence in faults:
        say(sentence)
    return 1 if faults else status


def _end(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)


def _table(figures: dict[str, Any]) -> str:
    return render_table(figures) + "\n"


if __name__ == "__main__":
    sys.exit(main())
