# SPDX-License-Identifier: MIT
"""What is read of AMD's wheel, how its kernels get their arguments, and how times are compared. Its
own times are compared by hand: docs/timing.md.
"""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import pytest
from ckbench.amd_kernels.__main__ import compared, main, table_of
from ckbench.amd_kernels.f4gemm import Timed, timed_kernels
from ckfetch import wheelhouse

KERNELS = (
    "tile_m,tile_n,splitK,bpreshuffle,knl_name,co_name\n256,128,1,1,one,one.co\n"
    "32,128,0,1,two,two.co\n"
)
TABLE = """cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio
256,512,1024,256,1,0,20.5,one,1,1,0.0
256,16,1024,256,1,0,7.25,two,1,1,0.0
256,512,1024,256,1,1,9,one,1,1,0.0
80,512,1024,256,1,0,9,one,1,1,0.0
256,512,1024,256,1,0,9,of_another_library,1,1,0.0
"""


@pytest.fixture
def lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A lock whose wheel is a made-up one."""
    wheel = tmp_path / "amd_aiter-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("aiter_meta/hsa/gfx950/f4gemm/f4gemm_bf16_per1x32Fp4.csv", KERNELS)
        archive.writestr("aiter_meta/hsa/gfx950/f4gemm/one.co", b"1")
        archive.writestr("aiter_meta/hsa/gfx950/f4gemm/two.co", b"2")
        archive.writestr("aiter/configs/a4w4_blockscale_tuned_gemm.csv", TABLE)
    monkeypatch.setattr(wheelhouse, "obtain", lambda *_: wheel)
    return tmp_path / "a.lock"


def test_rows_of_known_kernels_with_k_in_one_part_are_taken(lock: Path) -> None:
    found = timed_kernels(lock)
    assert [(one.m, one.kernel, one.code) for one in found] == [
        (16, "two", b"2"),
        (512, "one", b"1"),
    ]
    assert [(one.tile, one.microseconds) for one in found] == [
        ((32, 128), 7.25),
        ((256, 128), 20.5),
    ]
    assert [one.grid for one in found] == [(8, 1), (8, 2)]


def test_each_argument_has_sixteen_bytes() -> None:
    one = Timed(100, 1024, 500, "kernel", b"", (32, 128), 1.0)
    block = one.arguments((11, 12, 13, 14, 15))
    assert len(block) == 23 * 16 + 4
    pointers = [struct.unpack_from("<Q", block, 16 * place)[0] for place in (0, 1, 2, 3, 17, 18)]
    assert pointers == [11, 0, 12, 13, 14, 15]
    assert struct.unpack_from("<f", block, 16 * 4) == (1.0,)
    numbers = [struct.unpack_from("<I", block, 16 * place)[0] for place in (8, 10, 12, 14, 15, 16)]
    assert numbers == [1024, 500, 500, 100, 1024, 500]
    # Scales of 500 elements are 16, padded to 8 in a row; rows to 256.
    assert one.sizes == (2 * 100 * 1024, 100 * 250, 1024 * 250, 256 * 16, 1024 * 16)


def test_one_factor_brings_times_together() -> None:
    found = compared([(8.0, 10.0), (16.0, 20.0), (12.0, 10.0)])
    assert found == {
        "factor": pytest.approx(0.8),
        "error_percent": pytest.approx(20.0),
        "scaled_error_percent": pytest.approx(0.0),
    }
    row = {"m": 1, "n": 2, "k": 3, "tile": [32, 128], "measured_us": 10.0, "simulated_us": 8.0}
    assert "1 of the table's 7 rows: median error 20.0 %" in table_of(
        {"table": 7, "rows": [row], **found}
    )


def test_a_wheel_without_the_table_is_one_sentence(
    lock: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "amd_aiter-2-py3-none-any.whl"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("aiter/__init__.py", "")
    monkeypatch.setattr(wheelhouse, "obtain", lambda *_: other)
    monkeypatch.setenv("CK_LOCK", str(lock))
    assert main([]) == 1
    told = capsys.readouterr()
    assert told.out == "" and told.err.count("\n") == 1
    assert (
        "amd_aiter-2-py3-none-any.whl has no "
        "aiter_meta/hsa/gfx950/f4gemm/f4gemm_bf16_per1x32Fp4.csv"
    ) in told.err


@pytest.mark.parametrize("words", [("--every", "0"), ("--share", "101"), ("--share", "x")])
def test_options_that_cannot_be_meant(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(list(words))
    assert f"argument {words[0]}: invalid" in capsys.readouterr().err
