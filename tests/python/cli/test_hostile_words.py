# SPDX-License-Identifier: MIT
"""Whatever stands on a command line, the program says one sentence, early, and takes no more than
it needs.
"""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from ckdispatch.cli.exits import ExitCode
from ckdispatch.cli.main import main
from cli_support import ESSENTIAL, PADDED, PROGRAM, environment

KERNEL = (
    "--dtype",
    "fp16",
    "--layout",
    "rcr",
    "--tile",
    "64x64x64",
    "--waves",
    "2x2x1",
    "--warp-tile",
    "32x32x16",
    "--pipeline",
    "compv3",
)
PROBLEM = ("64x64x64", *ESSENTIAL)
TIMES = ("--measurements", "good.csv", "--gpu", "gfx942", *ESSENTIAL)

WORDS = {
    "nothing": "",
    "a space": " ",
    "bytes that are no text": "\udcff\udc80",
    "a null": "a\0b",
    "lines": "a\nb",
    "an option": "--",
    "a dash": "-x",
    "not ASCII": "ü€𝄞",
    "other digits": "٣x٣x٣",
    "a long word": "x" * 200_000,
    "4,000 digits": "9" * 4000,
    "5,000 digits": "9" * 5000,
    "a tile of 4,000 digits": "x".join(["9" * 4000] * 3),
    "a negative number": "-1",
    "a number that is none": "nan",
    "2^64": str(2**64),
    "0": "0",
    "a comma": ",",
    "a star": "*",
    "stars": "*,*",
    "a shell": "$(touch evil); `touch evil`",
    "markup": "[bold]x[/bold]",
    "a format": "{0}%s",
}
FILES = (
    "/dev/urandom",
    "/dev/full",
    "/dev/null",
    "/dev/zero",
    "folder",
    "fifo",
    "nowhere/file",
    "binary",
    "nested.json",
    "huge.json",
    "empty",
    "/proc/self/mem",
    "secret",
    "digits.json",
    "nested.manifest.json",
    "\udcff.json",
    "x" * 300,
)

