# SPDX-License-Identifier: MIT
"""The process that runs kernels on one simulated GPU: a request a line in, an outcome a line out.

It is a process of its own because a kernel, or the simulator, may take it down.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

from cksupport.family import look_up
from cksupport.trial import Bench


def main() -> None:
    """Answer requests until there are no more."""
    # Whatever else prints must not end up between the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(sys.argv[1], Path(folder) / "launches.jsonl")
        for line in sys.stdin:
            request = json.loads(line)
            spec = look_up(request["family"]).kernels.parse_name(request["kernel"])
            outcome = bench.try_kernel(spec, Path(request["library"]))
            answers.write(json.dumps(outcome.to_json()) + "\n")
            answers.flush()


if __name__ == "__main__":
    main()
