# SPDX-License-Identifier: MIT
"""Reading an attention kernel's name back into its spec."""

from __future__ import annotations

import re

from ckgen.core.errors import FieldError, SpecError
from ckgen.core.naming import ROW, one_of
from ckgen.core.tile import Extents
from ckgen.fmha.spec import (
    BIAS_WORDS,
    ROTARY_WORDS,
    SWITCH_WORDS,
    Dtype,
    FmhaSpec,
    Mode,
    Pipeline,
    Variant,
)

FORM = (
    "fmha_<variant>_<dtype>_<mode>_h<hdim_q>x<hdim_v>[_<feature>]..._<pipeline>"
    "_t<tile>_w<waves>_i<warp tile>_p<pads>_o<occupancy>"
)

_BIASES = {word: bias for bias, word in BIAS_WORDS.items()}
_ROTARIES = {word: rotary for rotary, word in ROTARY_WORDS.items()}
_SWITCHES = "".join(f"(?P<{switch}>_{word})?" for switch, word in SWITCH_WORDS.items())
_NUMBER = r"(?:0|[1-9]\d{0,8})"

_NAME = re.compile(
    rf"fmha_(?P<variant>{one_of(Variant)})_(?P<dtype>{one_of(Dtype)})_(?P<mode>{one_of(Mode)})"
    rf"_h(?P<hdim_q>{_NUMBER})x(?P<hdim_v>{_NUMBER}){_SWITCHES}"
    rf"(?:_(?P<bias>{'|'.join(filter(None, _BIASES))}))?"
    rf"(?:_(?P<rotary>{'|'.join(filter(None, _ROTARIES))}))?"
    rf"(?:_s(?P<max_splits>{_NUMBER}))?(?:_(?P<pipeline>{one_of(Pipeline)}))?"
    rf"_t(?P<tile>{ROW})?_w(?P<waves>{ROW})?(?:_i(?P<warp_tile>{ROW}))?"
    rf"_p(?P<pads>{ROW})?_o(?P<occupancy>{_NUMBER})",
    re.ASCII,
)


def parse_name(name: str) -> FmhaSpec:
    """The spec called ``name``; raises ``SpecError`` if no spec has exactly that name."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise SpecError(
            f"{name[:300]!r} is not the name of an attention kernel; those have the form {FORM}"
        )
    try:
        rows = {
            field: Extents.parse(match[field] or "")
            for field in ("tile", "waves", "warp_tile", "pads")
        }
    except FieldError as error:
        raise SpecError(str(error)) from error
    switches = {switch: match[switch] is not None for switch in SWITCH_WORDS}
    spec = FmhaSpec.made_of(
        {**switches, **rows},
        variant=Variant(match["variant"]),
        dtype=Dtype(match["dtype"]),
        mode=Mode(match["mode"]),
        hdim_q=int(match["hdim_q"]),
        hdim_v=int(match["hdim_v"]),
        bias=_BIASES[match["bias"] or ""],
        rotary=_ROTARIES[match["rotary"] or ""],
        max_splits=int(match["max_splits"] or 0),
        pipeline=Pipeline(match["pipeline"] or Pipeline.NONE),
        occupancy=int(match["occupancy"]),
    )
    if spec.name != name:
        raise SpecError(
            f"{name!r} says in another way what {spec.name} says; only that is a kernel's name"
        )
    return spec
