# SPDX-License-Identifier: MIT
"""What is printed suits whoever reads it: a terminal, a pipe, a program."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest
from ckdispatch.version import version
from cli_support import ESSENTIAL, PROGRAM, SIMULATED, ckdispatch, environment

ESCAPE = "\x1b"
COMMANDS = {
    "devices": ("devices",),
    "list": ("list", *ESSENTIAL),
    "problems": ("problems", "vgg16"),
    "problems --list": ("problems", "--list"),
    "explain": ("explain", "64x72x64", *ESSENTIAL),
    "run": ("run", "64x64x64", *ESSENTIAL, *SIMULATED),
    "bench": ("bench", "64x64x64", "64x64x128", *ESSENTIAL, *SIMULATED, "--repeat", "1"),
    "build": (
        "build",
        "--kernel",
        "gemm_fp16_rcr_compv3_cshuffle_intrawave_False_False_False_False_64x64x64_2x2x1_32x32x16",
    ),
    "cache path": ("cache", "path"),
    "cache info": ("cache", "info"),
    "cache list": ("cache", "list"),
    "cache verify": ("cache", "verify"),
    "cache prune": ("cache", "prune"),
    "cache clear": ("cache", "clear"),
}
NO_COMPILER = {"CKDISPATCH_JIT": "0"}

every_command = pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS.keys())


def on_a_terminal(*words: str, columns: int = 200, **variables: str) -> str:
    """What a command prints on a terminal."""
    here, there = pty.openpty()
    variables = {"TERM": "xterm-256color", "COLUMNS": str(columns), **variables}
    process = subprocess.Popen([*PROGRAM, *words], stdout=there, env=environment(**variables))
    os.close(there)
    printed = b""
    try:
        while chunk := os.read(here, 65536):
            printed += chunk
    except OSError:
        # The terminal is gone once nobody has it open.
        pass
    process.wait()
    os.close(here)
    return printed.decode()


@every_command
def test_a_pipe_gets_no_control_characters(words: tuple[str, ...]) -> None:
    ended = ckdispatch(*words, env={**NO_COMPILER, "TERM": "xterm-256color", "FORCE_COLOR": "1"})
    assert ended.out and ESCAPE not in ended.out + ended.err and "\r" not in ended.out
    assert all(line == line.rstrip() for line in ended.out.splitlines())


@every_command
def test_json_is_one_document_and_nothing_else(words: tuple[str, ...]) -> None:
    ended = ckdispatch(*words, "--json", env=NO_COMPILER)
    assert isinstance(ended.document, dict) and ended.document
    assert ended.out.endswith("}\n") and ESCAPE not in ended.out


def test_a_terminal_gets_a_drawn_table() -> None:
    printed = on_a_terminal("devices")
    assert ESCAPE in printed and "─" in printed and "sim:gfx942" in printed


def test_no_color_is_honoured() -> None:
    printed = on_a_terminal("devices", NO_COLOR="1")
    assert ESCAPE not in printed and "─" in printed


def test_a_narrow_terminal_loses_nothing() -> None:
    printed = on_a_terminal("list", *ESSENTIAL, columns=60, NO_COLOR="1")
    titles = printed.splitlines()[0].split()
    assert titles[0] == "kernel" and titles[-1] == "waves/SIMD"
    names = [line.split()[0] for line in printed.split("\r\n\r\n")[0].splitlines()[2:]]
    assert "".join(names).count("gemm_fp16_rcr_") == 6


def test_json_on_a_terminal_is_plain_too() -> None:
    assert ESCAPE not in on_a_terminal("devices", "--json")


def test_whoever_stops_reading_hears_no_complaint() -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*PROGRAM, "devices"], stdout=write, stderr=subprocess.PIPE, env=environment(), check=False
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


HELP = [
    (),
    ("devices",),
    ("list",),
    ("explain",),
    ("run",),
    ("bench",),
    ("build",),
    ("cache",),
    *(("cache", part) for part in ("path", "info", "list", "verify", "prune", "clear")),
]


@pytest.mark.parametrize("command", HELP, ids=" ".join)
def test_every_command_has_help_with_an_example(command: tuple[str, ...]) -> None:
    ended = ckdispatch(*command, "--help")
    assert (ended.code, ended.err) == (0, "")
    examples = ended.out.partition("Example")[2]
    assert f"  ckdispatch {' '.join(command)}".rstrip() in examples


def test_the_version() -> None:
    ended = ckdispatch("--version")
    assert (ended.code, ended.out) == (0, f"ckdispatch {version()}\n")


def test_help_needs_neither_numpy_nor_the_generator_nor_the_runtime() -> None:
    script = (
        "import sys\nfrom ckdispatch.cli.main import main\n"
        "try:\n    main(['run', '--help'])\nexcept SystemExit:\n    pass\n"
        "print(*sys.modules, sep='\\n', file=sys.stderr)\n"
        "print(open('/proc/self/maps').read(), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    loaded = {line.partition(".")[0] for line in done.stderr.split("\n")}
    assert not loaded & {"numpy", "ml_dtypes", "rich", "jinja2", "ckgen", "ckarch"}
    assert "libckdispatch" not in done.stderr and "amdhip64" not in done.stderr
