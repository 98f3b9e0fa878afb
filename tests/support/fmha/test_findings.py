# SPDX-License-Identifier: MIT
"""What the simulator finds in a kernel counts, but for what its pipeline does by design."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest
from ckdispatch import Dispatcher
from ckgen.families import FAMILIES
from cksupport.trial import Bench, Ended
from cksupport.verdicts import Verdict

QR = "fmha_fwd_fp16_batch_h64x64_mask_lse_qr_t128x64x32x64x32x64_w4x1x1_i32x32x16_p1x1x0x0_o2"
V3 = "fmha_fwd_fp16_batch_h128x128_mask_lse_v3_t256x32x128x128x32x128_w8x1x1_i32x32x16_p1x1x0x0_o2"


def launched(name: str, kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """A launch of which the simulator reports a finding."""
    for variable in ("GFXSIM_CHECK", "GFXSIM_REPORT"):
        monkeypatch.setenv(variable, "")  # the bench sets them for its process
    bench = Bench("gfx950", folder / "launches.jsonl")

    def compute(*asked: Any) -> None:
        line = {"kernel": f"{name}__run", "findings": [{"kind": kind, "message": f"a {kind}"}]}
        with open(bench.report.path, "a", encoding="utf-8") as report:
            report.write(json.dumps(line) + "\n")

    monkeypatch.setattr(bench, "_compute", compute)
    return bench.try_launch(cast(Dispatcher, None), FAMILIES["fmha"].parse_name(name), ())


def test_waves_of_v3_may_meet_at_different_barriers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert launched(V3, "divergent_barrier", tmp_path, monkeypatch) == {"run"}


@pytest.mark.parametrize(("name", "kind"), [(QR, "divergent_barrier"), (V3, "lds_race")])
def test_other_findings_end_a_trial(
    name: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Ended, match=f"a {kind}") as end:
        launched(name, kind, tmp_path, monkeypatch)
    assert end.value.verdict is Verdict.FINDINGS
