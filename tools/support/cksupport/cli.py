# SPDX-License-Identifier: MIT
"""The command line: list the cells, sweep them, render the page; draw kernels at random."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Sequence
from itertools import islice

from ckarch import ArchSpecs, load_specs
from ckdispatch.errors import CkDispatchError

from cksupport.cells import Cell, answer_all
from cksupport.digests import Digests
from cksupport.errors import SupportError
from cksupport.options import parser
from cksupport.page import page
from cksupport.progress import showing
from cksupport.results import Results, sole_writer
from cksupport.samples import Draw
from cksupport.summary import Summary
from cksupport.sweep import Again, Machine, pending, sweep
from cksupport.tables import all_tables

_BAD = 1
_FAILED = 2
_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the arguments say; returns the exit code."""
    options = parser(
        cells=list_cells, sweep=sweep_cells, status=show_status, render=render_page, draw=draw
    ).parse_args(arguments)
    previous = signal.signal(signal.SIGTERM, _interrupt)
    try:
        code: int = options.run(options, load_specs())
    except (SupportError, CkDispatchError) as error:
        print(f"error: {error}", file=sys.stderr)
        return _FAILED
    except KeyboardInterrupt:
        print("interrupted; what was done is in the results", file=sys.stderr)
        return _INTERRUPTED
    finally:
        signal.signal(signal.SIGTERM, previous)
    return code


def _interrupt(number: int, frame: object) -> None:
    """Compilers and workers are ended, as after Ctrl-C."""
    raise KeyboardInterrupt


def list_cells(options: argparse.Namespace, arch: ArchSpecs) -> int:
    """Print every cell with its kernel or its refusal."""
    cells = _chosen(options, arch)
    if options.json:
        print(json.dumps([cell.to_json() for cell in cells], indent=1))
    else:
        print("\n".join(str(cell) for cell in cells))
    return 0


def draw(options: argparse.Namespace, arch: ArchSpecs) -> int:
    """Print random kernels; the seed decides which."""
    _check_known("GPU", options.gpu, arch.gpus)
    drawn = Draw(arch, options.seed, options.gpu)
    kind = drawn.at_the_border() if options.border else drawn.legal()
    samples = tuple(islice(kind, options.count))
    if options.json:
        print(json.dumps([sample.to_json() for sample in samples], indent=1))
    else:
        print("\n".join(str(sample) for sample in samples))
    return 0


def sweep_cells(options: argparse.Namespace, arch: ArchSpecs) -> int:
    """Try what is to be tried, and say what is known then."""
    cells = _chosen(options, arch)
    again = Again.ALL if options.redo else Again.BAD if options.retry else Again.NONE
    with sole_writer(options.results):
        results, digests = Results.read(options.results), Digests(arch)
        todo = pending(cells, results, digests, again)[: options.limit]
        machine = Machine(options.jobs, options.timeout)
        with showing(len(todo), quiet=options.json) as told:
            sweep(todo, results, digests, machine, told)
        if not options.gpu and not options.table:
            results.keep_only({cell.key for cell in cells if cell.key is not None})
    return _report(Summary.of(cells, results), options)


def show_status(options: argparse.Namespace, arch: ArchSpecs) -> int:
    """Say what is known."""
    cells = _chosen(options, arch)
    return _report(Summary.of(cells, Results.read(options.results)), options)


def render_page(options: argparse.Namespace, arch: ArchSpecs) -> int:
    """Write the page, or only compare it."""
    if options.check and not options.page.exists():
        print(f"{options.page} is not there; render it", file=sys.stderr)
        return _BAD
    tables = all_tables(arch)
    text = page(tables, answer_all(tables, arch), Results.read(options.results), arch)
    if not options.check:
        options.page.parent.mkdir(parents=True, exist_ok=True)
        options.page.write_text(text, "utf-8")
    elif options.page.read_text("utf-8") != text:
        print(f"{options.page} is not what the results give; render it again", file=sys.stderr)
        return _BAD
    return 0


def _report(summary: Summary, options: argparse.Namespace) -> int:
    print(json.dumps(summary.to_json(), indent=1) if options.json else summary)
    return 0 if summary.complete else _BAD


def _chosen(options: argparse.Namespace, arch: ArchSpecs) -> tuple[Cell, ...]:
    tables = all_tables(arch)
    _check_known("GPU", options.gpu, arch.gpus)
    _check_known("table", options.table, [table.name for table in tables])
    gpus = options.gpu or arch.gpus
    wanted = [table for table in tables if not options.table or table.name in options.table]
    return answer_all([table.only(gpus) for table in wanted], arch)


def _check_known(what: str, asked: Sequence[str], known: Sequence[str]) -> None:
    for name in asked:
        if name not in known:
            raise SupportError(f"the {what} {name!r} was asked for; there is {', '.join(known)}")
