# SPDX-License-Identifier: MIT
"""Tries cases one after the other: SEED FIRST END IMAGE. Says which before each, and its outcome
after; the image is left in a file.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path

from tests.gfxsim.bad_input.fuzzing.case import Place, Sentinels, outcome, works


def main() -> None:
    seed, first, end, image = sys.argv[1:]
    sentinels, place = Sentinels(), Place()
    for number in range(int(first), int(end)):
        print(f"{number} ", end="", flush=True)
        print(outcome(f"{seed}:{number}", sentinels, place, Path(image)), flush=True)
    print(
        "works" if works() else "broken",
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        flush=True,
    )


if __name__ == "__main__":
    main()
