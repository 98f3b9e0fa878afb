# SPDX-License-Identifier: MIT
"""Asks for a kernel that is not legal, says which rules it breaks, takes the nearest that is, and
runs it if the set has it, checked.
"""

from __future__ import annotations

from ckdispatch import GemmConfig, GemmProblem
from ckdispatch.gemm.reference import gemm_reference
from program import Results, command_line, opened, product_of, run, whole_numbers


def correct() -> Results:
    """Nothing is corrected unless it is asked for, and every change has its reason."""
    parser = command_line(__doc__)
    parser.add_argument(
        "--tile", default="100x128x32", help="m, n and k of a workgroup (default: %(default)s)"
    )
    options = parser.parse_args()
    tile = product_of(options.tile)
    dispatcher = opened(options)
    # The GPU is that of the device, which is not opened for it.
    gpu = dispatcher.selection.gpu

    asked = GemmConfig(
        dtype="fp16",
        layout="rcr",
        tile=(tile.m, tile.n, tile.k),
        waves=(2, 2, 1),
        warp_tile=(32, 32, 16),
        pipeline="compv4",
    )
    for violation in asked.validate(gpu).violations:
        yield f"broken: {violation}"
    corrected = asked.autocorrect(gpu)
    for change in corrected.changes:
        yield f"changed: {change.field} from {change.before} to {change.after}"

    name = corrected.config.name
    if name not in dispatcher.registry:
        yield f"{name} is not in the set; Registry([config]).build() would compile it"
        return
    m, n, k = corrected.config.tile
    a, b = whole_numbers(2 * m, 2 * k), whole_numbers(n, 2 * k).T
    product = dispatcher.empty((2 * m, n))
    tensors = dispatcher.to_device(a), dispatcher.to_device(b, column_major=True), product
    dispatcher.run(GemmProblem(2 * m, n, 2 * k), *tensors, kernel=name)
    found = gemm_reference(a, b).compare(product.numpy()).raise_if_bad()
    yield f"{product.shape} by {name}: {found}"


if __name__ == "__main__":
    run(correct)
