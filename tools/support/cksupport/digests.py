# SPDX-License-Identifier: MIT
"""What a kernel is made of, as a short digest: what the compiler sees of it in the device pass, and
the flags.

Where a header lies, how it is called and what only the host pass reads do not count, nor does the
compiler but for its major version: CK's headers ask for it, and for that of HIP.
"""

from __future__ import annotations

import re
from functools import cached_property, partial
from time import sleep
from typing import Any

from ckarch import ArchSpecs
from ckdispatch.jit.cache import Cache
from ckdispatch.jit.compiler import Compiler, find_compiler
from ckdispatch.jit.entry import key_of
from ckdispatch.jit.files import sha256_bytes
from ckdispatch.jit.headers import HeaderSource, composable_kernel, own_headers, unpack
from ckdispatch.jit.memo import remember
from ckdispatch.jit.sources import family_of, source_text
from ckgen.core.family import Family
from ckgen.core.recipe import load_recipe
from ckgen.core.spec import KernelSpec

from cksupport.preprocessor import preprocessed
from cksupport.skeleton import what_is_seen, without_numbers

_LENGTH = 16
_LINES = 2
"""Which way it is of writing the same text in plain lines: what is remembered of another one counts
no more.
"""


class Digests:
    """The digests of kernels, as of now.

    Preprocessing every kernel would take hours. Its skeleton is preprocessed instead, once for all
    kernels that share it: what comes out are the headers' text and macros, around the places of
    those texts of the source that the device pass sees. These texts and what they stand between
    decide what the compiler is given, and are digested.
    """

    def __init__(self, arch: ArchSpecs) -> None:
        self._arch = arch
        self._cache = Cache()
        self._recipe = load_recipe()
        self._known: dict[tuple[str, KernelSpec], str] = {}
        self._device_texts: dict[tuple[str, str, str], tuple[str, list[int]]] = {}

    def of(self, spec: KernelSpec, gpu: str) -> str:
        """The digest of ``spec`` for ``gpu``."""
        if (gpu, spec) not in self._known:
            self._known[gpu, spec] = key_of(self._inputs(spec, gpu))[:_LENGTH]
        return self._known[gpu, spec]

    @property
    def llvm(self) -> str:
        """The major version of the compiler that looks at the headers."""
        found = re.search(r"version (\d+)\.", self._compiler.version)
        return found[1] if found else self._compiler.version

    def _inputs(self, spec: KernelSpec, gpu: str) -> dict[str, Any]:
        family = family_of(spec)
        source = source_text(family, spec, self._arch).decode()
        headers, texts = what_is_seen(source, partial(self._device_text, family, gpu))
        return {"flags": self._flags(gpu), "headers": headers, "texts": texts}

    def _flags(self, gpu: str) -> tuple[str, ...]:
        return self._recipe.for_device_pass(self._arch.gpu(gpu))

    def _device_text(self, family: Family, gpu: str, directives: str) -> tuple[str, list[int]]:
        if (family.name, gpu, directives) not in self._device_texts:
            own = own_headers(family)
            question = {
                "compiler": self._compiler.identity,
                "directives": directives,
                "flags": list(self._flags(gpu)),
                "headers": [self._ck.digest, own.digest],
                "lines": _LINES,
            }

            def find() -> tuple[dict[str, Any], dict[str, Any]]:
                text, places = without_numbers(self._preprocessed(own, gpu, directives))
                return {"digest": sha256_bytes(text.encode()), "places": places}, {}

            facts, _ = remember(self._cache.layout.memos, question, find)
            self._device_texts[family.name, gpu, directives] = facts["digest"], facts["places"]
        return self._device_texts[family.name, gpu, directives]

    def _preprocessed(self, own: HeaderSource, gpu: str, directives: str) -> str:
        with self._cache.lease() as lease:
            folders = [
                unpack(headers, self._cache, lease, partial(sleep, 0.1))
                for headers in (self._ck, own)
            ]
            return preprocessed(self._compiler.clang, self._flags(gpu), folders, directives)

    @cached_property
    def _compiler(self) -> Compiler:
        return find_compiler(self._cache.layout.memos)

    @cached_property
    def _ck(self) -> HeaderSource:
        return composable_kernel(self._cache.layout.memos)
