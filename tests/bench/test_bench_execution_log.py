# SPDX-License-Identifier: MIT
"""recorded/execution_log.json is what Bazel 7.7.1 wrote for one kernel, without its inputs."""

from pathlib import Path

import pytest
from ckbench.clone import CloneBuild
from ckbench.errors import BenchError
from ckbench.execution_log import Spawn, by_mnemonic, log_flag, read_spawns

RECORDED = Path(__file__).parent / "recorded" / "execution_log.json"
KERNEL = (
    "//kernels:gemm_fp16_rcr_compv4_cshuffle_intrawave_False_False_False_False"
    "_128x128x32_2x2x1_32x32x16"
)


def test_every_action_is_read_with_its_target_and_whether_a_cache_answered() -> None:
    assert read_spawns(RECORDED) == [
        Spawn("CkGenerate", KERNEL, cached=False),
        Spawn("CkCompile", KERNEL, cached=True),
        Spawn("CkBundle", KERNEL, cached=True),
        Spawn("CkInspect", KERNEL, cached=True),
        Spawn("CkHost", KERNEL, cached=True),
        Spawn("CkLink", KERNEL, cached=True),
        Spawn("CkArchSpecs", "//arch:ckarch_module", cached=True),
    ]


def test_actions_are_counted_by_mnemonic() -> None:
    spawns = [Spawn("CkLink", "//a", False), Spawn("CkHost", "//a", True)] * 2
    assert by_mnemonic([*spawns, Spawn("CkHost", "//b", False)]) == {"CkHost": 3, "CkLink": 2}


def test_a_compile_that_a_cache_answered_is_no_compile() -> None:
    recorded = tuple(read_spawns(RECORDED))
    assert CloneBuild(recorded, 1, ()).compiles == 0
    assert CloneBuild((*recorded, Spawn("CkCompile", KERNEL, False)), 1, ()).compiles == 1


def test_a_canonical_label_is_the_same_target(tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    log.write_text('{"mnemonic": "CkLink", "targetLabel": "@@//kernels:k"}')
    assert read_spawns(log) == [Spawn("CkLink", "//kernels:k", cached=False)]


def test_a_build_that_ran_nothing_has_an_empty_log(tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    log.write_text("")
    assert read_spawns(log) == []


def test_a_log_that_was_cut_off_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    log.write_text(RECORDED.read_text()[:-40])
    with pytest.raises(BenchError, match=r"log\.json is damaged"):
        read_spawns(log)


def test_the_flag_names_the_file() -> None:
    assert log_flag(Path("/tmp/x.json")) == "--execution_log_json_file=/tmp/x.json"
