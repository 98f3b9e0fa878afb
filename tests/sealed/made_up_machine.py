# SPDX-License-Identifier: MIT
"""A made-up machine for ./bazelw: its own PATH, /etc, user and cache, and stand-ins for the
programs that would need a network or rights. bazelw and tools/sealed are the real ones, copied.
"""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from made_up_archive import PLAN, READ_LISTS, Archive

_SOURCES = Path(__file__).absolute().parents[2]
_ENTER = Path(__file__).absolute().with_name("enter_machine.py")

ROOT = 0
ORDINARY_USER = 1000

# Exit codes that bazelw documents.
BAD_SURROUNDINGS = 36
BAD_USAGE = 2

_REAL_PROGRAMS = (
    "bash cat chmod cp cut date du env find flock getent grep head id ln mkdir mktemp mv paste "
    "readlink rm sed sha256sum sleep sort tail timeout touch true"
).split()

# Takes the place of mmdebstrap: writes a root with two packages into its target, or only reads the
# archive's lists.
MMDEBSTRAP = (
    f"""
[[ $1 != --version ]] || {{ echo 'mmdebstrap 1.3.5'; exit; }}
include=" $(printf '%s ' "$@") "
{READ_LISTS}
"""
    + """
[[ $include == *clang-22* ]] && clang=(clang-22 1:22.1.8-3) || clang=(clang-21 1:21.1.8-13)
mkdir -p "$target"/{etc/bazel,usr/bin,var/lib/dpkg}
ln -s usr/bin "$target/bin"
printf '%s\\n' 'build --sandbox_debug' 'common --override_module=a=/b' >"$target/etc/bazel/bazelrc"
printf 'Package: %s\\nStatus: install ok installed\\nVersion: %s\\n\\n' \\
    "${clang[@]}" bazel-bootstrap 7.7.1+ds-8 >"$target/var/lib/dpkg/status"
"""
)

# Takes the place of bubblewrap: runs the command as a child, and does not hand on signals.
BWRAP = """
[[ $1 != --version ]] || { echo 'bubblewrap 0.8.0'; exit; }
while [[ $1 != -- ]]; do shift; done
shift
"$@" <&0 &
wait $!
"""

_STAND_INS = {
    "apt-config": """echo 'Acquire::https::Proxy "proxy.example:3128";'""",
    "apt-get": PLAN,
    "bazel": "true",
    "bwrap": BWRAP,
    # The user owns the other ids only in a namespace that "unshare" below does not enter.
    "chown": "true",
    "df": "printf '%s\\n' 'Filesystem 1024-blocks Used Available' '/dev/x 9 9 90000000 1% /'",
    "mmdebstrap": MMDEBSTRAP,
    "newuidmap": "true",
    # The real one would wait for everything that the whole disk has to write.
    "sync": "true",
    "uname": """[[ $1 == -r ]] && echo 6.1.0 || echo aarch64""",
    # Enters no namespace: the machine is in one already.
    "unshare": """while [[ $1 != -- ]]; do shift; done; shift; exec "$@" """,
}


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    code: int
    stdout: str
    stderr: str


