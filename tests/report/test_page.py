# SPDX-License-Identifier: MIT
"""A page is one file that loads nothing, and nothing that it shows can become a part of it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from ckdispatch.errors import IoFailed
from ckdispatch.report.document import Content, compose
from ckdispatch.report.page import charts, render, write
from made_up import content, write_set
from report_support import SPECS


class Reader(HTMLParser):
    """The elements of a page, and the texts of its scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.open = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.open = True
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self.open = self.open and tag != "script"

    def handle_data(self, data: str) -> None:
        if self.open:
            self.scripts[-1] += data


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    return reader


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Content:
    folder = tmp_path_factory.mktemp("made")
    now = write_set(folder / "now", "few", SPECS[:8], salt="new")
    return content([now], [write_set(folder / "then", "few", SPECS[2:10])])


@pytest.fixture(scope="module")
def page(made: Content) -> str:
    return render(compose(made))


def data_of(page: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(read(page).scripts[0])
    return found


def test_the_document_is_in_the_page_as_it_was(made: Content, page: str) -> None:
    assert data_of(page) == json.loads(json.dumps(compose(made)))


def test_a_page_loads_nothing(page: str) -> None:
    reader = read(page)
    assert not [
        tag
        for tag, attributes in reader.tags
        if {"src", "srcset", "data", "poster", "action"} & attributes.keys()
    ]
    assert [attributes["href"] for _, attributes in reader.tags if "href" in attributes] == [
        "#kernels"
    ]
    assert not {"link", "iframe", "object", "embed", "img", "base"} & {
        tag for tag, _ in reader.tags
    }
    ours = page.replace(charts(), "")
    assert not re.search(r"https?://|@import|url\(|//[a-z]+\.[a-z]+/", ours)


def test_only_the_scripts_of_the_page_may_run(page: str) -> None:
    reader = read(page)
    (policy,) = (
        attributes["content"] or ""
        for _, attributes in reader.tags
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    hashes = [
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
        for script in reader.scripts[1:]
    ]
    assert len(hashes) == 2
    assert f"script-src {' '.join(hashes)};" in policy
    assert policy.startswith("default-src 'none';")
    assert not [
        name for _, attributes in reader.tags for name in attributes if name.startswith("on")
    ]


EVIL = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]>",
    "\u2028\u2029",
    "<img src=x onerror=alert(1)>",
    "{{ 7 * 7 }}",
    "\ud800",
    "'\"`${1}",
]


@pytest.mark.parametrize("evil", EVIL)
def test_what_a_manifest_says_stays_text(evil: str, tmp_path: Path) -> None:
    spec, gpus = SPECS[0]
    manifest = write_set(tmp_path, "few", [(spec, gpus)])
    document = json.loads(manifest.read_text())
    document["set"] = evil
    document["kernels"][0]["name"] = evil
    document["kernels"][0]["spec"] |= {"pipeline": evil, "layout": evil}
    document["kernels"][0]["summary"][evil] = document["kernels"][0]["summary"][gpus[0]]
    manifest.write_text(json.dumps(document))
    made = replace(content([manifest]), maps=(), layers=())
    page = render(compose(made))
    assert len(read(page).scripts) == 3
    assert page.count("<script") == 3 + charts().count("<script")
    assert data_of(page)["kernels"][0]["name"] == evil
    assert data_of(page)["title"] == evil
    write(page, tmp_path / "page.html")


def test_the_same_build_gives_the_same_page(made: Content, page: str) -> None:
    assert render(compose(made)) == page


def test_a_page_that_cannot_be_written_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "page.html"
    path.write_text("before")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(IoFailed, match="cannot be written: No space left on device"):
        write("after", path)
    assert path.read_text() == "before"
    assert [one.name for one in tmp_path.iterdir()] == ["page.html"]
