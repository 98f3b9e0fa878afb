# SPDX-License-Identifier: MIT
"""Files are whole or absent, and left alone if nothing changes."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from ckgen.core.writer import write_if_changed


def test_a_new_file_is_written_with_its_folders(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "x.cpp"
    assert write_if_changed(path, "text\n")
    assert path.read_text(encoding="utf-8") == "text\n"


def test_an_equal_file_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "x.cpp"
    write_if_changed(path, "text")
    os.utime(path, ns=(1, 1))
    inode = path.stat().st_ino
    assert not write_if_changed(path, "text")
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (1, inode)


def test_a_different_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "x.cpp"
    write_if_changed(path, "old")
    assert write_if_changed(path, "new")
    assert path.read_text(encoding="utf-8") == "new"


def test_line_ends_and_letters_are_written_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "x.cpp"
    write_if_changed(path, "a\r\né\n")
    assert path.read_bytes() == b"a\r\n\xc3\xa9\n"


@pytest.mark.parametrize("fault", [OSError("disk full"), KeyboardInterrupt()])
def test_an_interruption_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: BaseException
) -> None:
    path = tmp_path / "x.cpp"
    write_if_changed(path, "old")

    def fail(*arguments: object) -> None:
        raise fault

    monkeypatch.setattr("ckgen.core.writer.os.replace", fail)
    with pytest.raises(type(fault)):
        write_if_changed(path, "new")
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.cpp"]
    assert path.read_text(encoding="utf-8") == "old"


def test_readers_never_see_part_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.cpp"
    seen: list[tuple[str, str]] = []
    rename = os.replace

    def observe(source: str, destination: Path) -> None:
        before = path.read_text(encoding="utf-8") if path.exists() else "absent"
        seen.append((before, Path(source).read_text(encoding="utf-8")))
        rename(source, destination)

    monkeypatch.setattr("ckgen.core.writer.os.replace", observe)
    write_if_changed(path, "complete")
    assert seen == [("absent", "complete")]


def test_files_have_the_mode_that_the_umask_gives(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        write_if_changed(tmp_path / "x.cpp", "text")
        assert stat.S_IMODE((tmp_path / "x.cpp").stat().st_mode) == 0o640
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(old)
