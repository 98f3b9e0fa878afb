# SPDX-License-Identifier: MIT
"""Kernels of one family: a registry of the C++ runtime."""

from __future__ import annotations

import json
import os
import weakref
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from ckfamilies import FAMILIES

from ckdispatch.arguments import checked_path, in_range, text
from ckdispatch.errors import Damaged, InvalidArgument
from ckdispatch.native.library import native
from ckdispatch.native.structures import DuplicatePolicy
from ckdispatch.user_files import read_json
from ckdispatch.wording import quoted

_NUMBERS = {row.name: row.number for row in FAMILIES}


def known_family(word: object) -> str:
    """The name of a family; refuses what is none."""
    if isinstance(word, str) and word in _NUMBERS:
        return word
    raise InvalidArgument(f"the family {quoted(word)} was asked for; there is {', '.join(_NUMBERS)}")


class FamilyRegistry:
    """What ``ckd_registry`` does, by the family that it is of."""

    def __init__(self, family: str, handle: int) -> None:
        self.family = family
        self.handle = handle
        weakref.finalize(self, native().functions.ckd_registry_destroy, handle)

    @classmethod
    def create(cls, family: str, name: str) -> FamilyRegistry:
        return cls(family, native().make("ckd_registry_create", _NUMBERS[family], text("the name of a registry", name)))

    @classmethod
    def from_json(cls, family: str, document: Mapping[str, Any]) -> FamilyRegistry:
        try:
            written = json.dumps(document).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise Damaged(f"the exported registry is no such thing, or was damaged: {error}") from None
        return cls(family, native().make("ckd_registry_from_json", _NUMBERS[family], written))

    def load_manifest(self, path: str | os.PathLike[str], duplicates: DuplicatePolicy, priority: int) -> int:
        name = os.fsencode(checked_path("a manifest", path))
        return native().count("ckd_registry_load_manifest", self.handle, name, _policy(duplicates), _priority(priority))

    def add_library(self, path: str | os.PathLike[str], sha256: str | None, duplicates: DuplicatePolicy, priority: int) -> str:
        digest = text("sha256", sha256) if sha256 is not None else None
        name = os.fsencode(checked_path("a kernel library", path))
        return native().text("ckd_registry_add_library", self.handle, name, digest, _policy(duplicates), _priority(priority))

    def remove(self, name: str) -> None:
        native().call("ckd_registry_remove", self.handle, text("a kernel", name))

    def merge(self, other: FamilyRegistry, duplicates: DuplicatePolicy) -> int:
        return native().count("ckd_registry_merge", self.handle, other.handle, _policy(duplicates))

    def filtered(self, words: Mapping[str, str]) -> FamilyRegistry:
        wanted = {name: text(name, word).decode() for name, word in words.items()}
        return FamilyRegistry(self.family, native().make("ckd_registry_filtered", self.handle, json.dumps(wanted).encode()))

    def find(self, name_or_key: str) -> dict[str, Any]:
        found: dict[str, Any] = native().json("ckd_registry_find", self.handle, text("a kernel", name_or_key))
        return found

    def to_json(self) -> dict[str, Any]:
        document: dict[str, Any] = native().json("ckd_registry_to_json", self.handle)
        return document

    def __len__(self) -> int:
        return int(native().functions.ckd_registry_size(self.handle))


def _priority(given: Any) -> int:
    return in_range("priority", given, -(2**31), 2**31 - 1)


def _policy(given: Any) -> DuplicatePolicy:
    try:
        return DuplicatePolicy(given)
    except (ValueError, TypeError):
        known = ", ".join(f"DuplicatePolicy.{one.name}" for one in DuplicatePolicy)
        raise InvalidArgument(f"duplicates was asked for as {quoted(given)}; it is one of {known}") from None


def merged_documents(name: str, documents: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The documents of several families as one, whose kernels say of which they are."""
    documents = list(documents)
    statistics = [document["statistics"] for document in documents]
    fields: dict[str, Counter[str]] = {}
    for one in statistics:
        for field, counted in one["fields"].items():
            fields[field] = fields.get(field, Counter()) + Counter(counted)
    gpus = sum((Counter(one["gpus"]) for one in statistics), Counter())
    sums = {name: sum(one[name] for one in statistics) for name in ("kernels", "opened", "spilling")}
    return {
        "schema_version": 1,
        "registry": name,
        "families": [document["family"] for document in documents],
        "kernels": [kernel for document in documents for kernel in document["kernels"]],
        "statistics": {**sums, "gpus": dict(gpus), "fields": {field: dict(counted) for field, counted in fields.items()}},
    }


def split_document(document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The inverse: a document for each family that has kernels."""
    if not isinstance(document, Mapping):
        raise Damaged(f"an exported registry was expected, as to_json gives it, and not {quoted(document)}")
    if "family" in document:
        return {known_family(document["family"]): dict(document)}
    kernels: dict[str, list[Any]] = {}
    try:
        for kernel in document["kernels"]:
            kernels.setdefault(known_family(kernel["spec"]["family"]), []).append(kernel)
        common = {name: document[name] for name in ("schema_version", "registry")}
    except (LookupError, TypeError) as error:
        raise Damaged(f"the exported registry is no such thing, or was damaged: there is no {error}") from error
    return {family: {**common, "family": family, "kernels": some} for family, some in kernels.items()}


def family_of_manifest(path: str | os.PathLike[str]) -> str:
    """That of its first kernel; a set is of one family.

    Of a file that is no manifest it is any: whichever reads it says what is wrong with it.
    """
    try:
        return known_family(read_json(checked_path("a manifest", path), "the manifest")["kernels"][0]["spec"]["family"])
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return next(iter(_NUMBERS))
