# SPDX-License-Identifier: MIT
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from ckbench.bazel import users_environment
from ckbench.errors import BenchError
from ckbench.process import Seconds, run, run_timed

BURN = "import time\nwhile time.process_time() < 0.3: pass"


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_a_program_is_charged_for_what_its_children_used(tmp_path: Path) -> None:
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {BURN!r}])"
    seconds = run_timed(python(code), tmp_path, os.environ, "burning")
    assert 0.3 <= seconds.cpu < 3.0


def test_sleeping_costs_time_on_the_clock_but_none_of_the_processor(tmp_path: Path) -> None:
    seconds = run_timed(python("import time; time.sleep(1)"), tmp_path, os.environ, "sleeping")
    assert seconds.wall >= 1.0
    assert seconds.cpu < 0.8


def test_seconds_add_up() -> None:
    assert Seconds(1.0, 2.0) + Seconds(3.0, 4.0) == Seconds(4.0, 6.0)


@pytest.mark.parametrize("runner", [run_timed, run])
def test_a_failure_says_what_failed_and_the_first_error(
    runner: Callable[..., object], tmp_path: Path
) -> None:
    code = "import sys; print('note\\nx.cpp:1: error: bad\\nmore', file=sys.stderr); sys.exit(3)"
    with pytest.raises(BenchError, match=r"^compiling k failed: x.cpp:1: error: bad$"):
        runner(python(code), tmp_path, os.environ, "compiling k")


def test_a_failure_without_a_word_says_its_exit_code(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"^it all failed: it ended with exit code 3$"):
        run_timed(python("raise SystemExit(3)"), tmp_path, os.environ, "it all")


@pytest.mark.parametrize("runner", [run_timed, run])
def test_an_interruption_ends_the_program_too(
    runner: Callable[..., object], tmp_path: Path
) -> None:
    mark = tmp_path / "pid"
    code = f"import os, time; open({str(mark)!r}, 'w').write(str(os.getpid())); time.sleep(60)"

    def interrupt() -> None:
        while not mark.exists() or not mark.read_text():
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        runner(python(code), tmp_path, os.environ, "sleeping")
    thread.join()
    assert not Path("/proc", mark.read_text()).exists()


def test_a_nested_bazel_does_not_see_what_bazel_run_added() -> None:
    seen = users_environment(
        {
            "PATH": "/bin",
            "PYTHONPATH": "/runfiles",
            "RUNFILES_DIR": "/runfiles",
            "BUILD_WORKSPACE_DIRECTORY": "/w",
            "CKDISPATCH_CACHE": "/cache",
        }
    )
    assert seen == {"PATH": "/bin", "CKDISPATCH_CACHE": "/cache"}
