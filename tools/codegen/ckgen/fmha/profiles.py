# SPDX-License-Identifier: MIT
"""Profiles: what those who use CK's attention build of all that there is, by their names and by
CK's numbers of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ckgen.core.target import Target
from ckgen.fmha.ck_kernels import ck_kernels
from ckgen.fmha.spec import Bias, Dtype, FmhaSpec, Mode, Variant

Keeps = Callable[[FmhaSpec], bool]

_16_BIT = frozenset({Dtype.FP16, Dtype.BF16})
_BACKWARD = frozenset({Variant.DOT_DO_O, Variant.DQ_DK_DV, Variant.CONVERT_DQ})
_NO_OR_ALIBI = frozenset({Bias.NONE, Bias.ALIBI})
_NO_OR_ELEMENTWISE = frozenset({Bias.NONE, Bias.ELEMENTWISE})


@dataclass(frozen=True)
class Profile:
    """What is kept of CK's kernels, and what for."""

    purpose: str
    keeps: Keeps
    extended: bool = False

    def kernels(self, target: Target) -> Iterator[FmhaSpec]:
        """Those for a GPU, before any rule."""
        return (spec for spec in ck_kernels(target, extended=self.extended) if self.keeps(spec))


def _default(spec: FmhaSpec) -> bool:
    return spec.dtype is not Dtype.FP32


def _flash(spec: FmhaSpec) -> bool:
    """Heads of both sizes are padded alike in backward, as its callers do."""
    if spec.variant is Variant.COMBINE:
        return True
    plain = spec.dtype in _16_BIT and spec.bias in _NO_OR_ALIBI and not spec.scales
    if spec.variant is Variant.DQ_DK_DV:
        return plain and spec.pads[2] == spec.pads[3]
    return plain and not (spec.skip_min and spec.variant is Variant.FWD)


def _flash_bwd(spec: FmhaSpec) -> bool:
    if spec.variant in (Variant.SPLITKV, Variant.APPENDKV):
        return _default(spec)
    return _flash(spec) and not (spec.variant in _BACKWARD and spec.deterministic)


def _pytorch(spec: FmhaSpec) -> bool:
    """Batches only. CK's own filter of split keys lets none pass, by a slip of the pen."""
    if spec.variant is Variant.COMBINE:
        return True
    plain = spec.dtype in _16_BIT and spec.bias in _NO_OR_ELEMENTWISE and not spec.scales
    if spec.variant is Variant.BATCH_PREFILL or spec.variant is Variant.PAGEDKV:
        return plain
    plain = plain and spec.mode is Mode.BATCH and not spec.soft_cap and not spec.skip_min
    return plain and (spec.variant is not Variant.DQ_DK_DV or spec.pads[2] == spec.pads[3])


def _aiter(*modes: Mode, only: frozenset[Variant]) -> Keeps:
    """fp8 only with o of bf16 and head size 128; batch_prefill is always used packed."""

    def keeps(spec: FmhaSpec) -> bool:
        of_fp8 = spec.variant is Variant.APPENDKV or (
            spec.dtype is Dtype.FP8BF16 and spec.hdim_q == 128 and spec.variant is Variant.FWD
        )
        mode = (
            Mode.GROUP in modes and spec.mode is Mode.GROUP
            if spec.variant is Variant.BATCH_PREFILL
            else spec.mode in modes
        )
        return (spec.dtype in _16_BIT or of_fp8) and mode and spec.variant in only

    return keeps


def _fp32(spec: FmhaSpec) -> bool:
    if spec.dtype is not Dtype.FP32 or spec.skip_min or spec.soft_cap:
        return False
    return spec.variant is not Variant.DQ_DK_DV or spec.pads[2] == spec.pads[3]


def _fp32_min(spec: FmhaSpec) -> bool:
    least = (
        _fp32(spec)
        and spec.hdim_q in (48, 128)
        and spec.mode is Mode.BATCH
        and spec.bias is Bias.NONE
    )
    return least and not (spec.lse or spec.dropout or spec.mask or spec.deterministic)


def _fp8(spec: FmhaSpec) -> bool:
    return spec.dtype.is_fp8 and spec.hdim_q == 128 and spec.variant is Variant.FWD


_FORWARD = frozenset(Variant) - _BACKWARD
_PACKED = frozenset(
    {Variant.FWD, Variant.SPLITKV, Variant.COMBINE, Variant.PAGEDKV, Variant.BATCH_PREFILL}
)

_PROFILES: dict[str, Profile] = {
    "ck_default": Profile("all that CK builds unless it is told otherwise", _default),
    "ck_extended": Profile(
        "the same, and qr for any head size beside qr_async", _default, extended=True
    ),
    "flash_fwd": Profile("flash-attn's forward", _flash),
    "flash_bwd": Profile("flash-attn's backward", _flash_bwd),
    "pytorch": Profile("PyTorch: batches, with an elementwise bias or none", _pytorch),
    "aiter_batch": Profile("AITER's mha_fwd", _aiter(Mode.BATCH, only=frozenset({Variant.FWD}))),
    "aiter_group": Profile(
        "AITER's mha_varlen_fwd and mha_batch_prefill", _aiter(Mode.GROUP, only=_PACKED)
    ),
    "aiter_bwd_batch": Profile("AITER's mha_bwd", _aiter(Mode.BATCH, only=_BACKWARD)),
    "aiter_bwd_group": Profile("AITER's mha_varlen_bwd", _aiter(Mode.GROUP, only=_BACKWARD)),
    "aiter_cpp": Profile("AITER's interface in C++", _aiter(*Mode, only=frozenset(Variant))),
    "fp32_all": Profile("fp32 with all that CK has for it", _fp32),
    "fp32_min": Profile("fp32 as CK tests it", _fp32_min),
    "fp8_test": Profile("fp8 as CK tests it", _fp8),
    "all": Profile("whatever CK has a table for", lambda spec: True, extended=True),
}


def _together(purpose: str, *names: str) -> Profile:
    parts = [_PROFILES[name].keeps for name in names]
    return Profile(purpose, lambda spec: any(keeps(spec) for keeps in parts))


_OTHER_NAMES: dict[str, str] = {
    "0": "ck_default",
    "1": "ck_extended",
    "2": "flash_fwd",
    "3": "flash_bwd",
    "4": "pytorch",
    "100": "aiter_batch",
    "200": "aiter_group",
    "300": "aiter_bwd_batch",
    "400": "aiter_bwd_group",
    "600": "aiter_cpp",
    "800": "fp32_all",
    "801": "fp32_min",
    "888": "fp8_test",
    "fp32": "fp32_all",
    "fp8": "fp8_test",
}

PROFILES: Mapping[str, Profile] = MappingProxyType(
    {
        **_PROFILES,
        "flash": _together("flash-attn, forward and backward", "flash_fwd", "flash_bwd"),
        "aiter": _together(
            "AITER, all of it",
            "aiter_batch",
            "aiter_group",
            "aiter_bwd_batch",
            "aiter_bwd_group",
            "aiter_cpp",
        ),
        **{other: _PROFILES[name] for other, name in _OTHER_NAMES.items()},
    }
)
"""By name, and by the number of CK's receipt."""
