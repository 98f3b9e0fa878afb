# SPDX-License-Identifier: MIT
"""``families`` and ``rules``, and running the package as a module."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from ckgen.cli.main import main
from ckgen.families import FAMILIES


def test_families_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["families"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == list(FAMILIES)


def test_rules_are_listed_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--json"]) == 0
    rules = json.loads(capsys.readouterr().out)
    expected = [rule for family in FAMILIES.values() for rule in family.rules]
    assert [rule["id"] for rule in rules] == [rule.id for rule in expected]
    assert [rule["sentence"] for rule in rules] == [rule.sentence for rule in expected]


def test_rules_are_listed_as_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules"]) == 0
    text = capsys.readouterr().out
    for family in FAMILIES.values():
        for rule in family.rules:
            assert f"| `{rule.id}` | {rule.sentence} |" in text


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ckgen", "families"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("gemm: ")


def test_an_interruption_ends_with_a_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*arguments: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("ckgen.cli.list_commands.rules_markdown", interrupt)
    assert main(["rules"]) == 130
    assert capsys.readouterr().err == "ckgen: interrupted; files written so far are complete\n"
