# SPDX-License-Identifier: MIT
"""The checking mode finds nothing in programs that are right. Runs after them."""

from __future__ import annotations

import json
import os
from pathlib import Path


def test_correct_programs_have_no_finding() -> None:
    launches = [
        json.loads(line) for line in Path(os.environ["GFXSIM_REPORT"]).read_text().splitlines()
    ]
    assert len(launches) > 90
    assert [finding["message"] for launch in launches for finding in launch["findings"]] == []
