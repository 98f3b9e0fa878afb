# SPDX-License-Identifier: MIT
import os
import signal
from pathlib import Path

import pytest
from ckbench.clone import copy_workspace
from ckbench.errors import BenchError
from ckbench.scratch import cache_folder, scratch_folder, undisturbed


def make_read_only_tree(folder: Path) -> None:
    inner = folder / "output" / "inner"
    inner.mkdir(parents=True)
    (inner / "file").write_text("x")
    inner.chmod(0o555)
    inner.parent.chmod(0o555)


def test_the_folder_is_gone_afterwards_with_what_bazel_made_read_only(tmp_path: Path) -> None:
    with scratch_folder(tmp_path / "cache") as folder:
        assert folder.parent == tmp_path / "cache"
        make_read_only_tree(folder)
    assert list((tmp_path / "cache").iterdir()) == []


def test_the_folder_is_gone_after_an_interruption(tmp_path: Path) -> None:
    def interrupted() -> None:
        with scratch_folder(tmp_path) as folder:
            make_read_only_tree(folder)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_benchmark_left_is_removed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    leftover = tmp_path / "bench.dead"
    make_read_only_tree(leftover)
    with scratch_folder(tmp_path) as folder:
        assert list(tmp_path.iterdir()) == [folder]
    assert f"removing {leftover}, left by an interrupted run" in capsys.readouterr().err


def test_the_folder_of_a_running_benchmark_is_left_alone(tmp_path: Path) -> None:
    with scratch_folder(tmp_path) as first, scratch_folder(tmp_path) as second:
        assert sorted(tmp_path.iterdir()) == sorted([first, second])


def test_cleaning_up_is_not_interrupted() -> None:
    done = []

    def clean_up() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        done.append("all of it")

    undisturbed(clean_up)
    assert done == ["all of it"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"CKDISPATCH_CACHE": "/c", "XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/c"),
        ({"XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/x/ckdispatch"),
        ({"HOME": "/h"}, "/h/.cache/ckdispatch"),
    ],
)
def test_the_cache_is_the_one_that_bazelw_uses(environment: dict[str, str], expected: str) -> None:
    assert cache_folder(environment) == Path(expected)


def test_without_a_home_there_is_no_cache() -> None:
    with pytest.raises(BenchError, match="set CKDISPATCH_CACHE"):
        cache_folder({})


def test_a_copied_workspace_has_its_links_but_neither_outputs_nor_history(tmp_path: Path) -> None:
    source = tmp_path / "source"
    for folder in (".git", "kernels", "tools/__pycache__"):
        (source / folder).mkdir(parents=True)
        (source / folder / "file").write_text("x")
    (source / "bazel-bin").symlink_to("/nonexistent")
    (source / "kernels" / "link").symlink_to("../kernels/file")
    copy_workspace(source, tmp_path / "copy")
    copied = sorted(str(p.relative_to(tmp_path / "copy")) for p in (tmp_path / "copy").rglob("*"))
    assert copied == ["kernels", "kernels/file", "kernels/link", "tools"]
    assert os.readlink(tmp_path / "copy" / "kernels" / "link") == "../kernels/file"
