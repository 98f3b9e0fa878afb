# SPDX-License-Identifier: MIT
"""``--profile``: a selection that users of CK know by name, counted or generated."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping

from ckarch import ArchSpecs

from ckgen.cli.selection import Selection, has_fields, set_level_fields, wanted_gpus
from ckgen.core.errors import DeclarationError, UsageError
from ckgen.core.expand import ExpandedKernel
from ckgen.core.family import Family
from ckgen.core.rules import first_violation
from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target


def select_profile(
    family: Family, profile: str, options: argparse.Namespace, arch: ArchSpecs
) -> Selection:
    """The kernels of a profile, with the GPUs that each is legal on; those that are legal on none
    are left out.
    """
    found = _judged(family, profile, options, arch)
    legal = tuple(
        ExpandedKernel(spec, tuple(gpus), {}, profile) for spec, gpus in found.items() if gpus
    )
    if not legal:
        gpus = " or ".join(wanted_gpus(options, arch))
        raise DeclarationError(
            f"the profile {profile} has no legal kernel for {gpus} with these options"
        )
    return Selection(legal, len(found) - len(legal))


def print_profile(
    family: Family, profile: str, options: argparse.Namespace, arch: ArchSpecs
) -> None:
    """How many kernels a profile has for each GPU, or with ``--json`` which."""
    if options.json:
        found = _judged(family, profile, options, arch)
        print(
            json.dumps(
                [
                    {"name": spec.name, "gpus": gpus, "spec": spec.to_json()}
                    for spec, gpus in found.items()
                ],
                indent=2,
            )
        )
        return
    gpus = wanted_gpus(options, arch) or arch.gpus
    for gpu in gpus:
        found = _judged(
            family, profile, argparse.Namespace(**{**vars(options), "gpu_target": [gpu]}), arch
        )
        print(f"{profile} on {gpu}: {family.profiles[profile]}")
        for row, (kernels, legal) in _numbers(found).items():
            print(f"  {row:<14}{kernels:>6} kernels, {legal:>6} of them legal")


def _numbers(found: Mapping[KernelSpec, list[str]]) -> dict[str, tuple[int, int]]:
    """How many kernels there are of each variant, and how many of them are legal; those of all
    together come last.
    """
    numbers: dict[str, tuple[int, int]] = {}
    for spec, gpus in found.items():
        row = str(getattr(spec, "variant", spec.family))
        kernels, legal = numbers.get(row, (0, 0))
        numbers[row] = kernels + 1, legal + bool(gpus)
    return {**numbers, "all": (len(found), sum(map(bool, found.values())))}


def _judged(
    family: Family, profile: str, options: argparse.Namespace, arch: ArchSpecs
) -> dict[KernelSpec, list[str]]:
    """Every kernel with the GPUs that it is for and legal on."""
    if profile not in family.profiles:
        raise UsageError(
            f"--profile: there is no profile {profile!r}; there is {', '.join(family.profiles)}"
        )
    targets = [Target.of(arch, gpu) for gpu in wanted_gpus(options, arch)]
    fields = set_level_fields(family, options, targets)
    found: dict[KernelSpec, list[str]] = {}
    for target in targets:
        for spec in family.of_profile(profile, target):
            if has_fields(family, spec, fields):
                gpus = found.setdefault(spec, [])
                if first_violation(family.rules, spec, target) is None:
                    gpus.append(target.name)
    return found
