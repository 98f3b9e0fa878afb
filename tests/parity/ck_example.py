# SPDX-License-Identifier: MIT
"""CK's attention example on the simulator: what it gave its kernel, what that gave back, and what
the example thinks of it.

Its numbers are random, so they are taken from the copies that it makes to the device and from it.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from configurations import Configuration
from numpy.typing import NDArray

DTYPES: dict[str, Any] = {"fp16": np.float16, "bf16": ml_dtypes.bfloat16}

# The order of the runner's copies to the device: of those that it always makes the first, and from
# the last backwards.
_Q, _K, _V, _BIAS, _STARTS_Q, _STARTS_K, _GAPPY_STARTS_K = 0, 1, 2, 5, 6, 7, 9
_SLOPES = -3
_O, _LSE, _RANDVAL = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Run:
    """Tensors are [batch, rows, heads, head size], packed [rows of all, heads, head size], whatever
    their strides.

    ``starts_q`` and ``starts_k`` are where packed sequences begin and the last one ends, ``used_q``
    and ``used_k`` how many rows of each count. Of ``bias``, ``slopes``, ``lse`` and ``randval`` the
    example has some for some problems.
    """

    valid: bool
    kernel: str
    q: NDArray[Any]
    k: NDArray[Any]
    v: NDArray[Any]
    bias: NDArray[Any] | None
    slopes: NDArray[Any] | None
    starts_q: list[int] | None
    starts_k: list[int] | None
    used_q: list[int] | None
    used_k: list[int] | None
    o: NDArray[Any]
    lse: NDArray[Any] | None
    randval: NDArray[Any] | None


def run(
    program: Path, recorder: Path, simulator: Path, gpu: str, one: Configuration, folder: Path
) -> Run:
    """Runs the program, with its copies in an empty ``folder``."""
    environment = {
        "CK_COPIES": str(folder),
        "GFXSIM_GPU": gpu,
        "LD_LIBRARY_PATH": str(simulator.parent),
        "LD_PRELOAD": str(recorder),
    }
    ran = subprocess.run(
        [program, *one.command_line],
        capture_output=True,
        text=True,
        env=os.environ | environment,
        check=False,
    )
    verdict = re.search(r"valid:([yn])$", ran.stdout.strip())
    kernel = re.search(r"\bfmha_fwd_\w+", ran.stdout)
    assert verdict and kernel, (
        f"{one.command_line} ended with {ran.returncode}, {ran.stdout} and {ran.stderr}"
    )
    # Its exit code says the same.
    assert (ran.returncode == 0) == (verdict[1] == "y"), ran
    return _read(one, folder, verdict[1] == "y", kernel[0])


def _read(one: Configuration, folder: Path, valid: bool, kernel: str) -> Run:
    uploads, downloads = (
        [path.read_bytes() for path in sorted(folder.glob(kind))]
        for kind in ("upload_*", "download_*")
    )
    dtype = DTYPES[one.options["prec"]]
    (heads, heads_k), (size, size_v) = one.heads, one.head_sizes
    inner, outer = one.flag("iperm"), one.flag("operm")
    batch, rows, keys = (
        one.number("b", 2),
        one.number("s", 3328),
        one.number("s_k", one.number("s", 3328)),
    )
    starts_q = starts_k = used_k = None
    if one.packed:
        starts_q, starts_k = (
            np.frombuffer(uploads[place], np.int32).tolist() for place in (_STARTS_Q, _STARTS_K)
        )
        if "s_kpad" in one.options:
            used_k = np.diff(starts_k).tolist()
            starts_k = np.frombuffer(uploads[_GAPPY_STARTS_K], np.int32).tolist()
        batch, rows, keys = 1, starts_q[-1], starts_k[-1]

    def tensor(
        data: bytes, length: int, count: int, elements: int, heads_first: bool
    ) -> NDArray[Any]:
        shape = (
            (batch, count, length, elements) if heads_first else (batch, length, count, elements)
        )
        # CK's tensors have an element at least, also those of no rows.
        found = np.frombuffer(data, dtype)
        assert found.size == np.prod(shape) or length == 0, (
            f"{found.size} elements were copied for {shape}"
        )
        array = found[: int(np.prod(shape))].reshape(shape)
        array = array.swapaxes(1, 2) if heads_first else array
        return array[0] if one.packed else array

    longest = keys if starts_k is None else int(max(used_k or np.diff(starts_k)))
    bias = one.options.get("bias", "n")
    lse = (
        np.frombuffer(downloads[_LSE], np.float32).reshape(batch, heads, rows)
        if one.flag("lse")
        else None
    )
    randval = (
        np.frombuffer(downloads[_RANDVAL], np.uint8).reshape(batch, heads, rows, longest)
        if "p_drop" in one.options
        else None
    )
    return Run(
        valid=valid,
        kernel=kernel,
        q=tensor(uploads[_Q], rows, heads, size, inner),
        k=tensor(uploads[_K], keys, heads_k, size, inner),
        v=tensor(uploads[_V], keys, heads_k, size_v, inner),
        bias=np.frombuffer(uploads[_BIAS], dtype).reshape(rows, longest) if bias == "e" else None,
        slopes=np.frombuffer(uploads[_SLOPES], np.float32) if bias == "a" else None,
        starts_q=starts_q,
        starts_k=starts_k,
        used_q=one.numbers("q_eff_lens"),
        used_k=used_k or one.numbers("kv_eff_lens"),
        o=tensor(downloads[_O], rows, heads, size_v, outer),
        lse=lse[0] if one.packed and lse is not None else lse,
        randval=randval[0] if one.packed and randval is not None else randval,
    )
