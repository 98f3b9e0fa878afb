# SPDX-License-Identifier: MIT
"""The command line: code-object, manifest and report."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from ckarch import ArchError, load_specs

from ckinspect import codeobject, description, files, manifest, report
from ckinspect.errors import InspectError


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns 0, or 1 after one sentence on the error stream."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except (InspectError, ArchError) as error:
        print(f"ckinspect: {error}", file=sys.stderr)
        return 1
    return 0


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help.\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="ckinspect",
        description="Reads what compiled kernels use, and writes kernel-set manifests.",
        epilog="An argument @FILE is replaced by the lines of FILE, one argument each.",
        fromfile_prefix_chars="@",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    command = commands.add_parser(
        "code-object", help="describe one kernel from its code object for each GPU"
    )
    command.add_argument("--spec", type=Path, required=True, help="the kernel's spec (JSON)")
    command.add_argument(
        "--object",
        action="append",
        required=True,
        metavar="GPU=PATH",
        help="a code object and the GPU that it is for; repeat for more GPUs",
    )
    command.add_argument("--objdump", type=Path, required=True, help="llvm-objdump")
    command.add_argument("--output", type=Path, required=True, help="the description to write")
    command.add_argument(
        "--resources-header",
        type=Path,
        metavar="PATH",
        help="also write the summaries as a C++ string literal to be included",
    )
    command.add_argument(
        "--forbid-spills", action="store_true", help="fail when a kernel spills registers"
    )
    command.set_defaults(run=_code_object)

    command = commands.add_parser("manifest", help="list the kernels of a set")
    command.add_argument("--set", required=True, metavar="NAME", help="the kernel set's name")
    command.add_argument(
        "--entry",
        action="append",
        default=[],
        metavar="JSON=LIBRARY[=PATH]",
        help="a kernel's description and library, and the library's path from the manifest's folder"
        " if it will not lie there as it does now",
    )
    command.add_argument("--output", type=Path, required=True, help="the manifest to write")
    command.set_defaults(run=_manifest)

    command = commands.add_parser("report", help="print a table of what kernels use")
    command.add_argument("files", type=Path, nargs="+", help="manifests and descriptions")
    command.add_argument("--json", action="store_true", help="print the rows as JSON")
    command.set_defaults(run=_report)
    return parser


def _code_object(options: argparse.Namespace) -> None:
    spec = description.read_spec(options.spec)
    specs = load_specs()
    gpus = {
        gpu: codeobject.inspect(path, specs.gpu(gpu), options.objdump)
        for gpu, path in _objects(options.object).items()
    }
    if options.forbid_spills:
        _require_no_spills(spec["name"], gpus)
    document = description.compose(spec, gpus)
    outputs = {options.output: files.render_json(document)}
    if options.resources_header is not None:
        outputs[options.resources_header] = description.resources_literal(document)
    files.write_all(outputs)


def _objects(arguments: Sequence[str]) -> dict[str, Path]:
    objects: dict[str, Path] = {}
    for argument in arguments:
        gpu, _, path = argument.partition("=")
        if not gpu or not path:
            raise InspectError(
                f"the object {argument!r} is not GPU=PATH; write it like gfx942=x.co."
            )
        if gpu in objects:
            raise InspectError(f"{gpu} has two code objects; give one --object for each GPU.")
        objects[gpu] = Path(path)
    return objects


def _require_no_spills(name: str, gpus: Mapping[str, Any]) -> None:
    spilling = [
        (gpu, symbol, kernel)
        for gpu, inspected in gpus.items()
        for symbol, kernel in inspected["kernels"].items()
        if codeobject.spills(kernel)
    ]
    if spilling:
        gpu, symbol, kernel = spilling[0]
        others = f" (and {len(spilling) - 1} more)" if len(spilling) > 1 else ""
        raise InspectError(
            f"{name} may not spill registers, but on {gpu} its kernel {symbol} spills"
            f" {kernel['vgpr_spills']} VGPRs and uses {kernel['scratch_bytes']} bytes of scratch"
            f"{others}; choose a smaller tile or allow spills in the declaration."
        )


def _manifest(options: argparse.Namespace) -> None:
    entries = [manifest.Entry.parse(text, options.output.parent) for text in options.entry]
    files.write_all({options.output: files.render_json(manifest.compose(options.set, entries))})


def _report(options: argparse.Namespace) -> None:
    kernels = report.read(options.files)
    sys.stdout.write(report.as_json(kernels) if options.json else report.as_table(kernels))
