# SPDX-License-Identifier: MIT
"""Which kernel each way to choose takes for a product: the cost model, the first that fits, a
predictor and a function of one's own, and a name. Each is run and checked.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ckdispatch import Dispatcher, GemmProblem, Problem
from ckdispatch.gemm.reference import gemm_reference
from program import Results, command_line, loaded, product_of, run, whole_numbers


def choose() -> Results:
    """A strategy belongs to a dispatcher; several may share the kernels."""
    options = command_line(__doc__, sizes="256x256x64").parse_args()
    problem = product_of(options.sizes)
    kernels = loaded(options.kernels)

    def workgroups(asked: Problem, kernel: str, parts: int) -> float:
        """In place of microseconds: the fewest are the best. A table of measured times or a learned
        model would be asked here.
        """
        assert isinstance(asked, GemmProblem)
        m, n, _ = kernels[kernel].spec["tile"]
        return float(math.ceil(asked.m / m) * math.ceil(asked.n / n) * parts)

    def second(asked: Problem, fitting: Sequence[str]) -> int:
        """The cost model's best is the first; this one is the next, where there is one."""
        return min(1, len(fitting) - 1)

    device = options.device
    rules = Dispatcher(kernels, device)
    ways = {
        "rules": rules,
        "first fit": Dispatcher(kernels, device, strategy="first_fit"),
        "predictor": Dispatcher(kernels, device, strategy=workgroups),
        "function": Dispatcher(kernels, device, chooser=second),
    }
    a, b = whole_numbers(problem.m, problem.k), whole_numbers(problem.n, problem.k).T
    for name, dispatcher in ways.items():
        yield f"{name}: {dispatcher.gemm(a, b, validate=True).kernel}"

    # One kernel and no other; it is an error, with the reason, if it does not compute the problem.
    product = rules.empty((problem.m, problem.n))
    tensors = rules.to_device(a), rules.to_device(b, column_major=True), product
    ran = rules.run(problem, *tensors, kernel=ways["function"].plan(problem).kernel)
    gemm_reference(a, b).compare(product.numpy()).raise_if_bad()
    yield f"by name: {ran.kernel}"


if __name__ == "__main__":
    run(choose)
