# SPDX-License-Identifier: MIT
"""The constants of the cost model: their schema, and the C++ header that is generated from them."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from arch_support import COSTS, SPECS, costs, cpp_tables, write_costs
from archgen.cli import main
from ckarch import ArchError, MatrixIsa, SpecError, load_specs
from ckarch.costs import costs_text, read_costs

TABLE = {"name": "times.csv", "sha256": "a" * 64, "rows": 3}


def _changed(path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    document = costs()
    target: Any = document
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
    return document


def _problems(document: Any, folder: Path) -> tuple[str, ...]:
    with pytest.raises(SpecError) as refused:
        read_costs(write_costs(document, folder))
    return refused.value.problems


def _cpp_tables(path: Path, folder: Path) -> dict[str, Any]:
    """The tables of the header generated from ``path``, as a compiled C++ program sees them."""
    (folder / "arch").mkdir()
    assert (
        main(
            [
                "--specs",
                str(SPECS),
                "--costs",
                str(path),
                "--cost-header",
                f"{folder}/arch/cost_constants.hpp",
            ]
        )
        == 0
    )
    return cpp_tables("dump_costs", folder)


def _expected(document: dict[str, Any]) -> dict[str, Any]:
    terms = list(document["terms"])
    return {
        "terms": terms,
        "constants": [
            {name: row[name] for name in ("family", "gpu", "source", "values")}
            for row in document["constants"]
        ],
        "shares": document["bandwidth_share_per_workgroup"]["values"],
        "cycles": [
            [gpu, dtype, *map(int, tile.split("x")), cycles]
            for gpu, dtypes in document["matrix_cycles"]["values"].items()
            for dtype, instructions in dtypes.items()
            for tile, cycles in instructions.items()
        ],
        "places": {term: terms.index(term) for term in ("launch", "first")},
    }


def test_the_projects_own_constants_satisfy_the_schema() -> None:
    assert read_costs(COSTS) == costs()


def test_the_file_is_as_the_tool_that_fits_writes_it() -> None:
    assert costs_text(read_costs(COSTS)) == COSTS.read_text("utf-8")


def test_every_gpu_has_a_share_of_bandwidth_and_every_other_name_is_a_gpu() -> None:
    gpus = set(load_specs(SPECS).gpus)
    document = read_costs(COSTS)
    assert set(document["bandwidth_share_per_workgroup"]["values"]) == gpus
    assert {row["gpu"] for row in document["constants"]} <= gpus


def test_every_warp_tile_of_mfma_is_made_of_instructions_whose_cycles_are_known() -> None:
    specs = load_specs(SPECS)
    known = read_costs(COSTS)["matrix_cycles"]["values"]
    assert set(known) == {
        name for name, gpu in specs.architectures.items() if gpu.matrix_isa is MatrixIsa.MFMA
    }
    unknown = set()
    for name, dtypes in known.items():
        gpu = specs.gpu(name)
        for combination in specs.dtype_combinations:
            for m, n, k in (
                *gpu.warp_tiles.get(combination.key, ()),
                *gpu.preshuffle_warp_tiles.get(combination.key, ()),
            ):
                instructions = [
                    tuple(map(int, tile.split("x"))) for tile in dtypes.get(combination.a, {})
                ]
                if not any((m, n) == tile[:2] and k % tile[2] == 0 for tile in instructions):
                    unknown.add((name, combination.a, (m, n, k)))
    # CK has no instruction for it there.
    assert unknown == {("gfx908", "int8", (16, 16, 32)), ("gfx90a", "int8", (16, 16, 32))}


def test_the_header_holds_the_constants(tmp_path: Path) -> None:
    assert _cpp_tables(COSTS, tmp_path) == _expected(costs())


def test_the_header_has_constants_in_the_order_of_the_terms(tmp_path: Path) -> None:
    document = costs()
    row = document["constants"][0]
    row["values"] = dict(reversed(row["values"].items()))
    row["source"] = 'a "quoted" name\\, and ¾'
    document["constants"].append({**row, "gpu": "gfx942", "tables": [TABLE]})
    document["terms"]["another"] = "a term that nobody knows yet"
    for number, one in enumerate(document["constants"], 1):
        one["values"]["another"] = 0.1 * number
    assert _cpp_tables(write_costs(document, tmp_path), tmp_path) == _expected(document)


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        (("schema_version",), 2, "schema_version: expected 1, got 2"),
        (("schema_version",), True, "schema_version: expected 1, got true"),
        (("terms", "launch"), " ", 'terms.launch: expected a text that is not empty, got " "'),
        (("constants",), [], "constants: expected a list of at least 1, got []"),
        (
            ("constants", 0, "family"),
            "GEMM",
            (
                "constants[0].family: expected a name of small letters, digits and underscores, "
                'got "GEMM"'
            ),
        ),
        (
            ("constants", 0, "gpu"),
            "mi355",
            'constants[0].gpu: expected a GPU name such as gfx942, got "mi355"',
        ),
        (
            ("constants", 0, "source"),
            "",
            'constants[0].source: expected a text that is not empty, got ""',
        ),
        (
            ("constants", 0, "values", "launch"),
            -1,
            "constants[0].values.launch: expected a number from 0 to a million, got -1",
        ),
        (
            ("constants", 0, "values", "launch"),
            "2",
            'constants[0].values.launch: expected a number from 0 to a million, got "2"',
        ),
        (
            ("constants", 0, "values", "launch"),
            True,
            "constants[0].values.launch: expected a number from 0 to a million, got true",
        ),
        (
            ("constants", 0, "values", "launch"),
            None,
            "constants[0].values.launch: expected a number from 0 to a million, got null",
        ),
        (
            ("constants", 0, "values", "launch"),
            1e9,
            "constants[0].values.launch: expected a number from 0 to a million, got 1000000000.0",
        ),
        (
            ("constants", 0, "values", "launch"),
            float("nan"),
            "constants[0].values.launch: expected a number from 0 to a million, got NaN",
        ),
        (("constants", 0, "values"), [1], "constants[0].values: expected an object, got [1]"),
        (
            ("constants", 0, "tables"),
            [{**TABLE, "sha256": "A" * 64}],
            (
                "constants[0].tables[0].sha256: expected a SHA-256 in hexadecimal digits, "
                f'got "{"A" * 56}...'
            ),
        ),
        (
            ("constants", 0, "tables"),
            [{**TABLE, "sha256": "abc"}],
            'constants[0].tables[0].sha256: expected a SHA-256 in hexadecimal digits, got "abc"',
        ),
        (
            ("constants", 0, "tables"),
            [{**TABLE, "rows": 0}],
            "constants[0].tables[0].rows: expected an integer of at least 1, got 0",
        ),
        (
            ("bandwidth_share_per_workgroup", "values", "gfx942"),
            0,
            "bandwidth_share_per_workgroup.values.gfx942: expected a number above 0, got 0",
        ),
        (
            ("bandwidth_share_per_workgroup", "values", "gfx942"),
            float("nan"),
            "bandwidth_share_per_workgroup.values.gfx942: expected a number above 0, got NaN",
        ),
        (
            ("bandwidth_share_per_workgroup", "values", "gfx942"),
            float("inf"),
            "bandwidth_share_per_workgroup.values.gfx942: expected a number above 0, got Infinity",
        ),
        (
            ("bandwidth_share_per_workgroup", "values"),
            {},
            "bandwidth_share_per_workgroup.values: expected at least 1 entry, got none",
        ),
        (
            ("matrix_cycles", "values", "gfx942", "fp16", "32x32"),
            8,
            (
                "matrix_cycles.values.gfx942.fp16.32x32: expected three sizes such as 32x32x8, "
                'got "32x32"'
            ),
        ),
        (
            ("matrix_cycles", "values", "gfx942", "fp16", "32x32x8"),
            0,
            "matrix_cycles.values.gfx942.fp16.32x32x8: expected an integer of at least 1, got 0",
        ),
        (
            ("matrix_cycles", "values", "gfx942", "fp16"),
            {},
            "matrix_cycles.values.gfx942.fp16: expected at least 1 entry, got none",
        ),
        (
            ("matrix_cycles", "source"),
            "",
            'matrix_cycles.source: expected a text that is not empty, got ""',
        ),
    ],
)
def test_what_does_not_satisfy_the_schema_is_named(
    path: tuple[str | int, ...], value: Any, problem: str, tmp_path: Path
) -> None:
    assert _problems(_changed(path, value), tmp_path) == (problem,)


def test_a_missing_term_is_named(tmp_path: Path) -> None:
    document = costs()
    del document["constants"][1]["values"]["store"]
    assert _problems(document, tmp_path) == ("constants[1].values.store: missing",)


def test_a_constant_of_no_term_is_named_with_the_terms(tmp_path: Path) -> None:
    (problem,) = _problems(_changed(("constants", 0, "values", "tea"), 1), tmp_path)
    assert (
        problem
        == f"constants[0].values.tea: unknown field; known ones: {', '.join(costs()['terms'])}"
    )


def test_the_same_family_and_gpu_twice_are_named(tmp_path: Path) -> None:
    document = costs()
    document["constants"].append({**document["constants"][0], "source": "another"})
    place = len(document["constants"]) - 1
    assert _problems(document, tmp_path) == (f"constants[{place}]: gemm on gfx950 is listed twice",)


def test_all_problems_are_named_at_once(tmp_path: Path) -> None:
    document = _changed(("constants", 0, "values", "launch"), -1)
    document["schema_version"] = 0
    assert len(_problems(document, tmp_path)) == 2


@pytest.mark.parametrize("document", [[], 3, None, "text"])
def test_what_is_no_object_is_refused(document: Any, tmp_path: Path) -> None:
    (problem,) = _problems(document, tmp_path)
    assert problem == f"specs: expected an object, got {json.dumps(document)}"


def test_what_is_no_json_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "cost_constants.json"
    path.write_text('{\n  "terms": oops\n}\n', "utf-8")
    with pytest.raises(ArchError) as refused:
        read_costs(path)
    assert str(refused.value) == f"{path}:2:12: not JSON: Expecting value."


def test_a_name_twice_in_one_object_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cost_constants.json"
    path.write_text('{"terms": {}, "terms": {}}', "utf-8")
    with pytest.raises(SpecError) as refused:
        read_costs(path)
    assert str(refused.value) == (
        f"{path}: 1 problem in the constants of the cost model\nterms: written twice in one object"
    )


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ArchError) as refused:
        read_costs(tmp_path / "none.json")
    assert str(refused.value) == (
        f"cannot read the constants of the cost model {tmp_path}/none.json: "
        "No such file or directory."
    )


def test_constants_with_a_problem_generate_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_costs(_changed(("constants", 0, "values", "launch"), -1), tmp_path)
    outputs = ["--cost-header", f"{tmp_path}/out.hpp", "--cpp", f"{tmp_path}/specs.hpp"]
    assert main(["--specs", str(SPECS), "--costs", str(path), *outputs]) == 1
    assert capsys.readouterr().err.splitlines() == [
        f"{path}: 1 problem in the constants of the cost model",
        "constants[0].values.launch: expected a number from 0 to a million, got -1",
    ]
    assert list(tmp_path.iterdir()) == [path]


def test_the_refusal_survives_another_process(tmp_path: Path) -> None:
    with pytest.raises(SpecError) as refused:
        read_costs(write_costs(_changed(("schema_version",), 2), tmp_path))
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)
