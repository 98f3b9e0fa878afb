# SPDX-License-Identifier: MIT
"""What the default tests compile for GPUs, beside what docs/testing.md allows each family.

./bazelw run //tests/budget
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from ckbench.bazel import users_environment
from ckfamilies import NUMBERS
from rich.console import Console
from rich.table import Table

PAGE = Path("docs/testing.md")
OTHERS = "others"
"""HIP programs of the tests, each with its device code for some GPUs."""

_DEFAULT = r'tests(//tests/...) except attr(tags, "\bfull\b", tests(//tests/...))'
_EXPRESSION = f'mnemonic("^(CkCompile|HipProgram)$", deps({_DEFAULT}))'


def family_of(label: str) -> str:
    """The family whose kernel a target with this label compiles."""
    name = label.rpartition(":")[2]
    for family in NUMBERS:
        if name.startswith(f"{family}_"):
            return family
    return OTHERS


def counted(actions: str) -> Counter[str]:
    """How many kernels of each family are compiled, in an aquery's JSON; once for each GPU."""
    document = json.loads(actions)
    labels = {target["id"]: target["label"] for target in document.get("targets", [])}
    return Counter(family_of(labels[action["targetId"]]) for action in document.get("actions", []))


def allowed(page: str) -> dict[str, int]:
    """The budget of each family, which is in a table of the page."""
    rows = re.findall(r"^\| `?(\w+)`? \| (\d+) \|", page, flags=re.MULTILINE)
    return {family: int(number) for family, number in rows}


def exceeded(found: Counter[str], budget: dict[str, int]) -> list[str]:
    """A sentence for each that is more than its budget, or has none."""
    return [
        f"Default tests compile {number} kernels of {family}, and {PAGE} allows "
        f"{budget.get(family, 0)}; let several tests share one, tag a test `full`, or raise the "
        "budget and say why."
        for family, number in sorted(found.items())
        if number > budget.get(family, 0)
    ]


def _aquery(root: Path) -> str:
    return subprocess.run(
        [
            str(root / "bazelw"),
            "aquery",
            "--output=jsonproto",
            "--include_artifacts=false",
            "--include_commandline=false",
            _EXPRESSION,
        ],
        cwd=root,
        env=users_environment(os.environ),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout


def main() -> int:
    parser = argparse.ArgumentParser(prog="//tests/budget", description=__doc__)
    parser.add_argument("--json", action="store_true", help="the numbers for a program")
    arguments = parser.parse_args()
    root = Path(os.environ["BUILD_WORKSPACE_DIRECTORY"])
    budget = allowed((root / PAGE).read_text())
    try:
        found = counted(_aquery(root))
    except subprocess.CalledProcessError as error:
        print(f"Bazel's aquery ended with exit code {error.returncode}.", file=sys.stderr)
        return 1
    families = [*budget, *sorted(set(found) - set(budget))]
    if arguments.json:
        rows = [{"family": f, "compiled": found[f], "budget": budget.get(f, 0)} for f in families]
        print(json.dumps(rows, indent=2))
    else:
        table = Table("family", "kernels", "budget")
        for family in families:
            table.add_row(family, str(found[family]), str(budget.get(family, 0)))
        Console().print(table)
    sentences = exceeded(found, budget)
    for sentence in sentences:
        print(sentence, file=sys.stderr)
    return 1 if sentences else 0


if __name__ == "__main__":
    sys.exit(main())
