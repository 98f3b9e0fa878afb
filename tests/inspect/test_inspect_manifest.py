# SPDX-License-Identifier: MIT
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ckinspect.cli import main

SUMMARY = {
    "vgprs": 188,
    "agprs": 64,
    "sgprs": 40,
    "lds_bytes": 32768,
    "scratch_bytes": 0,
    "vgpr_spills": 0,
    "sgpr_spills": 0,
    "waves_per_simd": 2,
    "code_bytes": 9000,
    "matrix_instructions": 480,
}


def kernel(folder: Path, name: str, **summaries: dict[str, int]) -> str:
    """Writes a description and a library; returns the entry that names them."""
    gpus = {gpu: {"summary": {**SUMMARY, **changes}} for gpu, changes in summaries.items()}
    document = {"schema_version": 1, "name": name, "spec": {"name": name}, "gpus": gpus}
    described, library = folder / f"{name}.json", folder / f"lib{name}.so"
    described.write_text(json.dumps(document))
    library.write_bytes(b"code of " + name.encode())
    return f"{described}={library}=libs/lib{name}.so"


def make(folder: Path, *entries: str) -> int:
    flags = [f"--entry={entry}" for entry in entries]
    return main(["manifest", "--set=demo", *flags, f"--output={folder / 'manifest.json'}"])


def refusal(folder: Path, capsys: pytest.CaptureFixture[str], *entries: str) -> str:
    assert make(folder, *entries) == 1
    assert not (folder / "manifest.json").exists()
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1 and captured.err.endswith(".\n")
    return captured.err


def read(folder: Path) -> Any:
    return json.loads((folder / "manifest.json").read_text())


def test_a_manifest_says_where_each_kernel_is_and_what_it_uses(tmp_path: Path) -> None:
    assert make(tmp_path, kernel(tmp_path, "a", gfx942={}, gfx1100={"vgprs": 200})) == 0
    assert read(tmp_path) == {
        "schema_version": 1,
        "set": "demo",
        "spilling": [],
        "kernels": [
            {
                "name": "a",
                "library": "liba.so",
                "path": "libs/liba.so",
                "library_sha256": hashlib.sha256(b"code of a").hexdigest(),
                "description_sha256": hashlib.sha256(
                    (tmp_path / "a.json").read_bytes()
                ).hexdigest(),
                "gpus": ["gfx1100", "gfx942"],
                "spec": {"name": "a"},
                "spills": False,
                "summary": {"gfx942": SUMMARY, "gfx1100": {**SUMMARY, "vgprs": 200}},
            }
        ],
    }


def test_a_library_without_a_given_path_is_where_it_lies_now(tmp_path: Path) -> None:
    (tmp_path / "kernels").mkdir()
    entry = kernel(tmp_path / "kernels", "a", gfx942={}).rpartition("=")[0]
    assert make(tmp_path, entry) == 0
    assert read(tmp_path)["kernels"][0]["path"] == "kernels/liba.so"


def test_the_order_of_entries_does_not_matter(tmp_path: Path) -> None:
    entries = [kernel(tmp_path, name, gfx942={}) for name in ("c", "a", "b")]
    assert make(tmp_path, *entries) == 0
    first = (tmp_path / "manifest.json").read_bytes()
    assert make(tmp_path, *reversed(entries)) == 0
    assert (tmp_path / "manifest.json").read_bytes() == first
    assert [k["name"] for k in read(tmp_path)["kernels"]] == ["a", "b", "c"]
    assert first.endswith(b"}\n")


@pytest.mark.parametrize("changes", [{"vgpr_spills": 3}, {"scratch_bytes": 16}])
def test_a_kernel_that_spills_on_one_gpu_is_listed(changes: dict[str, int], tmp_path: Path) -> None:
    entries = [
        kernel(tmp_path, "fine", gfx942={"sgpr_spills": 2}),
        kernel(tmp_path, "poor", gfx942={}, gfx1100=changes),
    ]
    assert make(tmp_path, *entries) == 0
    assert read(tmp_path)["spilling"] == ["poor"]
    assert {k["name"]: k["spills"] for k in read(tmp_path)["kernels"]} == {
        "fine": False,
        "poor": True,
    }


def test_a_params_file_gives_the_same_manifest(tmp_path: Path) -> None:
    entries = [kernel(tmp_path, name, gfx942={}) for name in ("a", "b")]
    assert make(tmp_path, *entries) == 0
    expected = (tmp_path / "manifest.json").read_bytes()
    lines = ["--set", "demo", "--output", str(tmp_path / "other.json")]
    lines += [line for entry in entries for line in ("--entry", entry)]
    (tmp_path / "params").write_text("\n".join(lines) + "\n")
    assert main(["manifest", f"@{tmp_path / 'params'}"]) == 0
    assert (tmp_path / "other.json").read_bytes() == expected


