# SPDX-License-Identifier: MIT
"""The file of a model, as the dispatcher reads it: docs/models.md. The same model gives the same
bytes.
"""

from __future__ import annotations

import json
import math
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ckdispatch.arguments import checked_path
from ckdispatch.errors import CkDispatchError, InvalidArgument, IoFailed
from ckdispatch.learning.trees import Tree
from ckdispatch.user_files import check_writable
from ckdispatch.wording import kind_of, quoted

SCHEMA_VERSION = 1
PROVENANCES = ("measured", "simulated", "imported")
"""Where the times that a model was trained on come from: a GPU of ours, the simulator, or a table
of somebody else's.
"""

_COLUMNS = 128


@dataclass(frozen=True)
class Artefact:
    """A model and what it is for. ``features`` are the names of what its trees look at, in their
    order.
    """

    family: str
    gpu: str
    serves: Mapping[str, str]
    """Fields of a kernel's key and the words that they must have; those that are left out may have
    any.
    """
    features: Sequence[str]
    ranges: Mapping[str, tuple[float, float]]
    """For each feature the least and the most that training saw."""
    constants: Mapping[str, float]
    """Those of the cost model that the trees correct."""
    trees: Sequence[Tree]
    manifest: Mapping[str, Any]
    """What the model was made from: ``provenance``, data tables with their SHA-256, the split,
    metrics, versions.
    """

    def to_json(self) -> str:
        """Canonical: sorted names, each number in its shortest form that is
        read back as the same.
        """
        _check(self)
        document = {
            "schema_version": SCHEMA_VERSION,
            "family": self.family,
            "gpu": self.gpu,
            "serves": dict(self.serves),
            "features": list(self.features),
            "ranges": {name: list(range_) for name, range_ in self.ranges.items()},
            "constants": dict(self.constants),
            "trees": [asdict(tree) for tree in self.trees],
            "manifest": dict(self.manifest),
        }
        return layout(document, "a model")

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the file: whole, or not at all."""
        target = checked_path("the file of a model", path)
        content = self.to_json().encode()
        try:
            check_writable(target, "the model")
            _replace(target, content)
        except CkDispatchError:
            raise
        except OSError as error:
            raise IoFailed(
                f"the model {target} cannot be written: {error.strerror or error}"
            ) from error


def layout(document: Mapping[str, Any], what: str = "a document") -> str:
    """A document as JSON that people can read: sorted names, and lists in lines that are full."""
    return _written(_plain(document, what), "", 0) + "\n"


def _check(model: Artefact) -> None:
    if set(model.ranges) != set(model.features) or len(set(model.features)) != len(model.features):
        raise InvalidArgument(
            "a model has other features than ranges, or one of them twice; "
            "each feature has one range"
        )
    if model.manifest.get("provenance") not in PROVENANCES:
        raise InvalidArgument(
            "a model was to be written whose provenance is "
            f"{quoted(model.manifest.get('provenance'))}; its manifest must say that it was "
            f"{', '.join(PROVENANCES[:-1])} or {PROVENANCES[-1]}"
        )


def _plain(value: Any, what: str) -> Any:
    """Python's own numbers in place of NumPy's, and lists in place of tuples; refuses what JSON
    does not have.
    """
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidArgument(f"{what} has the number {value}; all must be finite")
        return value
    if isinstance(value, Mapping):
        if not all(isinstance(name, str) for name in value):
            raise InvalidArgument(f"{what} has names that are no texts")
        return {name: _plain(value[name], f"{what}, in {quoted(name)},") for name in sorted(value)}
    if isinstance(value, (list, tuple)):
        return [_plain(one, what) for one in value]
    raise InvalidArgument(f"{what} has {kind_of(value)}, which a JSON file cannot have")


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _written(value: Any, margin: str, used: int) -> str:
    """A value behind ``used`` columns of its line: there if it fits, else in lines of its own."""
    flat = _compact(value)
    # One more for a comma.
    if used + len(flat) < _COLUMNS or not isinstance(value, (dict, list)):
        return flat
    inner = f"{margin}  "
    if isinstance(value, dict):
        names = [f"{inner}{_compact(name)}: " for name in value]
        members = (
            name + _written(one, inner, len(name))
            for name, one in zip(names, value.values(), strict=True)
        )
        return "{\n" + ",\n".join(members) + f"\n{margin}}}"
    return (
        "[\n"
        + "\n".join(_wrapped([_written(one, inner, len(inner)) for one in value], inner))
        + f"\n{margin}]"
    )


def _wrapped(items: Sequence[str], margin: str) -> Iterator[str]:
    """As many items on a line as there is room for."""
    line = margin
    for place, item in enumerate(items):
        item += "," if place + 1 < len(items) else ""
        if line != margin and ("\n" in item or len(line) + 1 + len(item) > _COLUMNS):
            yield line
            line = margin
        line += item if line == margin else f" {item}"
    yield line


def _replace(target: Path, content: bytes) -> None:
    """Whoever reads the file meanwhile has the old one or the new one."""
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with temporary.open("xb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
