# SPDX-License-Identifier: MIT
"""A process for each simulated GPU, because one process simulates only one: cases on stdin, figures
on stdout.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from ckdispatch import Dispatcher, Registry
from ckdispatch.errors import CkDispatchError

from ckaccuracy.cases import Case, Key
from ckaccuracy.errors import AccuracyError
from ckaccuracy.figures import Figures
from ckaccuracy.measure import measure


def measure_all(cases: Iterable[Case], libraries: Sequence[Path]) -> dict[Key, Figures]:
    """The figures of cases, whose kernels are in these libraries."""
    libraries_of = {
        path.name.removeprefix("lib").removesuffix(".so"): path
        for path in libraries
        if path.suffix == ".so"
    }
    by_gpu: dict[str, list[Case]] = {}
    for case in cases:
        if case.kernel not in libraries_of:
            raise AccuracyError(
                f"the kernel {case.kernel} was asked for and is not among the files of this "
                "program."
            )
        by_gpu.setdefault(case.gpu, []).append(case)
    found: dict[Key, Figures] = {}
    for gpu, some in by_gpu.items():
        needed = {case.kernel: str(libraries_of[case.kernel].absolute()) for case in some}
        request = {
            "gpu": gpu,
            "cases": [asdict(case) for case in some],
            "libraries": list(needed.values()),
        }
        found |= zip((case.key for case in some), _ask(request), strict=True)
    return found


def _ask(request: Mapping[str, object]) -> list[Figures]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(
        [sys.executable, "-m", "ckaccuracy.worker"],
        env=environment,
        input=json.dumps(request),
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        raise AccuracyError(f"not everything could be measured on {request['gpu']}.")
    return [Figures.from_json(one) for one in json.loads(done.stdout)]


def main() -> int:
    """Answer the request on stdin; an error is a sentence on stderr."""
    request = json.load(sys.stdin)
    registry = Registry(name="accuracy")
    try:
        for library in request["libraries"]:
            registry.add_library(library)
        dispatcher = Dispatcher(registry, f"sim:{request['gpu']}")
        found = []
        for one in request["cases"]:
            found.append(measure(dispatcher, Case(**one)).to_json())
            print(f"{one['problem']}: {found[-1]['max_abs']:.3g}", file=sys.stderr, flush=True)
    except (AccuracyError, CkDispatchError) as error:
        print(f"accuracy: {error}", file=sys.stderr)
        return 1
    json.dump(found, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
