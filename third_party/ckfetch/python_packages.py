# SPDX-License-Identifier: MIT
"""Python packages for Bazel: one site folder, one py_library per package with just that package's
files.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import metadata
from importlib.util import cache_from_source
from pathlib import Path

from ckfetch import wheelhouse

_HEADER = """\
load("@rules_python//python:defs.bzl", "py_library")

package(default_visibility = ["//visibility:public"])
"""

_LIBRARY = """
py_library(
    name = {name},
    srcs = {sources},
    data = {data},
    imports = ["site"],
    deps = {deps},
)
"""

# For a lock without all that its packages ask for: who loads what is then known to the lock alone.
_TOGETHER = """
py_library(
    name = "all_packages",
    deps = {deps},
)
"""

# What a package installs as programs, and what type checkers read of it.
_REST = """
exports_files(glob(["site/bin/*", "site/*/data/bin/*"], allow_empty = True))

filegroup(
    name = "stubs",
    srcs = glob(["site/**/*.pyi"], allow_empty = True),
)
"""

# A package that the lock has for other versions of Python: whoever needs it is skipped rather than
# broken.
_ABSENT = """
py_library(
    name = {name},
    target_compatible_with = ["@platforms//:incompatible"],
)
"""

# A package's own tests and headers only weigh down runfiles; Bazel refuses labels with spaces.
_UNWANTED = re.compile(r"__pycache__|/tests/|/BUILD(\.bazel)?$|\.(pyi|h|hpp|cuh|cmake)$| ")


def target_name(package: str) -> str:
    return re.sub(r"[-_.]+", "_", package).lower()


def _files(package: metadata.Distribution) -> list[str]:
    return sorted(
        f"site/{path}"
        for path in map(str, package.files or ())
        if not path.startswith(("..", "bin/")) and not _UNWANTED.search(path)
    )


def _compile(sources: list[str], output: Path) -> None:
    """Put the bytecode beside the sources. In a sandbox each process would compile them anew, which
    takes longer than most tests.

    It is the same for every clone: it names no folder and no time, and a process of its own, which
    has loaded nothing else, compiles in a fixed order.
    """
    subprocess.run(
        [
            *(sys.executable, "-S", "-m", "compileall", "-qq", "-i", "-"),
            *("--invalidation-mode", "unchecked-hash", "-s", str(output)),
        ],
        cwd=output,
        env={"PYTHONHASHSEED": "0"},
        input="".join(f"{output / source}\n" for source in sources),
        text=True,
        # What is no Python of this version, such as a template, has no bytecode.
        check=False,
    )


def _library(package: metadata.Distribution, installed: frozenset[str], output: Path) -> str:
    files = _files(package)
    sources = [path for path in files if path.endswith(".py")]
    compiled = [path for path in map(cache_from_source, sources) if (output / path).is_file()]
    requires = {
        target_name(re.split(r"[^A-Za-z0-9._-]", line, maxsplit=1)[0])
        for line in package.requires or ()
        if "extra ==" not in line
    }
    return _LIBRARY.format(
        name=json.dumps(target_name(package.metadata["Name"])),
        sources=json.dumps(sources),
        data=json.dumps([path for path in files if not path.endswith(".py")] + compiled),
        deps=json.dumps([f":{name}" for name in sorted(requires & installed)]),
    )


def locked_names(lock: str) -> frozenset[str]:
    """The targets that a lock file's requirements are to become."""
    return frozenset(
        target_name(name) for name in re.findall(r"^([A-Za-z0-9._-]+)==", lock, re.MULTILINE)
    )


def unpack(lock: Path, output: Path) -> None:
    """Install the lock's packages below `output` and write its BUILD file."""
    site = output / "site"
    wheelhouse.install(lock, wheelhouse.cache_folder(), site)
    # The folder of a BUILD file would be a package of its own, whose files no other can name.
    for name in ("BUILD", "BUILD.bazel"):
        for file in site.rglob(name):
            file.unlink()
    packages = sorted(
        metadata.distributions(path=[str(site)]),
        key=lambda item: target_name(item.metadata["Name"]),
    )
    installed = frozenset(target_name(package.metadata["Name"]) for package in packages)
    sources = [path for package in packages for path in _files(package) if path.endswith(".py")]
    _compile(sources, output)
    text = _HEADER + "".join(_library(package, installed, output) for package in packages)
    text += _TOGETHER.format(deps=json.dumps([f":{name}" for name in sorted(installed)]))
    text += _REST
    text += "".join(
        _ABSENT.format(name=json.dumps(name))
        for name in sorted(locked_names(lock.read_text()) - installed)
    )
    (output / "BUILD.bazel").write_text(text)
