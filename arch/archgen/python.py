# SPDX-License-Identifier: MIT
"""The module that ``ckarch`` loads in a build, so that it neither parses nor validates."""

from __future__ import annotations

import pprint
from typing import Any


def python_module(document: dict[str, Any]) -> str:
    """The source of ``ckarch._generated``."""
    literal = pprint.pformat(document, width=100, sort_dicts=False)
    return (
        "# SPDX-License-Identifier: MIT\n"
        '"""Generated from arch_specs.json, after validation."""\n\n'
        "from typing import Any\n\n"
        f"DOCUMENT: dict[str, Any] = {literal}\n"
    )
