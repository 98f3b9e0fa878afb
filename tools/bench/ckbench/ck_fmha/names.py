# SPDX-License-Identifier: MIT
"""What the names of CK's attention kernels say, in the fields of ours."""

from __future__ import annotations

import re
from typing import Any

_NAME = re.compile(
    r"fmha_fwd_d(?P<hdim>\d+)_(?P<dtype>\w+?)_(?P<mode>batch|group)_b(?P<tile>[\dx]+)_r(?P<waves>[\dx]+)_r(?P=waves)_w(?P<warp>[\dx]+)_w(?P=warp)_(?:o\d+_)?(?P<pipeline>\w+)_vr_(?P<pads>npad|p[skdv]+)_(?P<cap>n?)logits_(?P<bias>nbias|bias|alibi)_(?P<mask>n?)mask_(?P<lse>n?)lse_(?P<dropout>n?)dropout_(?P<skip>n?)skip_(?P<scales>n?)squant_(?P<trload>n?)trload"
)

_TRLOAD = "_trload"


def fields_of(kernel: str) -> dict[str, Any]:
    """What a kernel of ckdispatch with the template arguments of CK's has in its spec; all but the
    occupancy.
    """
    found = _NAME.fullmatch(kernel)
    if not found:
        raise ValueError(f"{kernel} is no name of a forward kernel of CK.")
    tile, waves, warp_tile = (
        [int(one) for one in found[part].split("x")] for part in ("tile", "waves", "warp")
    )
    pads = found["pads"].removeprefix("p")
    # In the order of CK's letters: s, sk, d, dv.
    padded = re.fullmatch(r"(s(?!k))?(sk)?(d(?!v))?(dv)?", "" if pads == "npad" else pads)
    if not padded or bool(found["trload"]) == found["pipeline"].endswith(_TRLOAD):
        raise ValueError(f"{kernel} has pads or a pipeline that no kernel of CK has.")
    return {
        "variant": "fwd",
        "dtype": found["dtype"],
        "mode": found["mode"],
        "hdim_q": int(found["hdim"]),
        "hdim_v": tile[3],
        "mask": not found["mask"],
        "lse": not found["lse"],
        "dropout": not found["dropout"],
        "soft_cap": not found["cap"],
        "scales": not found["scales"],
        "skip_min": not found["skip"],
        "bias": {"nbias": "none", "bias": "elementwise", "alibi": "alibi"}[found["bias"]],
        "pipeline": "trload" if found["pipeline"].endswith(_TRLOAD) else found["pipeline"],
        "tile": tile,
        "waves": waves,
        "warp_tile": warp_tile,
        "pads": [int(one is not None) for one in padded.groups()],
    }
