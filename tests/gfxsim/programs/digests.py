# SPDX-License-Identifier: MIT
"""Runs programs whose workgroups meet in memory, and prints a hash of what each wrote."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from tests.gfxsim.programs.device import Program

N = 3000


def main() -> None:
    random = np.random.default_rng(5)
    folder = Path("tests/gfxsim/programs")
    numbers = random.integers(1, 1000, N).astype(np.int32)
    reals = random.standard_normal(N).astype(np.float32)

    def zeros(count: int, kind: type = np.int32) -> np.ndarray:
        return np.zeros(count, kind)

    runs: list[tuple[str, str, list[np.ndarray | int]]] = [
        ("control", "run_add", [reals, reals[::-1].copy(), zeros(N, np.float32), N, 96]),
        ("control", "run_maze", [numbers, zeros(N), N]),
        ("cooperation", "run_reduce_in_lds", [numbers, zeros(9, np.int64), N, 9]),
        ("cooperation", "run_scan", [numbers, zeros(N), zeros(12), zeros(12), N]),
        ("memory", "run_atomics_int32", [numbers, zeros(9), zeros(1), N]),
        (
            "memory",
            "run_histogram_float32",
            [numbers.astype(np.uint8), zeros(64, np.float32), N, 7],
        ),
        ("memory", "run_sum_of_last", [numbers, zeros(16), zeros(1), zeros(1), N]),
        ("arithmetic", "run_float_functions", [reals, reals, zeros(24 * N, np.float32), N]),
    ]
    for library, entry, arguments in runs:
        Program(folder / f"lib{library}.so").run(entry, *arguments)
        arrays = [argument.tobytes() for argument in arguments if isinstance(argument, np.ndarray)]
        print(entry, hashlib.sha256(b"".join(arrays)).hexdigest())


if __name__ == "__main__":
    main()