def test_two_kernels_of_one_name_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other").mkdir()
    entries = [kernel(tmp_path, "a", gfx942={}), kernel(tmp_path / "other", "a", gfx942={})]
    assert "the kernel set demo has two kernels named a" in refusal(tmp_path, capsys, *entries)


def test_one_library_for_two_kernels_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    library = kernel(tmp_path, "a", gfx942={}).partition("=")[2]
    kernel(tmp_path, "b", gfx942={})
    entries = [f"{tmp_path / 'a.json'}={library}", f"{tmp_path / 'b.json'}={library}"]
    assert "the library libs/liba.so for both a and b" in refusal(tmp_path, capsys, *entries)


def test_an_empty_set_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "the kernel set demo has no kernels" in refusal(tmp_path, capsys)


@pytest.mark.parametrize("entry", ["a.json", "a=b=c=d", "a.json==liba.so", "=liba.so"])
def test_an_entry_of_another_shape_is_refused(
    entry: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "is not DESCRIPTION=LIBRARY or DESCRIPTION=LIBRARY=PATH" in refusal(
        tmp_path, capsys, entry
    )


@pytest.mark.parametrize("path", ["/abs/liba.so", "libs/libb.so"])
def test_a_path_that_cannot_lead_to_the_library_is_refused(
    path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sentence = refusal(tmp_path, capsys, f"a.json=out/liba.so={path}")
    assert "must end in a relative path to liba.so" in sentence


def test_a_missing_library_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entry = kernel(tmp_path, "a", gfx942={})
    (tmp_path / "liba.so").unlink()
    assert "liba.so cannot be read" in refusal(tmp_path, capsys, entry)


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({}, "is not a kernel description of schema version 1"),
        ({"schema_version": 2}, "is not a kernel description of schema version 1"),
        ({"schema_version": 1, "name": "a", "spec": {}, "gpus": {}}, "at least one GPU"),
        (
            {"schema_version": 1, "name": "a", "spec": {}, "gpus": {"gfx942": {}}},
            "has no number vgprs in its summary for gfx942",
        ),
    ],
)
def test_a_description_of_another_shape_is_refused(
    document: dict[str, object], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = kernel(tmp_path, "a", gfx942={})
    (tmp_path / "a.json").write_text(json.dumps(document))
    assert reason in refusal(tmp_path, capsys, entry)


def test_the_report_has_a_row_for_each_kernel_and_gpu(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entries = [
        kernel(tmp_path, "b", gfx942={}),
        kernel(tmp_path, "a", gfx942={}, gfx1100={"vgpr_spills": 7}),
    ]
    assert make(tmp_path, *entries) == 0
    assert main(["report", str(tmp_path / "manifest.json")]) == 0
    lines = capsys.readouterr().out.splitlines()
    titles = "kernel GPU VGPR AGPR SGPR LDS scratch VGPR spills SGPR spills waves/SIMD code matrix"
    assert lines[0].split() == titles.split()
    assert [line.split() for line in lines[1:]] == [
        "a gfx1100 188 64 40 32768 0 7 0 2 9000 480".split(),
        "a gfx942 188 64 40 32768 0 0 0 2 9000 480".split(),
        "b gfx942 188 64 40 32768 0 0 0 2 9000 480".split(),
    ]
    assert len({len(line) for line in lines}) == 1


def test_the_report_as_json_has_the_same_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel(tmp_path, "a", gfx942={})
    assert main(["report", "--json", str(tmp_path / "a.json")]) == 0
    assert json.loads(capsys.readouterr().out) == [{"name": "a", "gpu": "gfx942", **SUMMARY}]


def test_the_report_refuses_what_is_neither_manifest_nor_description(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.json"
    other.write_text('{"kernels": {}}')
    assert main(["report", str(other)]) == 1
    assert "other.json is not a manifest of schema version 1" in capsys.readouterr().err


def test_a_usage_error_is_one_sentence_with_status_two(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["manifest", "--set=demo"])
    assert stopped.value.code == 2
    assert capsys.readouterr().err == (
        "ckinspect manifest: the following arguments are required: --output;"
        " see ckinspect manifest --help.\n"
    )


def test_the_package_runs_as_a_module(tmp_path: Path) -> None:
    kernel(tmp_path, "a", gfx942={})
    command = [sys.executable, "-m", "ckinspect", "report", str(tmp_path / "a.json")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1].split()[:3] == ["a", "gfx942", "188"]
