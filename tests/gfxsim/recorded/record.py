# SPDX-License-Identifier: MIT
"""Records cases.txt anew: `./bazelw run //tests/gfxsim/recorded:record`.

Fails if the pseudocode or the rule for matrices disagrees with the simulator.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

from instructions import suite

from recorded import from_matrices, from_pseudocode
from recorded.case import FILE, Case, Recorded, write


def _merged(found: list[Recorded]) -> list[Recorded]:
    """Cases that are the same on several GPUs in one."""
    targets: dict[tuple[Case, str, str], list[tuple[str, int]]] = {}
    for one in found:
        targets.setdefault((one.case, one.by, one.bits), []).extend(one.targets)
    return [Recorded(tuple(gpus), *rest) for rest, gpus in targets.items()]


def main() -> None:
    """Records, and says how many cases have an expectation of their own."""
    found = [one for target in suite.TARGETS for one in from_pseudocode.recorded(target)]
    found += from_matrices.recorded()
    lines = _merged(found)
    clone = os.environ.get("BUILD_WORKSPACE_DIRECTORY")
    file = Path(clone) / "tests" / "gfxsim" / "recorded" / FILE.name if clone else FILE
    file.write_text(write(lines), encoding="utf-8")
    print(f"{file}: {len(found)} cases in {len(lines)} lines, {file.stat().st_size} bytes")
    for by, count in Counter(one.by for one in found).items():
        print(f"  {by}: {count}")


if __name__ == "__main__":
    main()