OPTIONS = {
    "run": (PROBLEM, ("--device", "--kernel", "--seed", "--split-k", "--kernels")),
    "explain": (PROBLEM, ("--gpu", "--kernels", "--split-k")),
    "list": (ESSENTIAL, ("--gpu", "--pipeline", "--dtype", "--layout", "--kernels", "--family")),
    "bench": (
        (*PROBLEM, "--repeat", "1", "--warmup", "0"),
        ("--device", "--file", "--kernel", "--repeat", "--warmup", "--rotating-buffers", "--seed"),
    ),
    "bench --all-kernels": (
        (*PROBLEM, "--repeat", "1", "--warmup", "0", "--no-flush-cache"),
        ("--output",),
    ),
    "bench --suite llama3-8b": (
        ("--gpu", "gfx942", *ESSENTIAL),
        ("--suite", "--dtype", "--batch", "--words", "--gpu"),
    ),
    "problems": (
        ("resnet50", "sd15-unet-gemm", "--sample", "1"),
        ("--dtype", "--batch", "--words", "--sample", "--seed"),
    ),
    "build": (
        KERNEL,
        (
            "--gpu",
            "--jobs",
            "--save",
            "--family",
            "--kernel",
            "--tile",
            "--waves",
            "--warp-tile",
            "--pipeline",
            "--pad",
            "--layout",
            "--dtype",
            "--d-count",
            "--persistent",
            "--fused-op",
            "--ndim-spatial",
            "--vector",
            "--merged-groups",
            "--variant",
        ),
    ),
    "evaluate": (TIMES, ("--measurements", "--gpu", "--strategy", "--kernels", "--jobs")),
    "evaluate --strategy model": (TIMES, ("--model",)),
    "train": (
        TIMES,
        ("--measurements", "--gpu", "--output", "--fix", "--seed", "--kernels", "--jobs"),
    ),
    "report": (
        (ESSENTIAL[1], "--no-times", "--output", "page.html"),
        ("--output", "--before", "--title"),
    ),
    "report --quiet": ((ESSENTIAL[1], "--output", "page.html"), ("--problems", "--measurements")),
    "cache prune": ((), ("--to",)),
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files that are not what they should be."""
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "binary").write_bytes(bytes(range(256)) * 64)
    (tmp_path / "empty").touch()
    (tmp_path / "nested.json").write_text("[" * 100_000)
    (tmp_path / "nested.manifest.json").write_text('{"kernels":' * 5000 + "0" + "}" * 5000)
    (tmp_path / "digits.json").write_text(
        '{"family":"gemm","kernels":[{"tile":[' + "9" * 4000 + ",64,64]}]}"
    )
    (tmp_path / "huge.json").touch()
    os.truncate(tmp_path / "huge.json", 1 << 40)
    (tmp_path / "secret").write_text("x")
    (tmp_path / "secret").chmod(0)
    (tmp_path / "good.csv").write_text(
        "version,family,problem,kernel,microseconds,provenance\n"
        f"1,gemm,64x64x64,{PADDED},3,simulated\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CKDISPATCH_JIT", "0")
    monkeypatch.setenv("CKDISPATCH_CACHE", str(tmp_path / "cache"))
    return tmp_path


def hostile_lines() -> Iterator[tuple[str, ...]]:
    for command, (base, options) in OPTIONS.items():
        for option in options:
            for word in (*WORDS.values(), *FILES):
                if (
                    option in ("--repeat", "--warmup", "--jobs")
                    and word.isdigit()
                    and len(word) < 19
                    and word != "0"
                ):
                    continue
                yield (*command.split(), *base, f"{option}={word}")
        if command != "cache prune":
            for word in (*WORDS.values(), *FILES):
                yield (*command.split(), word, *([] if command == "build" else ESSENTIAL))


def test_every_option_with_every_hostile_word(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tried, wrong = 0, []
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for words in hostile_lines():
        tried += 1
        try:
            code = main(words)
        except SystemExit as error:
            code = int(error.code or 0)
        told = capsys.readouterr().err
        line = " ".join(words)[:150]
        if "this is a bug" in told or "Traceback" in told or code not in list(ExitCode):
            wrong.append(f"{line!r}: {code}, {told[:300]!r}")
        elif code not in (0, 1) and (
            len(told) > 2100
            or not told.startswith("ckdispatch: ")
            or not told.endswith(".\n")
            or told.count("\n") != 1
        ):
            wrong.append(f"{line!r}: {len(told)} characters: {told[:200]!r}")
    print(f"{tried} command lines were tried")
    assert wrong == [], f"{len(wrong)} of {tried}:\n" + "\n".join(wrong)
    assert tried > 1500 and not (place / "evil").exists()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2 << 20, (
        "more than 2 GiB were taken"
    )


SENTENCES = {
    "nested declarations": (
        ("build", "nested.json"),
        "the declaration nested.json cannot be read: nested too deeply",
    ),
    "a tile of 4,000 digits": (
        ("build", *KERNEL, "--tile", "x".join(["9" * 4000] * 3)),
        "it is MxNxK, such as 64x64x64",
    ),
    "4,000 digits in a declaration": (
        ("build", "digits.json"),
        "the declaration digits.json cannot be read: not valid JSON: a number has 4,000 digits",
    ),
    "a device that is no text": (
        ("run", *PROBLEM, "--device", "\udcff"),
        "a device was asked for as '\\udcff', which is no text",
    ),
    "nowhere to save": (
        ("build", *KERNEL, "--save", "nowhere/list.json"),
        "--save nowhere/list.json cannot be written: there is no folder nowhere",
    ),
    "a folder to save into": (
        ("build", *KERNEL, "--save", "folder"),
        "--save folder cannot be written: it is a folder",
    ),
    "a full device": (
        ("build", *KERNEL, "--save", "/dev/full"),
        "--save /dev/full cannot be written: it is no regular file",
    ),
    "noise for problems": (
        ("bench", "--file", "/dev/urandom", *ESSENTIAL),
        "--file /dev/urandom cannot be read: it is no regular file",
    ),
    "a pipe for problems": (
        ("bench", "--file", "fifo", *ESSENTIAL),
        "--file fifo cannot be read: it is no regular file",
    ),
    "a folder for problems": (
        ("bench", "--file", "folder", *ESSENTIAL),
        "--file folder cannot be read: it is a folder",
    ),
    "a terabyte of problems": (
        ("bench", "--file", "huge.json", *ESSENTIAL),
        "--file huge.json cannot be read: it has more than 16 MiB",
    ),
    "a terabyte of declarations": (
        ("build", "huge.json"),
        "the declaration huge.json cannot be read: it has more than 256 MiB",
    ),
    "a terabyte of kernels": (
        ("list", "--kernels", "./huge.json"),
        "the manifest huge.json cannot be read: it has more than 256 MiB",
    ),
    "noise for a declaration": (
        ("build", "/dev/urandom"),
        "the declaration /dev/urandom cannot be read: it is no regular file",
    ),
    "a binary declaration": (
        ("build", "binary"),
        "the declaration binary cannot be read: it is no text",
    ),
    "a long word": (("run", "x" * 10**6, *ESSENTIAL), "is no problem"),
    "a full device for a model": (
        ("train", *TIMES, "--output", "/dev/full"),
        "--output /dev/full cannot be written: it is no regular file",
    ),
    "nowhere for a model": (
        ("train", *TIMES, "--output", "nowhere/m.json"),
        "--output nowhere/m.json cannot be written: there is no folder nowhere",
    ),
    "a constant without a value": (
        ("train", *TIMES, "--fix", "matrix"),
        "'matrix' is no constant; write a term and a number from 0, such as matrix=1.2",
    ),
    "one time to train on": (
        ("train", *TIMES),
        "the measurements have too few problems for 5 folds; 1 were given",
    ),
    "a terabyte of a model": (
        ("evaluate", *TIMES, "--strategy", "model", "--model", "huge.json"),
        "The model huge.json ",
    ),
    "noise for a model": (
        ("evaluate", *TIMES, "--strategy", "model", "--model", "/dev/urandom"),
        "The model /dev/urandom ",
    ),
}


@pytest.mark.parametrize("name", SENTENCES)
def test_it_is_said_in_one_sentence(
    place: Path, capsys: pytest.CaptureFixture[str], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, fragment = SENTENCES[name]
    # Nothing may be compiled before what is wrong is found out.
    monkeypatch.setattr("ckdispatch.jit.builder.find_compiler", _no_compiler)
    assert main(words) in (ExitCode.USAGE, ExitCode.FAILED, ExitCode.NOT_FOUND)
    told = capsys.readouterr().err
    assert fragment in told and told.count("\n") == 1, told[:500]


def _no_compiler(*_: object) -> None:
    raise AssertionError("a compiler was looked for")


def limited(
    words: tuple[str, ...], place: Path, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """A command with 4 GiB of address space."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))

    return subprocess.run(
        [*PROGRAM, *words],
        cwd=place,
        env=environment(),
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=limit,
    )


def test_noise_takes_no_memory(place: Path) -> None:
    ended = limited(("bench", "--file", "/dev/urandom", *ESSENTIAL), place)
    assert ended.returncode == ExitCode.USAGE and "is no regular file" in ended.stderr


def test_a_device_that_is_full_is_one_sentence(place: Path) -> None:
    with open("/dev/full", "w") as full:
        ended = subprocess.run(
            [*PROGRAM, "list", *ESSENTIAL],
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment(),
            text=True,
            check=False,
        )
    assert ended.returncode == ExitCode.FAILED, ended.stderr
    assert ended.stderr.startswith("ckdispatch: ") and "No space left on device" in ended.stderr
    assert "Traceback" not in ended.stderr and "Exception ignored" not in ended.stderr


def test_bytes_that_are_no_text_arrive_as_they_are(place: Path) -> None:
    ended = subprocess.run(
        [
            *(word.encode() for word in PROGRAM),
            b"run",
            b"64x64x64",
            b"--kernels",
            b"gemm_fp16_rcr_essential",
            b"--device",
            b"\xff\xfe",
        ],
        env=environment(),
        capture_output=True,
        check=False,
    )
    assert ended.returncode == ExitCode.USAGE and b"Traceback" not in ended.stderr
    assert ended.stderr.startswith(b"ckdispatch: a device was asked for as")
