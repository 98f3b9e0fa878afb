# SPDX-License-Identifier: MIT
"""Several workers, as docs/remote.md starts them: what becomes of a build when one of them dies,
and for whom they work.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.consumers.nested_bazel import Workspace, copy_repository, own_libraries, scratch_folder
from tests.consumers.nested_bazel import running as running_bazel
from tests.remote import grid
from tests.remote.grid import Grid, Program
from tests.remote.project import project
from tests.remote.servers import in_another_root, needs_sealed_root

pytestmark = needs_sealed_root

SET = "//kernels:gemm_fp16_rcr_essential"
STEPS = {
    "CkBundle",
    "CkCompile",
    "CkGenerate",
    "CkHost",
    "CkInspect",
    "CkLink",
    "CkManifest",
    "CkPrecompile",
}
KERNELS = 6


@pytest.fixture(scope="module")
def scratch() -> Iterator[Path]:
    with scratch_folder() as folder:
        yield folder


@pytest.fixture(scope="module")
def buildgrid(scratch: Path) -> Iterator[Grid]:
    with grid.running(scratch / "grid") as made:
        yield made


@pytest.fixture(scope="module")
def workers(buildgrid: Grid) -> list[Program]:
    return [buildgrid.worker(name) for name in ("one", "two")]


def executor(buildgrid: Grid) -> list[str]:
    return [
        f"--remote_executor=grpc://127.0.0.1:{buildgrid.port}",
        "--remote_upload_local_results=false",
    ]


def waits(buildgrid: Grid, waiting: Future[Any]) -> str:
    """The name of the action of this build that was given to no worker."""
    while not (
        job := buildgrid.ask("SELECT name FROM jobs WHERE stage = 2 AND worker_name IS NULL")
    ):
        assert not waiting.done(), waiting.result()
        time.sleep(0.2)
    return job


def test_no_worker_takes_work_for_another_root(
    tmp_path: Path, buildgrid: Grid, workers: list[Program]
) -> None:
    with (
        project(tmp_path / "own") as own,
        project(tmp_path / "other", in_another_root(tmp_path)) as other,
        ThreadPoolExecutor() as pool,
        other.interrupted_at_the_end(),
    ):
        # Bazel asks again for what was cancelled, unless it is told not to.
        flags = ["--disk_cache=", "--remote_retries=0", *executor(buildgrid)]
        waiting = pool.submit(other.try_bazel, "build", *flags, "//:first")
        job = waits(buildgrid, waiting)
        try:
            # The workers are there, and take what is for their own root.
            assert {
                spawn.runner for spawn in own.build(*executor(buildgrid), "//:first", "//:second")
            } == {"remote"}
            assert waits(buildgrid, waiting) == job
        finally:
            buildgrid.cancel(job)
        assert waiting.result().code == 34
        assert own.output("second").endswith("  -\n")
    for worker in workers:
        worker.check()


def test_an_action_waits_for_a_worker_that_offers_what_it_asks_for(
    tmp_path: Path, buildgrid: Grid, workers: list[Program]
) -> None:
    asks = "--remote_default_exec_properties=Pool=of-one"
    with (
        project(tmp_path / "one") as one,
        project(tmp_path / "two") as two,
        ThreadPoolExecutor() as pool,
        one.interrupted_at_the_end(),
    ):
        waiting = pool.submit(one.build, *executor(buildgrid), asks, "//:large")
        job = waits(buildgrid, waiting)
        try:
            assert {
                spawn.runner for spawn in two.build(*executor(buildgrid), "//:surroundings")
            } == {"remote"}
            assert waits(buildgrid, waiting) == job
            special = buildgrid.worker("special", "--property", "Pool=of-one")
        except BaseException:
            buildgrid.cancel(job)
            raise
        assert {spawn.runner for spawn in waiting.result()} == {"remote"}
        assert buildgrid.ask(f"SELECT worker_name FROM jobs WHERE name = '{job}'").endswith(
            f"-{special.process.pid}"
        )
    special.kill()
    # Until it is missed it is given work.
    while buildgrid.workers() > len(workers):
        time.sleep(1)
    folders, devices, *_ = two.output("surroundings").splitlines()
    assert {name for name in folders.split() if not name.startswith("lib")} == set(
        "bin data dev etc opt proc run sbin tmp usr var".split()
    )
    assert devices == "1"


def test_what_a_worker_did_when_it_died_another_does(
    scratch: Path, buildgrid: Grid, workers: list[Program]
) -> None:
    repository = copy_repository(scratch / "clone")
    with (
        running_bazel(Workspace(repository, repository, scratch / "out")) as workspace,
        ThreadPoolExecutor() as pool,
    ):
        flags = ["--config=gfx942", "--disk_cache="]
        building = pool.submit(
            workspace.build, "--config=remote-exec", *executor(buildgrid), *flags, "--jobs=4", SET
        )
        doomed, other = workers
        while not doomed.runs("clang++"):
            assert not building.done(), building.result()
            time.sleep(0.1)
        doomed.kill()
        built = building.result()
        assert {spawn.mnemonic for spawn in built} >= STEPS
        assert {spawn.runner for spawn in built} == {"remote"}
        assert len([spawn for spawn in built if spawn.mnemonic == "CkCompile"]) == KERNELS
        other.check()
        # What it did was begun twice.
        assert int(buildgrid.ask("SELECT count(*) FROM jobs WHERE n_tries > 1")) >= 1

        files = workspace.files(SET, *flags)
        libraries = [name for name in files if name.endswith(".so")]
        assert len(libraries) == KERNELS
        assert [
            name for name in files if files[name].read_bytes() != own_libraries()[name].read_bytes()
        ] == []
