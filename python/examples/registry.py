# SPDX-License-Identifier: MIT
"""Chooses some kernels of a set, writes them to a file as JSON, reads them back, and computes the
same with both, checked.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np
from ckdispatch import Dispatcher, Registry
from ckdispatch.errors import Mismatch, NotFound
from program import Results, command_line, loaded, run, whole_numbers


def computed() -> Results:
    """The file has each kernel's spec, registers and library; libraries stay where they are."""
    parser = command_line(__doc__)
    parser.add_argument(
        "--json", type=Path, help="the file to write (default: one that is removed)"
    )
    parser.add_argument(
        "--pipeline", default="compv3", help="of the kernels (default: %(default)s)"
    )
    options = parser.parse_args()
    everything = loaded(options.kernels)
    chosen = everything.filter(pipeline=options.pipeline)
    yield f"{len(chosen)} of {len(everything)} kernels have the pipeline {options.pipeline}"
    if not len(chosen):
        raise NotFound(f"no kernel of {options.kernels} has the pipeline {options.pipeline}")

    with tempfile.TemporaryDirectory() as folder:
        file = options.json or Path(folder, "kernels.json")
        file.write_text(json.dumps(chosen.to_json(), indent=2))
        again = Registry.from_json(json.loads(file.read_text()))
    yield f"{len(again)} kernels for {', '.join(again.gpus)} were read back"

    a, b = whole_numbers(128, 64), whole_numbers(128, 64).T
    results = [
        Dispatcher(kernels, options.device).gemm(a, b, validate=True) for kernels in (chosen, again)
    ]
    yield results[1]
    first, second = results
    if first.kernel != second.kernel or not np.array_equal(first.out, second.out):
        raise Mismatch("the registry that was read back computes something else")
    yield "the same kernel and the same bits as before"


if __name__ == "__main__":
    run(computed)
