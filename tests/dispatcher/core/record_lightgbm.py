# SPDX-License-Identifier: MIT
"""Writes what trees_test and model_test compare with: models that LightGBM trained, rows, and its
own raw scores of them.

    PYTHONPATH=python python3 tests/dispatcher/core/record_lightgbm.py tests/dispatcher/core

It needs LightGBM, which ``third_party/python/learning.lock`` pins, and is run again only if the
cases are to be others.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from ckdispatch.learning.artefact import Artefact, layout
from ckdispatch.learning.training import PARAMETERS
from ckdispatch.learning.trees import trees_of

FEATURES = ("width", "depth", "rounds", "share", "flag", "offset")
ZERO = float(np.float32(1e-35))
"""Up to here a number is zero for LightGBM; it is among its thresholds."""
NEAR_ZERO = (
    -0.0,
    5e-324,
    1e-36,
    -1e-36,
    ZERO,
    -ZERO,
    float(np.nextafter(ZERO, 1)),
    float(np.nextafter(-ZERO, -1)),
)
ODD = (float("nan"), float("inf"), float("-inf"), *NEAR_ZERO)


def training_rows(random: np.random.Generator, count: int) -> Any:
    """Numbers of several kinds: real ones, powers of two, counts, shares, flags, and ones around
    zero.
    """
    return np.stack(
        [
            random.normal(size=count),
            2.0 ** random.integers(0, 12, size=count),
            random.integers(0, 9, size=count).astype(float),
            random.uniform(size=count),
            random.integers(0, 2, size=count).astype(float),
            np.where(random.uniform(size=count) < 0.5, 0.0, random.normal(size=count)),
        ],
        axis=1,
    )


def trained(trees: int, **parameters: Any) -> Any:
    random = np.random.default_rng(26)
    rows = training_rows(random, 600)
    width, depth, _, share, flag, offset = rows.T
    targets = (
        np.sin(3 * width)
        + share * flag
        + 0.1 * np.log2(depth) * offset
        + 0.2 * random.normal(size=len(rows))
    )
    return lightgbm.train(
        {**PARAMETERS, "seed": 26, **parameters},
        lightgbm.Dataset(rows, targets),
        num_boost_round=trees,
    )


def trial_rows(model: Any, count: int) -> Any:
    """Rows as in training; some have an odd number, a threshold, or the next number above or below
    one.
    """
    random = np.random.default_rng(62)
    rows = training_rows(random, count)
    nodes = [
        (f, t)
        for tree in trees_of(model.dump_model())
        for f, t in zip(tree.feature, tree.threshold, strict=True)
    ]
    for place in range(0, count, 3):
        column = int(random.integers(0, rows.shape[1]))
        rows[place, column] = ODD[int(random.integers(0, len(ODD)))]
    for place in range(1, count if nodes else 0, 3):
        column, threshold = nodes[int(random.integers(0, len(nodes)))]
        rows[place, column] = (
            threshold,
            np.nextafter(threshold, np.inf),
            np.nextafter(threshold, -np.inf),
        )[place % 9 // 3]
    return rows


def case(name: str, model: Any, count: int) -> dict[str, Any]:
    rows = trial_rows(model, count)
    sums = model.predict(rows, raw_score=True)
    return {
        "name": name,
        "trees": [asdict(tree) for tree in trees_of(model.dump_model())],
        "rows": [
            [number if np.isfinite(number) else str(number) for number in row]
            for row in rows.tolist()
        ],
        "sums": sums.tolist(),
    }


def main(folder: Path) -> None:
    wide = trained(40)
    cases = [
        case("40 trees of up to 31 leaves", wide, 200),
        case("one tree", trained(1, num_leaves=4), 20),
        case("trees of two leaves", trained(9, num_leaves=2), 33),
        case("a leaf alone", trained(1, min_data_in_leaf=1000), 3),
    ]
    (folder / "lightgbm_cases.json").write_text(
        layout({"lightgbm": lightgbm.__version__, "cases": cases})
    )
    seen = training_rows(np.random.default_rng(26), 600)
    Artefact(
        family="grouped_conv",
        gpu="gfx950",
        serves={"variant": "forward", "dtype_x": "bf16"},
        features=FEATURES,
        ranges={
            name: (float(column.min()), float(column.max()))
            for name, column in zip(FEATURES, seen.T, strict=True)
        },
        constants={"launch_microseconds": 4.0, "memory_share": 0.8},
        trees=trees_of(wide.dump_model()),
        manifest={
            "provenance": "simulated",
            "rows": len(seen),
            "versions": {"lightgbm": lightgbm.__version__},
        },
    ).write(folder / "lightgbm_model.json")
    print(json.dumps({one["name"]: len(one["rows"]) for one in cases}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
