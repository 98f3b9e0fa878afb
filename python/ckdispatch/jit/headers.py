# SPDX-License-Identifier: MIT
"""The headers that kernels are compiled with: Composable Kernel's, and the generator's own.

Composable Kernel's are packed beside this package where Bazel built it. A wheel has none of them,
but the recipe by which Bazel gets them: what to download, with its hash, the edits, and the hash of
what comes out.

Both are copied into the cache under the hash of their content before anything is compiled. A
header that is edited while a compiler runs can therefore not end up under the wrong key.
"""

from __future__ import annotations

import os
import tarfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from ckfamilies import REPOSITORY

from ckdispatch.errors import Damaged, IoFailed, NotFound
from ckdispatch.jit.cache import Cache
from ckdispatch.jit.compiler import rocm_places
from ckdispatch.jit.entry import canonical, key_of
from ckdispatch.jit.files import sha256_bytes, write_file
from ckdispatch.jit.layout import HEADERS
from ckdispatch.jit.locks import FileLock, Lease
from ckdispatch.jit.memo import States, remember, states_of
from ckdispatch.jit.trust import make_folders
from ckdispatch.wording import quoted

if TYPE_CHECKING:
    from ckgen.core.family import Family

PACKED = REPOSITORY / "python" / "jit_data" / "ck_headers.tar"
"""Composable Kernel's headers as Bazel packs them beside this package."""

PINNED = REPOSITORY / "python" / "packaging" / "ck_headers.sha256"
"""The hash of these headers, in a wheel, which does not have them."""

LOCK = REPOSITORY / "third_party" / "composable_kernel" / "composable_kernel.lock"
"""What has them, in a wheel."""

_WITNESS = "ck_tile/core.hpp"
_SUFFIXES = (".hpp", ".inc")


@dataclass(frozen=True)
class HeaderSource:
    """Headers by the name that they are included by, and the hash of all of them."""

    digest: str
    read: Callable[[], Mapping[str, bytes]]

    @property
    def inputs(self) -> Mapping[str, Any]:
        """What the key of their copy is made of."""
        return {"headers": self.digest}


def composable_kernel(memos: Path, environment: Mapping[str, str] | None = None) -> HeaderSource:
    """Composable Kernel's headers.

    CKDISPATCH_CK names a checkout or its include folder, or is ``rocm`` for an installed one.
    Without it they are those packed with this package, those that a wheel was built with, which are
    downloaded when they are read, or else ROCm's. Raises ``NotFound``.
    """
    known = os.environ if environment is None else environment
    wanted = known.get("CKDISPATCH_CK")
    if wanted and wanted != "rocm":
        for folder in (Path(wanted) / "include", Path(wanted)):
            if (folder / _WITNESS).is_file():
                return _from_folder(Path(os.path.abspath(folder)), memos)
        raise NotFound(
            f"CKDISPATCH_CK asks for Composable Kernel at {wanted}, where there is no {_WITNESS}; "
            "give a checkout of it, its include folder, or `rocm` for an installed one."
        )
    if not wanted and PACKED.is_file():
        return _remembered(PACKED, memos, partial(_read_archive, PACKED), lambda: [PACKED])
    if not wanted and PINNED.is_file():
        digest = PINNED.read_text(encoding="ascii").strip()
        return HeaderSource(digest, partial(_read_pinned, digest))
    places = [prefix for _, prefix in rocm_places(known)]
    for place in places:
        if (place / "include" / _WITNESS).is_file():
            return _from_folder(place / "include", memos)
    raise NotFound(
        "a kernel was to be compiled and the headers of Composable Kernel were not found, neither "
        f"packed at {PACKED} nor installed below {' or '.join(map(str, places))}; "
        "set CKDISPATCH_CK to a checkout of Composable Kernel."
    )


def digest_of_archive(archive: Path) -> str:
    """The hash of packed headers, by which a wheel knows them."""
    return _digest(_read_archive(archive))


def own_headers(family: Family) -> HeaderSource:
    """The generator's headers that kernels of ``family`` include."""
    content = {name: path.read_bytes() for name, path in family.headers.items()}
    return HeaderSource(_digest(content), lambda: content)


