# SPDX-License-Identifier: MIT
"""What a kernel is made of, as a short digest: its source, headers and flags, not the compiler."""

from __future__ import annotations

from ckarch import ArchSpecs
from ckdispatch.jit.cache import Cache
from ckdispatch.jit.entry import key_of
from ckdispatch.jit.files import sha256_bytes
from ckdispatch.jit.headers import composable_kernel
from ckdispatch.jit.job import FamilyJob, kernel_job
from ckgen.families import FAMILIES
from ckgen.gemm.spec import GemmSpec

from cksupport.includes import Includes

_LENGTH = 16


class Digests:
    """The digests of kernels, as of now.

    Of the headers only those count that the kernel's source includes, so that the results of one
    family outlive a change to what only another one needs.
    """

    def __init__(self, arch: ArchSpecs) -> None:
        self._arch = arch
        self._family = FamilyJob.of(FAMILIES["gemm"], composable_kernel(Cache().layout.memos))
        headers = {**self._family.ck.read(), **self._family.own.read()}
        self._includes = Includes(headers)
        self._contents = {name: sha256_bytes(content) for name, content in headers.items()}
        self._headers: dict[frozenset[str], str] = {}
        self._known: dict[tuple[str, GemmSpec], str] = {}

    def of(self, spec: GemmSpec, gpu: str) -> str:
        """The digest of ``spec`` for ``gpu``."""
        if (gpu, spec) not in self._known:
            job = kernel_job(spec, self._family, self._arch, [self._arch.gpu(gpu)])
            request = {**job.request, "headers": self._of_headers(job.source)}
            self._known[gpu, spec] = key_of(request)[:_LENGTH]
        return self._known[gpu, spec]

    def _of_headers(self, source: bytes) -> str:
        names = self._includes.of(source)
        if names not in self._headers:
            self._headers[names] = key_of({name: self._contents[name] for name in names})
        return self._headers[names]
