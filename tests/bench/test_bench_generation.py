# SPDX-License-Identifier: MIT
from pathlib import Path

import ckarch
import pytest
from ckbench.errors import BenchError
from ckbench.generation import Generation, measure_generation
from ckbench.process import Seconds

GPU = "gfx1100"


def test_the_rate_counts_the_seconds_of_one_core_from_wildcards_to_files() -> None:
    generation = Generation(600, 0, expand=Seconds(2.0, 1.0), write=Seconds(4.0, 2.0))
    assert generation.per_s == pytest.approx(200.0)
    assert generation.per_wall_s == pytest.approx(100.0)


def test_every_kernel_is_really_written(tmp_path: Path) -> None:
    generation = measure_generation(ckarch.load_specs(), GPU, tmp_path)
    sources = list(tmp_path.iterdir())
    assert generation.kernels == len(sources) > 100
    assert all(source.stat().st_size > 1000 for source in sources)
    assert generation.rejected > 0
    assert generation.expand.cpu > 0 and generation.write.cpu > 0

    with pytest.raises(BenchError, match="already held sources"):
        measure_generation(ckarch.load_specs(), GPU, tmp_path)