def unpack(source: HeaderSource, cache: Cache, lease: Lease, wait: Callable[[], None]) -> Path:
    """The include folder with the headers of ``source`` in the cache, every file just checked.

    ``wait`` is called while another process unpacks them.
    """
    key = key_of(source.inputs)
    while True:
        found = cache.find(HEADERS, key, lease)
        if found is not None:
            return found.folder
        lock = cache.try_lock(key)
        if lock is not None:
            return _unpack_locked(source, cache, lease, lock)
        wait()


def _unpack_locked(source: HeaderSource, cache: Cache, lease: Lease, lock: FileLock) -> Path:
    with lock, cache.work_folder() as work:
        found = cache.find(HEADERS, key_of(source.inputs), lease)
        if found is not None:
            return found.folder
        content = source.read()
        if _digest(content) != source.digest:
            raise Damaged(
                "the headers of Composable Kernel changed while they were read; build once more."
            )
        filled = work / "headers"
        with cache.explaining("unpacking headers"):
            for name, data in content.items():
                target = filled / name
                make_folders(target.parent)
                write_file(target, data, durable=False)
        facts = {"files": len(content)}
        return cache.store(HEADERS, source.inputs, facts, filled, lease, durable=False).folder


def _digest(content: Mapping[str, bytes]) -> str:
    return sha256_bytes(canonical({name: sha256_bytes(data) for name, data in content.items()}))


def _from_folder(folder: Path, memos: Path) -> HeaderSource:
    top = folder / "ck_tile"

    def paths() -> list[Path]:
        return sorted(path for path in top.rglob("*") if path.suffix in _SUFFIXES)

    def read() -> Mapping[str, bytes]:
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths()}

    # A folder changes when a file comes or goes.
    return _remembered(
        folder,
        memos,
        read,
        lambda: [*paths(), top, *(path for path in top.rglob("*") if path.is_dir())],
    )


def _remembered(
    place: Path,
    memos: Path,
    read: Callable[[], Mapping[str, bytes]],
    files: Callable[[], Iterable[Path]],
) -> HeaderSource:
    """The headers of ``place`` that ``read`` gives, whose hash is known as long as ``files`` do not
    change.
    """

    def find() -> tuple[dict[str, Any], States]:
        states = states_of(files())
        return {"digest": _digest(read())}, states

    facts, _ = remember(memos, {"headers": str(place)}, find)
    return HeaderSource(facts["digest"], read)


def _read_pinned(digest: str) -> Mapping[str, bytes]:
    """The headers of that hash by the recipe: out of the user's cache, or from the network."""
    from ckfetch import composable_kernel as recipe
    from ckfetch.wheelhouse import FetchError

    top = PurePosixPath("include")

    def is_header(path: str) -> bool:
        return path.startswith("include/ck_tile/") and path.endswith(_SUFFIXES)

    try:
        found = recipe.obtain(LOCK, is_header)
        content = {str(PurePosixPath(path).relative_to(top)): edited for path, _, edited in found}
    except FetchError as error:
        raise NotFound(
            "a kernel was to be compiled and the headers of Composable Kernel could not be "
            f"brought: {error} Or set CKDISPATCH_CK to a checkout of it, "
            "or to `rocm` for an installed one."
        ) from error
    except OSError as error:
        raise IoFailed(
            f"the headers of Composable Kernel could not be kept in the cache: {error}; "
            "set CKDISPATCH_CACHE to a folder that you may write to."
        ) from error
    if _digest(content) != digest:
        raise NotFound(
            "a kernel was to be compiled, and this wheel was built with other headers of "
            f"Composable Kernel than {LOCK.name} names; set CKDISPATCH_CK to the checkout that "
            "has them."
        )
    return content


def _read_archive(archive: Path) -> Mapping[str, bytes]:
    content: dict[str, bytes] = {}
    try:
        with tarfile.open(archive, "r:") as packed:
            for member in packed:
                stream = packed.extractfile(member) if member.isreg() else None
                inside = PurePosixPath(member.name)
                if stream is None or inside.is_absolute() or ".." in inside.parts:
                    raise Damaged(f"{archive} holds {quoted(member.name)}, which is no header.")
                content[inside.as_posix()] = stream.read()
    except (tarfile.TarError, OSError) as error:
        raise Damaged(f"the packed headers {archive} cannot be read: {error}.") from error
    if _WITNESS not in content:
        raise Damaged(f"{archive} does not hold Composable Kernel: {_WITNESS} is missing.")
    return content
