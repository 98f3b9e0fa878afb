# SPDX-License-Identifier: MIT
"""GFXSIM_BOUNDS: what kernels may reach behind the end of an allocation."""

from __future__ import annotations

import os
import subprocess
import sys

PAGE = 4096

# Reads and writes around the end of 100 words and of their page, and what the host may do there.
SCRIPT = """
import ctypes
import numpy as np
from tests.gfxsim.bad_input.hostile import attempt
from tests.gfxsim.programs.device import hip, runtime
numbers = np.arange(100, dtype=np.int32)
with runtime().upload(numbers.tobytes()) as a, runtime().upload(bytes(8192)) as out:
    def short(said):
        place = said.partition('bytes at ')[2].partition(' at offset')[0]
        return place.partition(', ')[2] or said or 'right'
    def show(name, said):
        print(f"{name}: {short(said)}")
    show("inside", attempt("copy", out.address, a.address, 100, grid=2))
    show("behind", attempt("copy", out.address, a.address, 128, grid=2))
    words = np.frombuffer(out.download(), np.int32)
    behind = sorted({hex(word) for word in words[100:128].view(np.uint32)})
    print("values:", (words[:100] == numbers).all(), behind)
    show("write behind", attempt("put", a.address, 0, 1023))
    show("read it", attempt("copy", out.address, a.address + 4 * 1023, 1))
    print("found:", int(np.frombuffer(out.download(), np.int32)[0]))
    show("next page", attempt("put", a.address, 0, 1024))
    show("before", attempt("put", a.address, 0, -1))
    # Of two allocations the nearer one is named, which may be that behind the address.
    neighbours = [runtime().upload(bytes(400)) for _ in range(50)]
    neighbours.sort(key=lambda buffer: buffer.address)
    pairs = zip(neighbours, neighbours[1:])
    near = [two for one, two in pairs if two.address - one.address - 400 in range(16, 1 << 20)]
    print("neighbours:", len(near) > 0, {short(attempt("put", two.address, 0, -1)) for two in near})
    size = ctypes.c_size_t()
    hip().hipMemPtrGetInfo(ctypes.c_void_p(a.address), ctypes.byref(size))
    copied = hip().hipMemset(ctypes.c_void_p(a.address), 0, ctypes.c_size_t(404))
    print("size:", size.value, "copied:", copied)
"""


def answers(**environment: str) -> tuple[dict[str, str], str]:
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return dict(line.split(": ", 1) for line in ran.stdout.splitlines()), ran.stderr


def test_by_default_an_allocation_ends_where_it_ends() -> None:
    for environment in ({}, {"GFXSIM_BOUNDS": "exact"}):
        said, _ = answers(**environment)
        assert said["inside"] == "right"
        assert said["behind"] == "0 bytes behind an allocation of 400 bytes"
        assert said["write behind"] == "3692 bytes behind an allocation of 400 bytes"
        assert said["size"] == "400 copied: 1"


def test_with_pages_kernels_reach_the_rest_of_the_last_one() -> None:
    said, _ = answers(GFXSIM_BOUNDS="page")
    assert said["inside"] == said["behind"] == said["write behind"] == said["read it"] == "right"
    assert said["values"] == "True ['0xa5a5a5a5']"
    assert said["found"] == "1023"
    assert said["next page"] == f"{PAGE - 400} bytes behind an allocation of 400 bytes"
    assert said["before"] == "4 bytes before an allocation of 400 bytes"
    assert said["neighbours"] == "True {'4 bytes before an allocation of 400 bytes'}"
    # The program itself is told what it asked for.
    assert said["size"] == "400 copied: 1"


def test_the_checking_mode_finds_what_a_page_hides() -> None:
    said, reported = answers(GFXSIM_BOUNDS="page", GFXSIM_CHECK="1")
    assert said["behind"] == "right" and said["read it"] == "right"
    assert "uninitialised_memory" in reported and "(byte 400 of an allocation)" in reported
