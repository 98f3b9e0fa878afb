# SPDX-License-Identifier: MIT
"""What the compiler's preprocessor makes of a source in the device pass of a GPU."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from ckdispatch.jit.process import clean_environment

from cksupport.errors import SupportError
from cksupport.skeleton import in_plain_lines

_MARKER = re.compile(r'# \d+ "([^"\\]*(?:\\.[^"\\]*)*)"((?: \d)*)')
_SYSTEM = "3"
"""The flag of what the compiler and the machine bring."""
_MAIN = "<stdin>"


def preprocessed(clang: str, flags: Sequence[str], folders: Sequence[Path], source: str) -> str:
    """The text of ``source`` and of the headers in ``folders`` that it includes, with their macros'
    definitions.

    Line markers are left out, as is all that comes from the compiler and the machine: no path of
    theirs is in it.
    """
    includes = [
        word for folder in folders for word in ("-I", str(folder), f"-fmacro-prefix-map={folder}/=")
    ]
    command = [clang, *flags, "--cuda-device-only", "-nogpulib", "-w", *includes, "-E", "-dD", "-"]
    done = subprocess.run(
        command,
        input=source,
        capture_output=True,
        env=clean_environment(),
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        said = next(
            (line for line in done.stderr.splitlines() if "error:" in line), done.stderr.strip()
        )
        raise SupportError(f"a kernel's source could not be preprocessed by {clang}: {said}")
    return in_plain_lines("\n".join(_own_lines(done.stdout)))


def _own_lines(output: str) -> Iterator[str]:
    own = False
    for line in output.splitlines():
        marker = _MARKER.fullmatch(line) if line.startswith("# ") else None
        if marker is None:
            if own:
                yield line
            continue
        name, flags = marker[1], marker[2].split()
        own = _SYSTEM not in flags and (name == _MAIN or not name.startswith("<"))
