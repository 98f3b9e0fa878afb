# SPDX-License-Identifier: MIT
"""Says which kernels of a set compute a product, the best first, and why the others do not. It
needs neither a GPU nor the simulator.
"""

from __future__ import annotations

from ckdispatch import GemmProblem
from ckdispatch.errors import NoKernel
from program import Results, command_line, opened, run


def rank() -> Results:
    """The device only says which GPU is meant; it is not opened."""
    parser = command_line(__doc__)
    parser.add_argument(
        "problem", nargs="?", default="200x136x72 fp16 rcr", help="such as '%(default)s'"
    )
    options = parser.parse_args()
    problem = GemmProblem.parse(options.problem)
    ranking = opened(options).selection.rank(problem)

    yield f"{ranking.problem} on {ranking.gpu}"
    for fitting in ranking.fit:
        yield f"fits: {fitting.kernel}, predicted {fitting.microseconds:.1f} us"
    for refused in ranking.refused:
        yield f"refused ({refused.code.name.lower()}): {refused.reason}"
    if not ranking.fit:
        raise NoKernel(f"no kernel computes {ranking.problem} as it is")


if __name__ == "__main__":
    run(rank)
