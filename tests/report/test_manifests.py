# SPDX-License-Identifier: MIT
"""What is read of a build is what its files say, and a file that is damaged is one sentence."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ckdispatch.errors import CkDispatchError, Damaged
from ckdispatch.report.manifests import CLASSES, read, together
from made_up import write_set
from report_support import SPECS


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    return write_set(tmp_path, "few", SPECS[:3])


def change(path: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    document = json.loads(path.read_text())
    edit(document)
    path.write_text(json.dumps(document))


def test_a_kernel_has_what_its_manifest_its_description_and_its_library_say(manifest: Path) -> None:
    found = read(manifest)
    entry = json.loads(manifest.read_text())["kernels"][0]
    described = json.loads((manifest.parent / f"{entry['name']}.json").read_text())["gpus"]
    kernel = found.kernels[0]
    assert (found.set, found.undescribed, len(found.kernels)) == ("few", 0, 3)
    assert (kernel.name, kernel.family, kernel.sha256) == (
        entry["name"],
        "gemm",
        entry["library_sha256"],
    )
    assert kernel.library_bytes == (manifest.parent / entry["path"]).stat().st_size
    for gpu, use in kernel.uses.items():
        assert use.figures == entry["summary"][gpu]
        assert use.object_bytes == described[gpu]["code_object_bytes"]
        kernels = described[gpu]["kernels"].values()
        assert use.mix == tuple(
            sum(one["instructions"][kind] for one in kernels) for kind in CLASSES
        )


def test_a_description_that_the_manifest_was_not_made_with_is_left_out(manifest: Path) -> None:
    entry = json.loads(manifest.read_text())["kernels"][0]
    description = manifest.parent / f"{entry['name']}.json"
    description.write_bytes(description.read_bytes() + b" ")
    found = read(manifest)
    assert found.undescribed == 1
    assert all(use.mix is None for use in found.kernels[0].uses.values())


def test_a_kernel_without_its_files_has_the_figures_of_the_manifest(manifest: Path) -> None:
    for path in manifest.parent.glob("*gemm*"):
        path.unlink()
    found = read(manifest)
    assert found.undescribed == 3
    assert found.kernels[0].library_bytes is None
    assert found.kernels[0].uses


def test_a_kernel_of_two_manifests_is_one_with_the_gpus_of_both(tmp_path: Path) -> None:
    spec, gpus = SPECS[0]
    paths = [write_set(tmp_path / gpu, "one", [(spec, [gpu])]) for gpu in gpus[:2]]
    (kernel,) = together([read(path) for path in paths])
    assert tuple(kernel.uses) == tuple(sorted(gpus[:2]))


DAMAGES: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "another version": (
        lambda found: found.update(schema_version=2),
        "is no manifest of schema version 1",
    ),
    "no kernels": (lambda found: found.update(kernels=[]), "has no kernels"),
    "kernels that are no list": (
        lambda found: found.update(kernels={}),
        "is no manifest of schema version 1",
    ),
    "a kernel that is none": (
        lambda found: found["kernels"].append(7),
        "a kernel has no name, no spec or no summary",
    ),
    "no name": (lambda found: found["kernels"][0].pop("name"), "a kernel has no name"),
    "no summary": (lambda found: found["kernels"][0].update(summary={}), "no summary"),
    "a figure that is a text": (
        lambda found: next(iter(found["kernels"][0]["summary"].values())).update(vgprs="many"),
        "has no number vgprs",
    ),
    "a GPU that is none": (
        lambda found: found["kernels"][0].update(summary={"gfx942": None}),
        "has no number vgprs for 'gfx942'",
    ),
    "another family": (
        lambda found: found["kernels"][0]["spec"].update(family="spam"),
        "is of the family 'spam'",
    ),
    "a family that is no text": (
        lambda found: found["kernels"][0]["spec"].update(family=[]),
        "is of the family []",
    ),
    "a spec without a tile": (
        lambda found: found["kernels"][0]["spec"].pop("tile"),
        "lacks or garbles 'tile'",
    ),
    "a tile that is a number": (
        lambda found: found["kernels"][0]["spec"].update(tile=3),
        "lacks or garbles",
    ),
    "a kernel twice": (
        lambda found: found["kernels"].append(found["kernels"][0]),
        "lists a kernel twice",
    ),
    "a number of 5,000 digits": (
        lambda found: found["kernels"][0]["spec"].update(tile=[10**4000]),
        "is damaged|cannot be read",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_manifest_is_one_sentence(damage: str, manifest: Path) -> None:
    edit, sentence = DAMAGES[damage]
    change(manifest, edit)
    with pytest.raises(Damaged, match=sentence.replace("[]", r"\[\]")) as caught:
        read(manifest)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b'{"a":' * 100 + b"1" + b"}" * 100, b"null"],
)
def test_what_is_no_manifest_at_all_is_one_sentence(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    with pytest.raises(CkDispatchError) as caught:
        read(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("library", ["../../../etc/passwd", "\0", "/dev/zero", 7, None])
def test_a_path_that_is_odd_is_not_followed_to_a_description(
    library: object, manifest: Path
) -> None:
    change(manifest, lambda found: found["kernels"][0].update(path=library))
    assert read(manifest).undescribed == 1


@pytest.mark.parametrize(
    "field", ["code_bytes", "instructions", "occupancy_limits", "matrix_mnemonics"]
)
def test_a_damaged_description_whose_hash_fits_is_one_sentence(field: str, manifest: Path) -> None:
    entry = json.loads(manifest.read_text())["kernels"][0]
    description = manifest.parent / f"{entry['name']}.json"
    document = json.loads(description.read_text())
    for use in document["gpus"].values():
        for function in use["kernels"].values():
            function[field] = 7.5
    description.write_text(json.dumps(document))
    digest = hashlib.sha256(description.read_bytes()).hexdigest()
    change(manifest, lambda found: found["kernels"][0].update(description_sha256=digest))
    with pytest.raises(Damaged, match="is damaged: it lacks or garbles"):
        read(manifest)
