# SPDX-License-Identifier: MIT
"""What a kernel is made of, as a short digest: its source, headers and flags, not the compiler."""

from __future__ import annotations

from ckarch import ArchSpecs
from ckdispatch.jit.cache import Cache
from ckdispatch.jit.entry import key_of
from ckdispatch.jit.headers import composable_kernel
from ckdispatch.jit.job import FamilyJob, kernel_job
from ckgen.families import FAMILIES
from ckgen.gemm.spec import GemmSpec

_LENGTH = 16


class Digests:
    """The digests of kernels, as of now."""

    def __init__(self, arch: ArchSpecs) -> None:
        self._arch = arch
        headers = composable_kernel(Cache().layout.memos)
        self._family = FamilyJob.of(FAMILIES["gemm"], headers)
        self._known: dict[tuple[str, GemmSpec], str] = {}

    def of(self, spec: GemmSpec, gpu: str) -> str:
        """The digest of ``spec`` for ``gpu``."""
        if (gpu, spec) not in self._known:
            job = kernel_job(spec, self._family, self._arch, [self._arch.gpu(gpu)])
            self._known[gpu, spec] = key_of(job.request)[:_LENGTH]
        return self._known[gpu, spec]
