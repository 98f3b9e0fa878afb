# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
import pickle
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from ckdispatch import DuplicatePolicy, GemmProblem, Registry
from ckdispatch.errors import Damaged, DuplicateKernel, InvalidArgument, NotFound
from ckdispatch.native.places import find_manifest
from dispatch_support import ESSENTIAL, PADDED, UNPADDED, VARIANTS


def names(registry: Registry) -> list[str]:
    return [kernel.name for kernel in registry]


def test_a_set_is_found_by_its_name_in_the_runfiles() -> None:
    registry = Registry.load(ESSENTIAL)
    assert PADDED in registry
    assert registry.gpus == ("gfx942",)
    assert registry.name == ESSENTIAL


def test_a_set_is_loaded_from_its_manifest() -> None:
    assert names(Registry.load(find_manifest(ESSENTIAL))) == names(Registry.load(ESSENTIAL))


def test_a_set_that_is_not_there_gets_a_sentence() -> None:
    with pytest.raises(
        NotFound, match="the kernel set nothing was asked for and is not among the files"
    ):
        Registry.load("nothing")
    with pytest.raises(NotFound, match="there is no such file"):
        Registry.load("no/such.manifest.json")
    with pytest.raises(InvalidArgument, match="from no kernel set"):
        Registry.load()


def test_sets_are_loaded_together() -> None:
    both = Registry.load(ESSENTIAL, VARIANTS)
    assert len(both) == len(Registry.load(ESSENTIAL)) + len(Registry.load(VARIANTS))


def test_the_order_does_not_depend_on_how_it_was_filled() -> None:
    assert names(Registry.load(ESSENTIAL, VARIANTS)) == names(Registry.load(VARIANTS, ESSENTIAL))


def test_a_kernel_says_what_it_is() -> None:
    kernel = Registry.load(ESSENTIAL)[PADDED]
    assert kernel.spec["tile"] == [64, 64, 64]
    assert kernel.gpus == ("gfx942",)
    assert kernel.resources["gfx942"]["lds_bytes"] == 16384
    assert Path(kernel.library).is_file()


def test_a_kernel_is_found_by_its_key() -> None:
    registry = Registry.load(ESSENTIAL)
    key = registry[PADDED].key
    assert key.startswith("gemm{variant=standard,dtype_a=fp16")
    assert registry[key].name == PADDED


def test_a_kernel_that_is_not_there_gets_a_sentence() -> None:
    registry = Registry.load(ESSENTIAL)
    with pytest.raises(NotFound, match="has no kernel gemm_none"):
        _ = registry["gemm_none"]
    with pytest.raises(InvalidArgument, match=r"The key \{ is of the family"):
        _ = registry["{"]
    assert "gemm_none" not in registry


def test_filters_choose_by_field_gpu_and_predicate() -> None:
    registry = Registry.load(ESSENTIAL, VARIANTS)
    assert {kernel.spec["layout"] for kernel in registry.filter(layout="rrr")} == {"rrr"}
    assert {kernel.spec["pipeline"] for kernel in registry.filter(pipeline="mem")} == {"mem"}
    assert len(registry.filter(gpu="gfx950")) == 0
    small = registry.filter(predicate=lambda kernel: kernel.spec["tile"][0] <= 64, dtype_a="fp16")
    assert 0 < len(small) < len(registry)
    assert all(kernel.spec["tile"][0] <= 64 for kernel in small)


def test_a_wrong_filter_gets_a_sentence() -> None:
    with pytest.raises(InvalidArgument, match="A filter by 'colour'"):
        Registry.load(ESSENTIAL).filter(colour="red")
    with pytest.raises(InvalidArgument, match="The GPU 'gfx1'"):
        Registry.load(ESSENTIAL).filter(gpu="gfx1")


def test_merging_follows_the_policy() -> None:
    registry = Registry.load(ESSENTIAL)
    count = len(registry)
    with pytest.raises(DuplicateKernel, match="already has the kernel"):
        registry.merge(Registry.load(ESSENTIAL))
    assert registry.merge(Registry.load(ESSENTIAL), duplicates=DuplicatePolicy.KEEP) == 0
    assert registry.merge(Registry.load(ESSENTIAL), duplicates=DuplicatePolicy.REPLACE) == count
    assert registry.merge(Registry.load(VARIANTS)) == len(registry) - count


def test_a_merge_that_fails_adds_nothing() -> None:
    registry = Registry.load(VARIANTS)
    registry.merge(
        Registry.load(ESSENTIAL).filter(predicate=lambda kernel: kernel.name == UNPADDED)
    )
    before = names(registry)
    with pytest.raises(DuplicateKernel):
        registry.merge(Registry.load(ESSENTIAL))
    assert names(registry) == before


def test_a_kernel_can_be_removed() -> None:
    registry = Registry.load(ESSENTIAL)
    registry.remove(PADDED)
    assert PADDED not in registry
    with pytest.raises(NotFound, match="to be removed"):
        registry.remove(PADDED)


