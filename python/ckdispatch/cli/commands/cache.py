# SPDX-License-Identifier: MIT
"""``cache``: looks after what was compiled just in time."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING

from ckdispatch import jit
from ckdispatch.cli.exits import ExitCode
from ckdispatch.cli.options import Commands, add_command
from ckdispatch.cli.report import Column, Facts, Report, Table, moment, size
from ckdispatch.wording import several

if TYPE_CHECKING:
    from ckdispatch.jit import Entry, Removed

_COLUMNS = (
    Column("kind"),
    Column("name", whole=False),
    Column("GPUs"),
    Column("size", right=True),
    Column("made"),
    Column("key"),
)


def add_to(commands: Commands) -> None:
    """The parsers of the command and of its parts."""
    parser = commands.add_parser(
        "cache",
        help="look after the cache of compiled kernels",
        description="Looks after the cache of compiled kernels.",
        epilog="CKDISPATCH_CACHE says where it is, CKDISPATCH_CACHE_SIZE how large it may grow.\n\n"
        "Example:\n  ckdispatch cache prune --to 2G",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parts = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    add_command(parts, "path", path, "print where the cache is", _example("path"))
    add_command(parts, "info", info, "say how much the cache holds", _example("info"))
    add_command(parts, "list", list_entries, "list what the cache holds", _example("list"))
    add_command(
        parts, "verify", verify, "check every file, and remove what is damaged", _example("verify")
    )
    prune_parser = add_command(
        parts, "prune", prune, "evict what was not used for longest", _example("prune --to 500M")
    )
    prune_parser.add_argument(
        "--to", metavar="SIZE", help="what may be left, such as 500M or 2G; its limit by default"
    )
    add_command(
        parts, "clear", clear, "remove everything that no living process uses", _example("clear")
    )


def _example(words: str) -> str:
    return f"Example:\n  ckdispatch cache {words}"


def path(options: argparse.Namespace) -> Report:
    """The folder."""
    folder = str(jit.Cache().folder)
    return Report({"folder": folder}, (folder,))


def info(options: argparse.Namespace) -> Report:
    """Figures."""
    found = jit.Cache().info()
    pairs = (
        ("folder", str(found.folder)),
        ("holds", f"{size(found.bytes)} of at most {size(found.limit)}"),
        ("kernels", str(found.kernels)),
        ("entries", str(found.entries)),
        ("compiler logs", str(found.logs)),
    )
    return Report({**asdict(found), "folder": str(found.folder)}, (Facts(pairs),))


def list_entries(options: argparse.Namespace) -> Report:
    """The entries, the last used first."""
    found = jit.Cache().list()
    document = {
        "entries": [
            {
                "kind": entry.kind,
                "name": _name(entry),
                "gpus": _gpus(entry),
                "bytes": entry.size,
                "created": entry.created,
                "key": entry.key,
                "folder": str(entry.folder),
            }
            for entry in found
        ]
    }
    rows = tuple(
        (
            entry.kind,
            _name(entry),
            ",".join(_gpus(entry)) or "-",
            size(entry.size),
            moment(entry.created),
            entry.key[:12],
        )
        for entry in found
    )
    return Report(document, (Table(_COLUMNS, rows) if rows else "The cache is empty.",))


def verify(options: argparse.Namespace) -> Report:
    """What was damaged; a failure if anything was."""
    damages = jit.Cache().verify()
    document = {"damaged": [asdict(damage) for damage in damages]}
    if not damages:
        return Report(document, ("Everything in the cache is whole.",))
    complaint = f"damaged and now removed: {several(len(damages), 'entry', 'entries')} of the cache"
    return Report(document, tuple(damage.reason for damage in damages), ExitCode.FAILED, complaint)


def prune(options: argparse.Namespace) -> Report:
    """What was evicted."""
    from ckdispatch.jit.places import parse_size

    limit = None if options.to is None else parse_size(options.to, "--to")
    return _removed(jit.Cache().prune(limit))


def clear(options: argparse.Namespace) -> Report:
    """What was removed."""
    return _removed(jit.Cache().clear())


def _removed(removed: Removed) -> Report:
    gone, kept = (several(count, "entry", "entries") for count in (removed.entries, removed.in_use))
    stayed = f"; {kept} in use stayed" if removed.in_use else ""
    sentence = f"Removed {gone} of {size(removed.bytes)} together{stayed}."
    return Report(asdict(removed), (sentence,))


def _name(entry: Entry) -> str:
    return str(entry.facts.get("name", "-"))


def _gpus(entry: Entry) -> list[str]:
    """The GPUs of a kernel; they are written with their wave size, gfx942:64."""
    return [str(gpu).partition(":")[0] for gpu in entry.inputs.get("gpus", ())]
