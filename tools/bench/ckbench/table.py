# SPDX-License-Identifier: MIT
"""The results for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ckbench.families import FAMILIES

_HEAD = ("what", "measured", "bar", "")
_SKIPPED = "not measured"


def render_table(data: Mapping[str, Any]) -> str:
    """The table for the JSON object of ``Results``."""
    machine = data["machine"]
    lines = [
        f"{data['target']} for {data['gpu']}, on {machine['cpus']} {machine['arch']} cores "
        f"with a load of {machine['load']}"
    ]
    if data["compile"]:
        lines.append(f"compiler: {data['compile']['compiler']}")
    return "\n".join([*lines, "", *_aligned([_HEAD, *_rows(data)]), *_kernels(data)])


def _rows(data: Mapping[str, Any]) -> list[tuple[str, str, str, str]]:
    edit, clone = data["edit"] or {}, data["clone"] or {}
    rate, ratio, noop = data["generate_per_s"], data["compile_ratio"], data["noop_s"]
    compiles = data["second_clone_compiles"]
    family = FAMILIES[data["family"]]
    return [
        _row("kernels generated per second", rate, "{:.0f}", "≥ 500", lambda: rate >= 500),
        _row(
            f"compile time against {family.rival_name}",
            ratio,
            "{:.2f}",
            f"≤ {family.bar}",
            lambda: ratio <= family.bar,
        ),
        _row("build with nothing to do, s", noop, "{:.2f}", "≤ 1", lambda: noop <= 1),
        _row(
            "actions after one edited entry",
            data["edit_actions"],
            "{}",
            "its own",
            lambda: not edit["unrelated"],
        ),
        _row(
            "compiles in a second clone",
            compiles,
            "{}",
            "0, same bytes",
            lambda: compiles == 0 and clone["byte_identical"],
        ),
    ]


def _row(
    what: str, value: Any, form: str, bar: str, met: Callable[[], bool]
) -> tuple[str, str, str, str]:
    if value is None:
        return what, _SKIPPED, bar, ""
    return what, form.format(value), bar, "met" if met() else "missed"


def _kernels(data: Mapping[str, Any]) -> list[str]:
    if not data["compile"]:
        return []
    rival = FAMILIES[data["family"]].rival_name
    head = ("compiled kernel, processor seconds", "ours", rival, "ratio")
    rows = [
        (
            kernel["name"],
            f"{kernel['ours']['cpu_s']:.1f}",
            f"{kernel['theirs']['cpu_s']:.1f}",
            f"{kernel['ratio']:.2f}",
        )
        for kernel in data["compile"]["kernels"]
    ]
    precompile, shared_by = (
        data["compile"][name] for name in ("precompile_s", "precompile_shared_by")
    )
    share = f"ours has a share of the {precompile:.1f} s for headers that {shared_by} kernels share"
    shipped = data["compile"]["ratio_to_shipped_headers"]
    note = [f"with CK's headers as shipped on {rival}'s side: {shipped:.2f}"] if shipped else []
    return ["", *_aligned([head, *rows]), share, *note]


def _aligned(rows: Sequence[tuple[str, str, str, str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = [
        f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]}".rstrip()
        for row in rows
    ]
    return [lines[0], "-" * (sum(widths) + 6), *lines[1:]]
