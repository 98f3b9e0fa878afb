# SPDX-License-Identifier: MIT
"""Writes a C++ source that holds the files of models."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

_CHUNK = 8192
"""Compilers need not take literals of more than 64 KiB; those beside each other are one."""


def source(paths: list[Path]) -> str:
    """The text of ``bundled_models.cpp``."""
    entries = "".join(_entry(path) for path in sorted(paths, key=lambda path: path.name))
    return (
        "// SPDX-License-Identifier: MIT\n"
        "// Generated from the models of this folder.\n"
        '#include "models/bundled_models.hpp"\n\n'
        "namespace ckdispatch::models {\n\n"
        "const std::vector<Bundled>& bundled() {\n"
        f"    static const std::vector<Bundled> all = {{{entries}}};\n"
        "    return all;\n"
        "}\n\n"
        "}  // namespace ckdispatch::models\n"
    )


def _entry(path: Path) -> str:
    text = path.read_text("utf-8")
    document = json.loads(text)
    fields = ", ".join(map(_literal, (path.stem, document["family"], document["gpu"])))
    return f"\n        {{{fields},\n{_bytes(text)}}},"


def _literal(text: str) -> str:
    return json.dumps(text)


def _bytes(text: str) -> str:
    """The text as literals: JSON's escapes of ASCII are also those of C++."""
    data = text.encode()
    if not data.isascii():
        raise SystemExit("a model holds characters beyond ASCII; write it with escapes")
    chunks = [text[start : start + _CHUNK] for start in range(0, len(text), _CHUNK)]
    return "\n".join(f"         {_literal(chunk)}" for chunk in chunks)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("models", type=Path, nargs="*")
    options = parser.parse_args()
    options.output.write_text(source(options.models), "utf-8")


if __name__ == "__main__":
    main()
