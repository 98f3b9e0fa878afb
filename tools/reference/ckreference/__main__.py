# SPDX-License-Identifier: MIT
"""Writes docs/starlark.md, or says that it is stale: reference [--check] EXTRACT…"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from ckreference.page import page
from ckreference.text_format import TextFormatError, parse


def main() -> int:
    """The exit code: 1 if the page is stale, 2 if an extract cannot be read."""
    parser = argparse.ArgumentParser(
        prog="reference", description="Writes the reference page of the public Starlark files."
    )
    parser.add_argument(
        "extracts",
        nargs="+",
        type=Path,
        metavar="EXTRACT",
        help="what Bazel extracted from a file, as text",
    )
    workspace = Path(os.environ.get("BUILD_WORKSPACE_DIRECTORY", "."))
    parser.add_argument(
        "--page", type=Path, default=workspace / "docs/starlark.md", help="default: %(default)s"
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit code 1 if the page is stale"
    )
    options = parser.parse_args()
    try:
        text = page(parse(extract.read_text()) for extract in options.extracts)
    except (OSError, TextFormatError) as error:
        print(
            f"The docstrings cannot be read ({error}); build //tools/reference:docstrings again.",
            file=sys.stderr,
        )
        return 2
    if options.check:
        current = options.page.read_text() if options.page.exists() else ""
        if current != text:
            print(f"{options.page} is stale; run ./bazelw run //tools/reference", file=sys.stderr)
        return int(current != text)
    options.page.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
