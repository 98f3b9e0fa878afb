# SPDX-License-Identifier: MIT
"""The command line: cells of the matrix, random kernels, the sets, and the pages about them."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from ckarch import ArchSpecs, load_specs
from ckdispatch.errors import CkDispatchError
from ckgen.core.errors import SpecError

from cksupport.cells import Cell
from cksupport.digests import Digests
from cksupport.errors import SupportError
from cksupport.family import AnyFamily, look_up
from cksupport.kernels import Kernel, Key
from cksupport.options import parser
from cksupport.page import page
from cksupport.progress import showing
from cksupport.results import Results, sole_writer
from cksupport.sample_summary import SampleSummary, known_samples, samples_page
from cksupport.samples import Sample
from cksupport.set_pairs import in_stages
from cksupport.set_summary import Sets, SetSummary, sets_page, shipped_sets
from cksupport.summary import Summary
from cksupport.sweep import Again, Machine, pending, sweep

_BAD = 1
_FAILED = 2
_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the arguments say; returns the exit code."""
    options = parser(
        {
            "cells": partial(list_found, _chosen),
            "sweep": sweep_cells,
            "status": show_status,
            "render": render_pages,
            "draw": partial(list_found, _drawn),
            "samples": try_samples,
            "sets": try_sets,
        }
    ).parse_args(arguments)
    options.family = look_up(options.family)
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


def list_found(
    find: Callable[[argparse.Namespace, ArchSpecs], Sequence[Cell | Sample]],
    options: argparse.Namespace,
    arch: ArchSpecs,
) -> int:
    """Print every cell with its kernel or its refusal, or random kernels, of which the seed decides
    which.
    """
    found = find(options, arch)
    if options.json:
        print(json.dumps([one.to_json() for one in found], indent=1))
    else:
        print("\n".join(str(one) for one in found))
    return 0


def sweep_cells(options: argparse.Namespace, arch: ArchSpecs) -> int:
    """Try what is to be tried, and say what is known then."""
    cells, digests, machine = _chosen(options, arch), Digests(arch), _machine(options)
    with sole_writer(options.results):
        known = Results.read(options.results)
        results = _try(options.family.stages(cells), options, known, digests, machine)
        sets = shipped_sets(options.family, arch)
        if not options.gpu and not options.table:
            # What was tried for a cell that has another kernel now still counts for its set.
            shipped = {kernel.key for own in sets.values() for kernel in own}
            results.keep_only(shipped | {cell.key for cell in cells if cell.key is not None})
    code = _report(Summary.of(cells, results, digests), options)
    if not options.with_sets:
        return code
    known = Results.read(options.sets).beside(results)
    return max(code, _sweep_sets(sets, options, known, digests, machine))


def try_samples(options: argparse.Namespace, arch: ArchSpecs) -> int:
    """Try random kernels: a legal one that is not right is bad, as is an illegal one that is."""
    with sole_writer(options.results):
        known = Results.read(options.results)
        if options.known:
            samples = known_samples(options.family, known, arch)
        elif options.kernel:
            samples = tuple(_named(text, options.family, arch) for text in options.kernel)
        else:
            samples = _drawn(options, arch)
        results = _try([samples], options, known, Digests(arch), _machine(options))
    return _report(SampleSummary.of(samples, results), options)


def try_sets(options: argparse.Namespace, arch: ArchSpecs) -> int:
    """Try what ships on every GPU that it is legal on."""
    sets = shipped_sets(options.family, arch)
    _check_known("set", options.set, list(sets))
    _check_known("GPU", options.gpu, arch.gpus)
    chosen = {name: sets[name] for name in sets if name in (options.set or sets)}
    known = Results.read(options.results).beside(Results.read(options.matrix))
    return _sweep_sets(
        chosen, options, known, Digests(arch), _machine(options), whole=not options.set
    )


def _sweep_sets(
    sets: Sets,
    options: argparse.Namespace,
    known: Results,
    digests: Digests,
    machine: Machine,
    *,
    whole: bool = True,
) -> int:
    """Try the kernels of some sets; if they are the ``whole`` of all, results of others are
    forgotten.
    """
    kernels = [
        one for own in sets.values() for one in own if not options.gpu or one.gpu in options.gpu
    ]
    with sole_writer(known.path):
        results = _try(in_stages(kernels), options, known, digests, machine)
        if whole and not options.gpu:
            results.keep_only({kernel.key for kernel in kernels})
    return _report(SetSummary.of(kernels, results, digests, machine.enough), options)


