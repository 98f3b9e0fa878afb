# SPDX-License-Identifier: MIT
"""Measures the build: ./bazelw run //tools/bench:build_bench -- --help"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from types import FrameType

from ckarch import ArchError
from ckgen.core.errors import CkgenError
from ckgen.core.writer import write_if_changed

from ckbench.bench import measure, say
from ckbench.errors import BenchError
from ckbench.options import Options, parse_options
from ckbench.results import Results
from ckbench.scratch import cache_folder, scratch_folder
from ckbench.table import render_table


def main() -> int:
    working_directory = Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."))
    options = parse_options(sys.argv[1:], working_directory)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _end)
    try:
        _check_json_file(options)
        with scratch_folder(cache_folder(os.environ)) as scratch:
            results = measure(options, os.environ, scratch)
        return _report(results, options)
    except KeyboardInterrupt:
        say("interrupted; everything temporary was removed.")
        return 130
    except (ArchError, BenchError, CkgenError, OSError) as error:
        say(str(error))
        return 1


def _end(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)


def _check_json_file(options: Options) -> None:
    # Better now than after minutes of measuring.
    if options.json_file is not None and not options.json_file.parent.is_dir():
        raise BenchError(
            f"--json names {options.json_file}, whose folder does not exist; make it first."
        )


def _report(results: Results, options: Options) -> int:
    data = results.to_json()
    line = json.dumps(data)
    if options.json_file is not None:
        write_if_changed(options.json_file, line + "\n")
    faults = results.faults()
    for sentence in faults:
        say(sentence)
    print(render_table(data), "", line, sep="\n", flush=True)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
