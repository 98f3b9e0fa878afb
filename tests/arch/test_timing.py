# SPDX-License-Identifier: MIT
"""The facts about time: their schema, and that they agree with what other files of arch/ say."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
from arch_support import REPOSITORY, costs, document
from ckarch import SpecError
from ckarch.timing import read_timing

FACTS = REPOSITORY / "arch" / "timing_facts.json"
OPERANDS = {"fp16": "f16", "bf16": "bf16", "fp32": "f32"}


def facts() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(FACTS.read_text("utf-8"))
    return loaded


def problems(changed: dict[str, Any], folder: Path) -> tuple[str, ...]:
    path = folder / "timing_facts.json"
    path.write_text(json.dumps(changed), "utf-8")
    with pytest.raises(SpecError) as refused:
        read_timing(path)
    return refused.value.problems


def cycles(gpu: str, instruction: str) -> int:
    rows = facts()["instruction_cycles"]["rows"]
    found: int = next(
        row["cycles"]
        for row in rows
        if gpu in row["gpus"] and not row["narrow"] and fnmatchcase(instruction, row["pattern"])
    )
    return found


def test_the_projects_own_facts_satisfy_the_schema() -> None:
    assert read_timing(FACTS) == facts()


def test_a_field_without_a_source_is_refused(tmp_path: Path) -> None:
    changed = facts()
    changed["sources"][0]["fields"].remove("issue_cycles")
    assert any(
        "issue_cycles has 0 of them, and needs one" in problem
        for problem in problems(changed, tmp_path)
    )


@pytest.mark.parametrize("value", [0, -1, "4", None])
def test_a_fact_is_a_positive_number(value: Any, tmp_path: Path) -> None:
    changed = facts()
    changed["gpus"]["gfx942"]["values"]["lds_latency"] = value
    assert any("lds_latency" in problem for problem in problems(changed, tmp_path))


def test_every_gpu_of_the_facts_exists_and_its_lds_has_as_many_banks() -> None:
    gpus = document()["architectures"]
    for name, known in facts()["gpus"].items():
        assert known["values"]["lds_bytes_per_cycle"] == 4 * gpus[name]["lds_banks"]


def test_matrix_instructions_take_the_cycles_that_the_cost_model_has() -> None:
    seen = 0
    for gpu, dtypes in costs()["matrix_cycles"]["values"].items():
        for dtype, tiles in dtypes.items():
            if gpu not in facts()["gpus"] or dtype not in OPERANDS:
                continue
            for tile, known in tiles.items():
                if tile.startswith(("4x", "64x")):
                    continue
                one = "_1k" if gpu == "gfx90a" and dtype == "bf16" else ""
                between = "" if gpu in ("gfx90a", "gfx908") else "_"
                assert cycles(gpu, f"v_mfma_f32_{tile}{between}{OPERANDS[dtype]}{one}") == known, (
                    gpu,
                    dtype,
                    tile,
                )
                seen += 1
    assert seen >= 20