def test_json_gives_the_same_registry_back() -> None:
    registry = Registry.load(ESSENTIAL)
    document = json.loads(json.dumps(registry.to_json()))
    again = Registry.from_json(document)
    assert again.to_json()["kernels"] == registry.to_json()["kernels"]
    assert document["statistics"]["kernels"] == len(registry)
    assert document["statistics"]["fields"]["layout"] == {"rcr": len(registry)}


def test_json_that_is_no_registry_is_refused() -> None:
    document = Registry.load(ESSENTIAL).to_json()
    with pytest.raises(Damaged, match="no SHA-256"):
        Registry.from_json(
            {**document, "kernels": [{**document["kernels"][0], "library_sha256": "x"}]}
        )
    with pytest.raises(Damaged, match="has no 'spec'"):
        Registry.from_json({**document, "kernels": [{}]})
    with pytest.raises(InvalidArgument, match="the family cooking"):
        Registry.from_json({**document, "family": "cooking"})


def test_a_pickled_registry_selects_the_same() -> None:
    registry = Registry.load(ESSENTIAL)
    problem = GemmProblem(256, 256, 256)
    copy = pickle.loads(pickle.dumps(registry))
    assert names(copy) == names(registry)
    assert copy.select(problem).kernel == registry.select(problem).kernel


def test_many_threads_may_load_and_read() -> None:
    shared = Registry(name="shared")
    manifests = [find_manifest(ESSENTIAL), find_manifest(VARIANTS)]

    def work(turn: int) -> int:
        shared.load_manifest(manifests[turn % 2], duplicates=DuplicatePolicy.REPLACE)
        return len(list(shared))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(64)))
    assert names(shared) == names(Registry.load(ESSENTIAL, VARIANTS))


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A manifest with its libraries, to be spoilt."""
    manifest = find_manifest(ESSENTIAL)
    for kernel in json.loads(manifest.read_text())["kernels"]:
        shutil.copy(manifest.parent / kernel["path"], tmp_path / kernel["path"])
        (tmp_path / kernel["path"]).chmod(0o644)
    shutil.copy(manifest, tmp_path / manifest.name)
    (tmp_path / manifest.name).chmod(0o644)
    return tmp_path / manifest.name


def edit(manifest: Path, **changes: Any) -> None:
    document = json.loads(manifest.read_text())
    document["kernels"] = [{**document["kernels"][0], **changes}]
    manifest.write_text(json.dumps(document))


@pytest.mark.parametrize("path", ["../evil.so", "/tmp/evil.so", "x/../../evil.so", ""])
def test_a_manifest_may_not_name_a_library_outside_its_folder(copied: Path, path: str) -> None:
    edit(copied, path=path)
    with pytest.raises(Damaged, match="outside its folder"):
        Registry.load(copied)


def test_a_library_with_another_hash_is_never_loaded(copied: Path) -> None:
    edit(copied, library_sha256="0" * 64)
    registry = Registry.load(copied)
    (name,) = names(registry)
    ranking = registry.rank(GemmProblem(512, 512, 512))
    assert ranking.best is None
    assert "is not the one that was built" in ranking.refused[0].reason
    with pytest.raises(Damaged, match="is not the one that was built"):
        registry.select(GemmProblem(512, 512, 512), kernel=name)


def test_a_manifest_that_lies_about_the_spec_is_found_out(copied: Path) -> None:
    document = json.loads(copied.read_text())
    kernel = document["kernels"][0]
    kernel["spec"] = {**kernel["spec"], "pad_m": not kernel["spec"]["pad_m"]}
    document["kernels"] = [kernel]
    copied.write_text(json.dumps(document))
    registry = Registry.load(copied)
    with pytest.raises(Damaged, match="describes itself as another kernel"):
        registry.select(GemmProblem(512, 512, 512), kernel=kernel["name"])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "not valid JSON"),
        ("[]", "has no 'schema_version'"),
        ('{"schema_version": 1}', "has no 'kernels'"),
        ('{"schema_version": 1, "kernels": []}', "names no kernel"),
        ('{"schema_version": 1, "kernels": 3}', "no list"),
    ],
)
def test_a_file_that_is_no_manifest_is_refused(copied: Path, text: str, sentence: str) -> None:
    copied.write_text(text)
    with pytest.raises(Damaged, match=sentence):
        Registry.load(copied)


def test_a_missing_library_is_a_reason_and_not_a_crash(copied: Path) -> None:
    for library in copied.parent.glob("*.so"):
        library.unlink()
    ranking = Registry.load(copied).rank(GemmProblem(512, 512, 512))
    assert ranking.fit == ()
    assert all("cannot be read" in refusal.reason for refusal in ranking.refused)


@pytest.mark.parametrize("content", [b"", b"not a library", b"\x7fELF" + b"\0" * 100])
def test_a_file_that_is_no_library_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "libx.so"
    path.write_bytes(content)
    with pytest.raises(Damaged, match="is no kernel library"):
        Registry().add_library(path)
