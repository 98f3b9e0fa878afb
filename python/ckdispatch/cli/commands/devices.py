# SPDX-License-Identifier: MIT
"""``devices``: what kernels can run on."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from ckdispatch import device_list
from ckdispatch.cli.exits import ExitCode
from ckdispatch.cli.options import Commands, add_command
from ckdispatch.cli.report import Column, Report, Table

_COLUMNS = (Column("device"), Column("GPU"), Column("product"), Column("usable", whole=False))


def add_to(commands: Commands) -> None:
    """The parser of the command."""
    add_command(
        commands,
        "devices",
        run,
        "list the AMD GPUs of this machine and those that the simulator has",
        "Example:\n  ckdispatch devices",
    )


def run(options: argparse.Namespace) -> Report:
    """A table of all devices; nothing found if none of them can be used."""
    found = device_list.devices()
    rows = tuple(
        (one.name, one.gpu, one.product, "yes" if one.usable else f"no: {one.reason}")
        for one in found
    )
    any_usable = any(one.usable for one in found)
    return Report(
        {"devices": [asdict(one) for one in found]},
        (Table(_COLUMNS, rows),),
        ExitCode.OK if any_usable else ExitCode.NOT_FOUND,
        "" if any_usable else "there is no device that kernels can run on",
    )
