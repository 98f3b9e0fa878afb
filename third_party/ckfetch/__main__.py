# SPDX-License-Identifier: MIT
"""Run by the repository rules: python3 -m ckfetch JOB --lock FILE --output FOLDER."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ckfetch import (
    buildifier,
    code_objects,
    composable_kernel,
    echarts,
    python_packages,
    wheelhouse,
)
from ckfetch.wheelhouse import FetchError

_JOBS = {
    "python-packages": python_packages.unpack,
    "composable-kernel": composable_kernel.unpack,
    "code-objects": code_objects.unpack,
    "echarts": echarts.unpack,
    "buildifier": buildifier.unpack,
    "wheels": wheelhouse.collect,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="ckfetch", description=__doc__)
    parser.add_argument("job", choices=sorted(_JOBS))
    parser.add_argument("--lock", type=Path, required=True, help="requirements with hashes")
    parser.add_argument("--output", type=Path, required=True, help="folder to write to")
    arguments = parser.parse_args()
    try:
        _JOBS[arguments.job](arguments.lock, arguments.output)
    except FetchError as error:
        print(f"ckfetch: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