def _machine(options: argparse.Namespace) -> Machine:
    end = None if options.minutes is None else time.monotonic() + 60 * options.minutes
    return Machine(options.jobs, options.timeout, end, options.only_compile)


def _try(
    stages: Sequence[Sequence[Kernel]],
    options: argparse.Namespace,
    results: Results,
    digests: Digests,
    machine: Machine,
) -> Results:
    again = Again.ALL if options.redo else Again.BAD if options.retry else Again.NONE
    todo: list[list[Kernel]] = []
    done: set[Key] = set()
    for stage in stages:
        left_over = pending(stage, results, digests, again, only_compile=machine.only_compile)
        todo.append([one for one in left_over if one.key not in done])
        done.update(one.key for one in todo[-1])
    left = options.limit or sum(map(len, todo))
    with showing(min(left, sum(map(len, todo))), quiet=options.json) as told:
        for kernels in todo:
            sweep(kernels[:left], results, digests, machine, told)
            left -= len(kernels[:left])
    return results


def show_status(options: argparse.Namespace, arch: ArchSpecs) -> int:
    """Say what is known."""
    cells = _chosen(options, arch)
    return _report(Summary.of(cells, Results.read(options.results), Digests(arch)), options)


def render_pages(options: argparse.Namespace, arch: ArchSpecs) -> int:
    """Write the pages, or only compare them."""
    family, digests = options.family, Digests(arch)
    cells = family.cells(family.tables(arch), arch)
    pages = {options.page: page(family, cells, Results.read(options.results), digests, arch)}
    # A family may have results of its matrix alone.
    if options.samples.exists():
        pages[options.samples_page] = samples_page(
            family, Results.read(options.samples), digests, arch
        )
    if options.sets.exists():
        known = Results.read(options.sets).beside(Results.read(options.results))
        pages[options.sets_page] = sets_page(
            family, shipped_sets(family, arch), known, digests, arch
        )
    return max(_render(path, text, options.check) for path, text in pages.items())


def _render(path: Path, text: str, check: bool) -> int:
    if not check:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return 0
    if not path.exists():
        print(f"{path} is not there; render it", file=sys.stderr)
        return _BAD
    if path.read_text("utf-8") != text:
        print(f"{path} is not what the results give; render it again", file=sys.stderr)
        return _BAD
    return 0


def _report(summary: Summary | SampleSummary | SetSummary, options: argparse.Namespace) -> int:
    print(json.dumps(summary.to_json(), indent=1) if options.json else summary)
    return 0 if summary.complete else _BAD


def _chosen(options: argparse.Namespace, arch: ArchSpecs) -> tuple[Cell, ...]:
    tables = options.family.tables(arch)
    _check_known("GPU", options.gpu, arch.gpus)
    _check_known("table", options.table, [table.name for table in tables])
    gpus = options.gpu or arch.gpus
    wanted = [table for table in tables if not options.table or table.name in options.table]
    cells = options.family.cells([table.only(gpus) for table in wanted], arch)
    return tuple(cell for cell in cells if cell.kernel is None or cell.kernel.gpu in gpus)


def _drawn(options: argparse.Namespace, arch: ArchSpecs) -> tuple[Sample, ...]:
    _check_known("GPU", options.gpu, arch.gpus)
    draw = options.family.draw(arch, options.seed, options.gpu)
    return tuple(islice(draw.at_the_border() if options.border else draw.legal(), options.count))


def _named(text: str, family: AnyFamily, arch: ArchSpecs) -> Sample:
    gpu, colon, name = text.partition(":")
    if not colon:
        raise SupportError(f"the kernel {text!r} was asked for; write it as GPU:NAME")
    _check_known("GPU", [gpu], arch.gpus)
    try:
        spec = family.kernels.parse_name(name)
    except SpecError as error:
        raise SupportError(f"the kernel {text!r} was asked for: {error}") from error
    return Sample.judged(gpu, spec, arch)


def _check_known(what: str, asked: Sequence[str], known: Sequence[str]) -> None:
    for name in asked:
        if name not in known:
            raise SupportError(f"the {what} {name!r} was asked for; there is {', '.join(known)}")
