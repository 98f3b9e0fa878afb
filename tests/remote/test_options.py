# SPDX-License-Identifier: MIT
"""What is said of options that --remote-cache and --remote-worker do not take."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path

import pytest

from tests.remote.servers import BAZELW, environment, free_port, needs_sealed_root, running

pytestmark = needs_sealed_root


def refused(cache: Path, *arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [str(BAZELW), *arguments], env=environment(cache), capture_output=True, text=True
    )
    return done.returncode, done.stderr.removeprefix("bazelw: ").removesuffix("\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            "--remote-cache x",
            (
                "--remote-cache was given 'x', which is no port between 1 and 65535 and no "
                "option of it."
            ),
        ),
        (
            "--remote-worker 70000",
            (
                "--remote-worker was given '70000', "
                "which is no port between 1 and 65535 and no option of it."
            ),
        ),
        ("--remote-worker --listen ::", "--remote-worker has no option --listen."),
        ("--remote-cache --limit", "--remote-cache has the option --limit without a value."),
        (
            "--remote-cache --limit 3",
            "--remote-cache was given the limit '3'; it is a size such as 500M or 20G.",
        ),
        (
            "--remote-cache --listen a;b",
            (
                "--remote-cache was told to listen on 'a;b', "
                "which is no address such as 0.0.0.0 or [::]."
            ),
        ),
        (
            "--remote-cache --listen 0.0.0.0",
            "--remote-cache was told to listen on 0.0.0.0, where whoever reaches it could write; "
            "give it --certificates too, or let it listen on 127.0.0.1.",
        ),
        (
            "--remote-worker --server localhost:8985",
            (
                "--remote-worker was given the server 'localhost:8985', "
                "which is not of the form http://HOST:PORT."
            ),
        ),
        (
            "--remote-worker --server http://localhost:8985 --property GPU",
            "--remote-worker was given the property 'GPU', which is not of the form NAME=VALUE.",
        ),
        (
            "--remote-worker --property A=B",
            "--remote-worker was given a --property and no --server that could ask for it.",
        ),
    ],
)
def test_a_wrong_option_is_told_in_a_sentence(
    tmp_path: Path, arguments: str, sentence: str
) -> None:
    assert refused(tmp_path, *arguments.split()) == (2, sentence)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_without_certificates_is_told_in_a_sentence(tmp_path: Path) -> None:
    assert refused(tmp_path, "--remote-cache", "--certificates", "/nonexistent") == (
        36,
        (
            "--certificates names the folder '/nonexistent', where ca.crt cannot be read; "
            "docs/remote.md says how it is made."
        ),
    )


@pytest.mark.parametrize("kind", ["cache", "worker"])
def test_a_port_that_is_taken_is_told_in_a_sentence(tmp_path: Path, kind: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, said = refused(tmp_path, f"--remote-{kind}", str(port))
    assert code == 36
    assert said.startswith(
        f"port {port} of 127.0.0.1 is taken by another program; name another one, "
        f"as in ./bazelw --remote-{kind} "
    )


def test_a_folder_that_another_uses_is_told_in_a_sentence(tmp_path: Path) -> None:
    with running("cache", tmp_path / "server"):
        assert refused(tmp_path / "server", "--remote-cache") == (
            36,
            f"another bazelw --remote-cache uses the folder {tmp_path}/server/remote-cache; end "
            "it, or set CKDISPATCH_CACHE to"
            " another cache folder.",
        )


def test_a_worker_that_finds_too_little_room_is_told_in_a_sentence(tmp_path: Path) -> None:
    code, said = refused(tmp_path, "--remote-worker", "--limit", "9000000G")
    assert code == 36
    assert said.startswith(
        "a worker that keeps at most 9000000.0 GB needs 450000.0 GB of free disk, and "
    )


def test_a_worker_without_a_server_is_told_in_a_sentence(tmp_path: Path) -> None:
    server = f"http://127.0.0.1:{free_port()}"
    assert refused(tmp_path, "--remote-worker", "--server", server) == (
        36,
        (
            f"the worker is to work for {server}, where nothing answers; start BuildGrid there, "
            "as docs/remote.md says."
        ),
    )


@pytest.mark.skipif(Path("/dev/kfd").exists(), reason="this machine has an AMD GPU")
def test_a_worker_that_offers_a_gpu_and_has_none_is_told_in_a_sentence(tmp_path: Path) -> None:
    assert refused(
        tmp_path, "--remote-worker", "--server", "http://127.0.0.1:1", "--property", "Pool=rocm-gpu"
    ) == (
        36,
        "a worker that offers Pool=rocm-gpu needs an AMD GPU, and this machine has no /dev/kfd.",
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("", "it takes a folder for its data and a port, and was given 0 words."),
        ("data x", "'x' is no port between 1 and 65535."),
        ("data 70000", "'70000' is no port between 1 and 65535."),
        ("data", "BuildGrid's program bgd is not on the PATH; install it as docs/remote.md says."),
    ],
)
def test_what_the_server_of_several_workers_lacks_is_told_in_a_sentence(
    tmp_path: Path, arguments: str, sentence: str
) -> None:
    server = Path("tools/buildgrid/server.sh").resolve()
    done = subprocess.run(
        [str(server), *arguments.split()],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (1, f"server.sh: {sentence}\n")
    assert list(tmp_path.iterdir()) == []