@dataclass(frozen=True)
class Running:
    """A command that was started and may still run."""

    process: subprocess.Popen[str]
    stdout: Path
    stderr: Path

    def wait(self, seconds: float = 20) -> Outcome:
        code = self.process.wait(timeout=seconds)
        return Outcome(code, self.stdout.read_text(), self.stderr.read_text())

    def wait_for(self, text: str, seconds: float = 20) -> None:
        """Returns when standard error contains `text`."""
        deadline = time.monotonic() + seconds
        while text not in self.stderr.read_text():
            if time.monotonic() > deadline:
                raise TimeoutError(f"{text!r} did not appear in {self.stderr.read_text()!r}")
            time.sleep(0.02)

    def kill_everything(self) -> None:
        """kill -9 for the command and all that it started."""
        for pid in _descendants(self.process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(timeout=20)


def _descendants(pid: int) -> list[int]:
    children: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        children += [int(child) for child in task.read_text().split()]
    return [pid, *(found for child in children for found in _descendants(child))]


class Machine:
    """A folder that bazelw takes for a machine. The user is root unless `user` says otherwise."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.repository = folder / "repository"
        self.programs = folder / "bin"
        self.etc = folder / "etc"
        self.opt = folder / "opt"
        self.home = folder / "home"
        self.cache = folder / "cache"
        self.workspace = folder / "workspace"
        self.archive = Archive(folder / "archive")
        self._calls = folder / "calls"
        self._started = 0
        for path in (self.programs, self.etc, self.opt, self.home, self.workspace, self._calls):
            path.mkdir()
        self._copy_launcher()
        (self.workspace / "MODULE.bazel").touch()
        (self.etc / "passwd").write_text(
            f"root:x:0:0::{self.home}:/bin/sh\nuser:x:1000:1000::/:/bin/sh\n"
        )
        for name in ("group", "subuid", "subgid"):
            (self.etc / name).write_text("user:100000:65536\n")
        for name in _REAL_PROGRAMS:
            (self.programs / name).symlink_to(Path(shutil.which(name) or name))
        for name, script in _STAND_INS.items():
            self.install(name, script)
        (self.programs / "python3").symlink_to(sys.executable)

    def _copy_launcher(self) -> None:
        self.repository.mkdir()
        for name in ("bazelw", ".bazelversion"):
            shutil.copy(_SOURCES / name, self.repository / name)
        shutil.copytree(_SOURCES / "tools" / "sealed", self.repository / "tools" / "sealed")
        # Inputs of an action on a remote worker are nobody's to write, and so would copies be.
        for path in self.repository.rglob("*"):
            path.chmod(path.stat().st_mode | stat.S_IWUSR)

    def install(self, name: str, script: str) -> None:
        """Puts a program on the PATH that records its arguments and then runs a bash script."""
        path = self.programs / name
        path.unlink(missing_ok=True)
        path.write_text(
            f"#!{shutil.which('bash')}\n"
            f"printf '%s\\037' \"$@\" >>'{self._calls}/{name}'; "
            f"echo >>'{self._calls}/{name}'\n{script}\n"
        )
        path.chmod(0o755)

    def remove(self, *names: str) -> None:
        """Takes programs off the PATH."""
        for name in names:
            (self.programs / name).unlink()

    def calls(self, name: str) -> list[list[str]]:
        """The arguments of every call of a program that `install` put there."""
        record = self._calls / name
        lines = record.read_text().splitlines() if record.exists() else []
        return [line.removesuffix("\x1f").split("\x1f") for line in lines]

    def bootstraps(self) -> list[list[str]]:
        """The calls of mmdebstrap that made a root, or were to."""
        return [call for call in self.calls("mmdebstrap") if "--variant=apt" in call]

    def installations(self) -> list[list[str]]:
        """The calls of apt-get that changed the machine, or were to."""
        return [call for call in self.calls("apt-get") if "--simulate" not in call]

    def roots(self) -> list[str]:
        """The names of the sealed roots in the cache."""
        return sorted(
            path.parent.parent.name for path in self.cache.glob("sealed/*/etc/ckdispatch-sealed")
        )

    def leftovers(self) -> list[Path]:
        """The temporary folders in the cache."""
        return list(self.cache.glob("sealed/tmp.*"))

    def start(
        self,
        *arguments: str,
        user: int = ROOT,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Running:
        """Starts bazelw."""
        self._started += 1
        stdout, stderr = (self.folder / f"{name}.{self._started}" for name in ("stdout", "stderr"))
        enter = (sys.executable, str(_ENTER), str(user), str(self.etc), str(self.opt))
        environment = {
            "CKDISPATCH_CACHE": str(self.cache),
            "HOME": str(self.home),
            "MADE_UP_ARCHIVE": str(self.archive.folder),
            "PATH": str(self.programs),
            **(env or {}),
        }
        with stdout.open("w") as out, stderr.open("w") as err:
            process = subprocess.Popen(
                (*enter, str(self.repository / "bazelw"), *arguments),
                cwd=cwd or self.workspace,
                env={name: value for name, value in environment.items() if value},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                text=True,
            )
        return Running(process, stdout, stderr)

    def run(
        self,
        *arguments: str,
        user: int = ROOT,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Outcome:
        """Runs bazelw to its end."""
        return self.start(*arguments, user=user, cwd=cwd, env=env).wait()
