# SPDX-License-Identifier: MIT
"""Ctrl-C while a kernel runs, and limits of a whole launch: no launch lasts longer than its program
wants.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

# 2^31 workgroups, nearly all of which do nothing; the first one writes 7. SIGINT follows when that
# has been seen.
LAUNCH = """
import ctypes, os, signal, sys, threading, time
from tests.gfxsim.bad_input.attempts import CODE_OBJECT, N, attempt, works
from tests.gfxsim.programs.device import Module, runtime
module = Module(CODE_OBJECT.read_bytes())
buffer = runtime().upload(bytes(4 * N))
word = ctypes.c_int.from_address(buffer.address)
libc = ctypes.CDLL(None)
def disposition():
    # The handler, the signals that it blocks, of which the C library fills in 8 bytes, and flags.
    action = ctypes.create_string_buffer(256)
    libc.sigaction(signal.SIGINT, None, action)
    return action.raw[:16], action.raw[136:140]
def begun():
    while word.value not in (7, 8):
        time.sleep(0.01)
def interrupt():
    begun()
    os.kill(os.getpid(), signal.SIGINT)
def many():
    return attempt(module, "fill", buffer.address, 7, grid=2**31, block=1)
def endless():
    return attempt(module, "endless", buffer.address, 7, grid=1, block=1)
"""

IN_PYTHON = """
before = disposition()
threading.Thread(target=interrupt, daemon=True).start()
try:
    many()
except KeyboardInterrupt:
    print("KeyboardInterrupt")
print("handler as before:", before == disposition())
print("works:", works(module))
"""

# Launches wait for each other, in the runtime, where nobody sees how many there are: a late one
# would miss the signal and last for hours, so the signal leaves each the time to get there.
IN_THREADS = """
said, calling = [], []
def launch():
    calling.append(1)
    said.append(many())
def interrupt_all():
    begun()
    while len(calling) < 3:
        time.sleep(0.01)
    time.sleep(2)
    os.kill(os.getpid(), signal.SIGINT)
threads = [threading.Thread(target=launch, daemon=True) for _ in range(3)]
for thread in threads:
    thread.start()
try:
    threading.Thread(target=interrupt_all, daemon=True).start()
    while any(thread.is_alive() for thread in threads):
        time.sleep(0.01)
except KeyboardInterrupt:
    print("KeyboardInterrupt")
for thread in threads:
    thread.join(60)
print("\\n".join(said), flush=True)
os._exit(0)
"""

WITH = """
signal.signal(signal.SIGINT, signal.{})
threading.Thread(target=interrupt, daemon=True).start()
print(endless())
"""

NEW_HANDLER = """
heard = []
threading.Thread(target=lambda: (print(endless()), os.kill(os.getpid(), signal.SIGINT))).start()
begun()
signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
while not heard:
    time.sleep(0.01)
print("heard:", len(heard))
"""


def run(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", LAUNCH + script],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def was_interrupted(sentence: str) -> bool:
    return (
        "Kernel fill: the launch was interrupted after " in sentence
        and " of 2147483648 workgroups had begun." in sentence
    )


@pytest.mark.parametrize("threads", ["1", "2"])
def test_a_python_program_is_interrupted_and_goes_on(threads: str) -> None:
    ran = run(IN_PYTHON, GFXSIM_THREADS=threads)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == [
        "KeyboardInterrupt",
        "handler as before: True",
        "works: True",
    ]
    assert was_interrupted(ran.stderr)


def test_one_signal_ends_the_launches_of_all_threads() -> None:
    ran = run(IN_THREADS)
    assert ran.returncode == 0, ran.stderr
    first, *said = ran.stdout.splitlines()
    assert first == "KeyboardInterrupt"
    assert len(said) == 3 and all(was_interrupted(sentence) for sentence in said)


def test_a_program_without_a_handler_dies_as_ever() -> None:
    ran = run(WITH.format("SIG_DFL"), GFXSIM_INSTRUCTION_LIMIT="0")
    assert ran.returncode == -signal.SIGINT and ran.stdout == ""


def test_a_program_that_ignores_the_signal_is_not_interrupted() -> None:
    ran = run(WITH.format("SIG_IGN"), GFXSIM_INSTRUCTION_LIMIT="3000000")
    assert ran.returncode == 0, ran.stderr
    assert "the limit of 3000000 instructions" in ran.stdout


def test_a_handler_that_is_set_during_a_launch_stays() -> None:
    ran = run(NEW_HANDLER, GFXSIM_INSTRUCTION_LIMIT="3000000")
    assert ran.returncode == 0, ran.stderr
    assert "the limit of 3000000 instructions" in ran.stdout and ran.stdout.endswith("heard: 1\n")


FILL = """
print(attempt(module, "fill", buffer.address, 7, grid=50, block=64))
"""


def test_a_limit_of_the_launch_is_met_to_the_instruction_however_many_threads_there_are(
    tmp_path: Path,
) -> None:
    report = tmp_path / "report.jsonl"
    assert run(FILL, GFXSIM_REPORT=str(report)).stdout == "\n"
    taken = json.loads(report.read_text())["wave_instructions"]
    assert taken > 50
    for threads in ("1", "2", "3"):
        assert run(FILL, GFXSIM_THREADS=threads, GFXSIM_LAUNCH_LIMIT=str(taken)).stdout == "\n"
        said = run(FILL, GFXSIM_THREADS=threads, GFXSIM_LAUNCH_LIMIT=str(taken - 1)).stdout
        assert (
            "hipErrorLaunchTimeOut: Kernel fill: the launch has taken more than its limit of "
            f"{taken - 1} instructions."
        ) in said


COUNTLESS = """
print(attempt(module, "fill", buffer.address, 7, grid=2**31, block=1))
"""


def test_a_limit_ends_a_launch_of_countless_workgroups() -> None:
    assert (
        "more than its limit of 100000 instructions"
        in run(COUNTLESS, GFXSIM_LAUNCH_LIMIT="100000").stdout
    )


# While the first workgroup waits for the last, all others are done out of order.
OUT_OF_ORDER = """
from tests.gfxsim.bad_input import hostile
def peak():
    status = open("/proc/self/status")
    return int(next(line for line in status if line.startswith("VmHWM")).split()[1])
small = runtime().upload(bytes(4))
hostile.attempt("first_waits_for_last", small.address, 0, 1000, grid=1000)
before = peak()
small = runtime().upload(bytes(4))
print(hostile.attempt("first_waits_for_last", small.address, 0, 300000, grid=300000))
print(peak() - before)
"""


def test_memory_does_not_grow_with_the_number_of_workgroups() -> None:
    # What is freed does not count, where AddressSanitizer would keep it.
    kept = (
        os.environ.get("ASAN_OPTIONS", "")
        + ":quarantine_size_mb=0:thread_local_quarantine_size_kb=0"
    )
    ran = run(OUT_OF_ORDER, GFXSIM_THREADS="2", GFXSIM_INSTRUCTION_LIMIT="0", ASAN_OPTIONS=kept)
    assert ran.returncode == 0, ran.stderr
    said, kilobytes = ran.stdout.splitlines()
    assert said == ""
    assert int(kilobytes) < 4096
